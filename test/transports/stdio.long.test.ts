import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { program } from '../hosts.helper.ts';

type Server = ChildProcessByStdio<Writable, Readable, null>;

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const frame = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.number().nullable(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number() }).optional(),
});

const startServer = (): Server =>
  spawn(process.execPath, [program, '--demo'], { stdio: ['pipe', 'pipe', 'inherit'] });

const send = ({ stdin }: Server, message: object) =>
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Returns a function that reads the next frame of the server. */
const framesOf = ({ stdout }: Server) => {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value } = await lines.next();
    return frame.parse(JSON.parse(value));
  };
};

const procOf = ({ pid }: Server, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8');

/** The peak memory of the server in MiB. */
const peakOf = async (server: Server) =>
  Number(/VmHWM:\s+(\d+)/.exec(await procOf(server, 'status'))?.[1]) / 1024;

test('a message that is too long is refused, and the server continues', {
  timeout: 60_000,
}, async () => {
  const server = startServer();
  const next = framesOf(server);
  send(server, initialize);
  expect(await next()).toMatchObject({ id: 0 });
  const text = 'x'.repeat(2 ** 24);
  send(server, { id: 1, method: 'tools/call', params: { name: text } });
  expect(await next(), 'its id is in what was not kept').toMatchObject({ id: null, error: { code: -32600 } });
  send(server, { id: 4, method: 'ping' });
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
  server.stdin.end();
  expect(await once(server, 'exit')).toEqual([0, null]);
});

test.skipIf(!existsSync('/proc/self/status'))(
  'a line without an end costs no more memory than the longest message',
  { timeout: 60_000 },
  async () => {
    const server = startServer();
    const next = framesOf(server);
    send(server, initialize);
    await next();
    const usual = await peakOf(server);
    const piece = Buffer.alloc(2 ** 20, 'x');
    for (let sent = 0; sent < 300; sent += 1)
      if (!server.stdin.write(piece)) await once(server.stdin, 'drain');
    server.stdin.write('\n');
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await peakOf(server)).toBeLessThan(usual + 150);
    server.stdin.end();
    await once(server, 'exit');
  },
);
