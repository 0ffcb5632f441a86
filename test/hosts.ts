/** Real MCP clients of both protocol eras, each with a real server process behind a real pipe. */
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { z } from 'zod';

export const program = new URL('../dist/main.js', import.meta.url).pathname;

export interface Started {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const contentSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** What the tests need of a client, whatever its era. */
export interface Host {
  readonly era: string;
  readonly client: ModernClient | LegacyClient;
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  read(uri: string): Promise<unknown>;
  close(): Promise<void>;
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

export async function connectModern(started: Started = {}): Promise<Host> {
  const client = new ModernClient(
    { name: 'modern-host', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport(serverOf(started)));
  await client.listTools();
  return {
    era: '2026-07-28',
    client,
    call: async (name, args = {}) => called(await client.callTool({ name, arguments: args })),
    read: async (uri) => JSON.parse(textOf(await client.readResource({ uri }))),
    close: () => client.close(),
  };
}

export async function connectLegacy(started: Started = {}): Promise<Host> {
  const client = new LegacyClient({ name: 'legacy-host', version: '1' });
  await client.connect(new LegacyTransport(serverOf(started)));
  // From the list on, the client checks every structured result against the schema that it was shown.
  await client.listTools();
  return {
    era: '2025-11-25',
    client,
    call: async (name, args = {}) => called(await client.callTool({ name, arguments: args })),
    read: async (uri) => JSON.parse(textOf(await client.readResource({ uri }))),
    close: () => client.close(),
  };
}

export const eras = [
  ['2026-07-28', connectModern],
  ['2025-11-25', connectLegacy],
] as const;
