/** Real MCP clients of both protocol eras, each with a server process of its own behind a pipe, or with one by HTTP. */
import {
  type FetchLike,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttpTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { Arrivals } from './arrivals.ts';

export const program = new URL('../dist/main.js', import.meta.url).pathname;

type Action = 'accept' | 'decline' | 'cancel';

/** What a person answers to a question that a host shows; where it throws, the host answers with an error. */
export type Person = (question: string) => Action | Promise<Action>;

export interface Started {
  /** A server that listens there, in place of one that is started. */
  readonly http?: { readonly url: string; readonly token?: string; readonly fetch?: FetchLike };
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Who is asked; without anybody the host says that it cannot ask. */
  readonly person?: Person;
}

const contentSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

interface CallOptions {
  readonly onprogress?: (progress: { progress: number }) => void;
  readonly signal?: AbortSignal;
}

/** What the tests need of a client, whatever its era. */
export interface Host {
  readonly era: string;
  readonly client: ModernClient | LegacyClient;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>;
  read(uri: string): Promise<unknown>;
  /** Settles once the host is told that the tools are others now. */
  readonly toolsChanged: Promise<void>;
  /** Asks to be told when one of these resources says something else. */
  subscribe(...uris: string[]): Promise<void>;
  /** Takes back all that it has asked to be told of. */
  unsubscribe(): Promise<void>;
  /** The next resource that the host was told of and that nobody has asked for yet. */
  nextUpdate(): Promise<string>;
  /** Those that it was told of and that nobody has asked for yet. */
  readonly updates: readonly string[];
  close(): Promise<void>;
}

/** With a client that can leave the questions of the server to the test. */
export interface ModernHost extends Host {
  readonly client: ModernClient;
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

const serverOf = ({ args = ['serve', '--demo'], env = {} }: Started) => ({
  command: process.execPath,
  args: [program, ...args],
  env: { PATH: process.env['PATH'] ?? '', ...env },
});

const httpOf = ({ url, token, fetch }: NonNullable<Started['http']>) =>
  [
    new URL(url),
    {
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
      ...(fetch && { fetch }),
    },
  ] as const;

const capabilitiesOf = ({ person }: Started) => (person ? { elicitation: { form: {} } } : {});

const answerOf = async (person: Person, question: string) => {
  const action = await person(question);
  return action === 'accept' ? { action, content: {} } : { action };
};

/** Settles when `tell` is called for the first time. */
function news(): { readonly told: Promise<void>; tell(): void } {
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell: () => tell() };
}

export async function connectModern(started: Started = {}): Promise<ModernHost> {
  const { person, http } = started;
  const changed = news();
  const arrivals = new Arrivals<string>();
  const subscriptions: (() => Promise<void>)[] = [];
  const client = new ModernClient(
    { name: 'modern-host', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: capabilitiesOf(started),
      listChanged: { tools: { autoRefresh: false, onChanged: changed.tell } },
    },
  );
  if (person)
    client.setRequestHandler('elicitation/create', ({ params }) => answerOf(person, params.message));
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
    toolsChanged: changed.told,
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

export async function connectLegacy(started: Started = {}): Promise<Host> {
  const { person, http } = started;
  const changed = news();
  const arrivals = new Arrivals<string>();
  const subscriptions: string[] = [];
  const client = new LegacyClient(
    { name: 'legacy-host', version: '1' },
    { capabilities: capabilitiesOf(started) },
  );
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(person, params.message));
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed.tell);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => arrivals.add(params.uri));
  const transport = http ? new LegacyHttpTransport(...httpOf(http)) : new LegacyTransport(serverOf(started));
  await client.connect(transport);
  // From the list on, the client checks every structured result against the schema that it was shown.
  await client.listTools();
  return {
    era: '2025-11-25',
    client,
    call: async (name, args = {}, options) =>
      called(await client.callTool({ name, arguments: args }, undefined, options)),
    read: async (uri) => JSON.parse(textOf(await client.readResource({ uri }))),
    toolsChanged: changed.told,
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
