/** Real MCP clients of both protocol eras, each with a server process of its own behind a pipe, or with one by HTTP. */

import { fileURLToPath } from 'node:url';
import {
  type FetchLike,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttpTransport,
  type OAuthClientProvider as ModernSignIn,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import type { OAuthClientProvider as LegacySignIn } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { answerValidators } from './answer-validators.helper.ts';
import { Arrivals } from './arrivals.helper.ts';
import { builtProgram } from './built-program.helper.ts';
import { inherited } from './home.helper.ts';

export const program = fileURLToPath(new URL('main.js', builtProgram));

type Action = 'accept' | 'decline' | 'cancel';

/** A person's answer to a question that a host shows. If it throws, the host responds with an error. */
export type Person = (question: string) => Action | Promise<Action>;

/** A person to whom a host offers to open a page. If it throws, the host responds with an error. */
export type Visitor = (url: string) => Action | Promise<Action>;

/** A running server. With `authProvider` the client gets its tokens, and new ones, by itself. */
export interface HttpAddress {
  readonly url: string;
  readonly token?: string;
  readonly fetch?: FetchLike;
  readonly authProvider?: ModernSignIn & LegacySignIn;
}

export interface Started {
  /** A running server to use instead of starting one. */
  readonly http?: HttpAddress;
  /** The command that starts the program, by default Node.js with the built program. */
  readonly command?: readonly [string, ...string[]];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers questions. Without it the host does not support elicitation. */
  readonly person?: Person;
  /** Decides about pages. Without it the host does not open any. */
  readonly visitor?: Visitor;
  /** Whether the host shows views. */
  readonly views?: boolean;
}

const contentSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

interface CallOptions {
  readonly onprogress?: (progress: { progress: number }) => void;
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
}

/** What tests need from a client of either era. */
export interface Host {
  readonly era: string;
  readonly client: ModernClient | LegacyClient;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>;
  read(uri: string): Promise<unknown>;
  /** Resolves when the host is notified that the list of tools changed. */
  readonly toolsChanged: Promise<void>;
  /** Subscribes to changes of these resources. */
  subscribe(...uris: string[]): Promise<void>;
  /** Ends all subscriptions. */
  unsubscribe(): Promise<void>;
  /** The next notification of a changed resource that the test has not taken yet. */
  nextUpdate(): Promise<string>;
  /** The notifications that the test has not taken yet. */
  readonly updates: readonly string[];
  close(): Promise<void>;
}

/** Its client can pass the questions of the server to the test. */
export interface ModernHost extends Host {
  readonly client: ModernClient;
}

export interface LegacyHost extends Host {
  readonly client: LegacyClient;
}

export interface Called {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
}

function called(result: unknown): Called {
  const { content, structuredContent = {}, isError = false } = contentSchema.parse(result);
  return { text: content.map(({ text }) => text).join('\n'), structured: structuredContent, isError };
}

const textOf = (result: unknown) =>
  z.object({ contents: z.array(z.object({ text: z.string() })).length(1) }).parse(result).contents[0]?.text ??
  '';

/** Programs of different tests must not share what they know. A test of shared state sets a directory of its own. */
export const withoutState = { BUDGET_MCP_NO_STATE: 'true' };

const usual = [process.execPath, program] as const;

const serverOf = ({ command = usual, args = ['serve', '--demo'], env = {} }: Started) => ({
  command: command[0],
  args: [...command.slice(1), ...args],
  env: { ...inherited, BUDGET_MCP_STRUCTURED: 'true', ...withoutState, ...env },
});

const httpOf = ({ url, token, fetch, authProvider }: HttpAddress) =>
  [
    new URL(url),
    {
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
      ...(fetch && { fetch }),
      ...(authProvider && { authProvider }),
    },
  ] as const;

const capabilitiesOf = ({ person, visitor, views }: Started) => ({
  ...((person || visitor) && {
    elicitation: { ...(person && { form: {} }), ...(visitor && { url: {} }) },
  }),
  ...(views && {
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  }),
});

const questionSchema = z.object({ message: z.string(), url: z.string().optional() });

const answerOf = async ({ person, visitor }: Started, params: unknown) => {
  const { message, url } = questionSchema.parse(params);
  if (url !== undefined) return { action: (await visitor?.(url)) ?? 'cancel' };
  const action = (await person?.(message)) ?? 'cancel';
  return action === 'accept' ? { action, content: {} } : { action };
};

/** A promise, and the function that resolves it. */
function withResolver(): { readonly promise: Promise<void>; resolve(): void } {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle() };
}

export async function connectModern(started: Started = {}): Promise<ModernHost> {
  const { person, visitor, http } = started;
  const changed = withResolver();
  const arrivals = new Arrivals<string>();
  const subscriptions: (() => Promise<void>)[] = [];
  const client = new ModernClient(
    { name: 'modern-host', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: capabilitiesOf(started),
      jsonSchemaValidator: answerValidators,
      listChanged: { tools: { autoRefresh: false, onChanged: changed.resolve } },
    },
  );
  if (person || visitor)
    client.setRequestHandler('elicitation/create', ({ params }) => answerOf(started, params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => arrivals.add(params.uri));
  await client.connect(
    http ? new ModernHttpTransport(...httpOf(http)) : new ModernTransport(serverOf(started)),
  );
  await client.listTools();
  return {
    era: '2026-07-28',
    client,
    call: async (name, args = {}, options) =>
      called(await client.callTool({ name, arguments: args }, options)),
    read: async (uri) => JSON.parse(textOf(await client.readResource({ uri }))),
    toolsChanged: changed.promise,
    subscribe: async (...uris) => {
      const { close } = await client.listen({ resourceSubscriptions: uris });
      subscriptions.push(close);
    },
    unsubscribe: async () => {
      for (const end of subscriptions.splice(0)) await end();
    },
    nextUpdate: () => arrivals.next(),
    updates: arrivals.waiting,
    close: () => client.close(),
  };
}

export async function connectLegacy(started: Started = {}): Promise<LegacyHost> {
  const { person, visitor, http } = started;
  const changed = withResolver();
  const arrivals = new Arrivals<string>();
  const subscriptions: string[] = [];
  const client = new LegacyClient(
    { name: 'legacy-host', version: '1' },
    { capabilities: capabilitiesOf(started), jsonSchemaValidator: answerValidators },
  );
  if (person || visitor)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(started, params));
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed.resolve);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => arrivals.add(params.uri));
  const transport = http ? new LegacyHttpTransport(...httpOf(http)) : new LegacyTransport(serverOf(started));
  await client.connect(transport);
  // After listing, the client checks every structured result against its schema.
  await client.listTools();
  return {
    era: '2025-11-25',
    client,
    call: async (name, args = {}, options) =>
      called(await client.callTool({ name, arguments: args }, undefined, options)),
    read: async (uri) => JSON.parse(textOf(await client.readResource({ uri }))),
    toolsChanged: changed.promise,
    subscribe: async (...uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
      subscriptions.push(...uris);
    },
    unsubscribe: async () => {
      for (const uri of subscriptions.splice(0)) await client.unsubscribeResource({ uri });
    },
    nextUpdate: () => arrivals.next(),
    updates: arrivals.waiting,
    close: () => client.close(),
  };
}

export const eras = [
  ['2026-07-28', connectModern],
  ['2025-11-25', connectLegacy],
] as const;
