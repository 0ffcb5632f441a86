import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { program } from '../hosts.helper.ts';

/** An answer has about 400 kB, and several times that in memory. Without backpressure, 500 answers take five times the usual memory. */
const TIMES = 3.5;

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

/** Resolves when the server is idle. Measuring too early could only hide that it needs too much memory. */
async function idle(server: Server): Promise<void> {
  const spent = async () => (await procOf(server, 'stat')).split(' ').slice(13, 15).join();
  for (let same = 0, last = ''; same < 5; ) {
    await setTimeout(100);
    const now = await spent();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

test.skipIf(!existsSync('/proc/self/status'))(
  'a host that does not read costs little memory, and gets all answers when it reads again',
  { timeout: 120_000 },
  async () => {
    const server = startServer();
    send(server, initialize);
    const call = { method: 'tools/call', params: { name: 'list_transactions', arguments: { limit: 500 } } };
    const next = framesOf(server);
    // Loads the budget before anything is measured.
    for (const id of [1, 2, 3]) send(server, { ...call, id });
    for (let read = 0; read < 4; read += 1) await next();
    const usual = await peakOf(server);
    server.stdout.pause();
    const ids = Array.from({ length: 500 }, (_, i) => i + 10);
    for (const id of ids) send(server, { ...call, id });
    await idle(server);
    expect(await peakOf(server)).toBeLessThan(TIMES * usual);

    server.stdout.resume();
    const answered = new Set<number | null>();
    while (answered.size < ids.length) {
      const { id, result } = await next();
      expect(result).toBeDefined();
      answered.add(id);
    }
    expect([...answered].toSorted((a, b) => Number(a) - Number(b))).toEqual(ids);
    expect(await peakOf(server), 'catching up does not cost much either').toBeLessThan(TIMES * usual);
    server.stdin.end();
    expect(await once(server, 'exit')).toEqual([0, null]);
  },
);

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
