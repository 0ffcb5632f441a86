import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { program } from '../hosts.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { frame } from './arbitrary-frames.helper.ts';
import { cuts, pieces } from './pieces.helper.ts';

const protocolFrame = z.union([
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]),
    result: z.looseObject({}),
  }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
  z.strictObject({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.looseObject({}).optional() }),
]);

const lineOf = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The first messages of each era, and the last call. */
const eras = {
  '2025-11-25': {
    opening: {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    },
    call: { method: 'tools/call', params: { name: 'get_status', arguments: {} } },
  },
  '2026-07-28': {
    opening: { method: 'tools/list', params: { _meta: envelope } },
    call: { method: 'tools/call', params: { name: 'get_status', arguments: {}, _meta: envelope } },
  },
};

const era = fc.constantFrom(...Object.values(eras));

/** The server on streams, with the real tools and without a service. */
function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  const tokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'none' });
  const parts = {
    client: new BudgetClient({ tokens, sender, clock }),
    clock,
    log: { error: (details: object) => bugs.push(details) },
    version: '0.0.0',
    confirm: 'deletes' as const,
  };
  const bugs: object[] = [];
  const shared = createSharedState(parts);
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: string[] = [];
  createInterface({ input: output }).on('line', (line) => lines.push(line));
  const served = serveStdio(() => createServer(parts, shared), {
    clock,
    signal: new AbortController().signal,
    onError: () => {},
    load: async () => shared,
    input,
    output,
  });
  return { input, lines, bugs, served, close: () => sender.close() };
}

test('after any input a call is answered, only protocol frames are written, and every request ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      era,
      fc.boolean(),
      fc.array(frame, { minLength: 1, maxLength: 8 }),
      cuts,
      async ({ opening, call }, isLate, frames, at) => {
        const { input, lines, bugs, served, close } = start();
        const junk = Buffer.concat(frames.flatMap((each) => [each, Buffer.from('\n')]));
        const first = lineOf({ id: 1_000, ...opening });
        const last = lineOf({ id: 1_001, ...call });
        const all = isLate ? [junk, first, last] : [first, junk, last];
        for (const piece of pieces(Buffer.concat(all), at)) input.write(piece);
        input.end();
        // If every request was answered, this resolves without advancing the clock.
        await served;
        await close();
        const written = lines.map((line) => protocolFrame.parse(JSON.parse(line)));
        const ids = written.flatMap((each) => ('id' in each ? [each.id] : []));
        expect(ids.filter((id) => id === 1_001)).toHaveLength(1);
        expect(bugs).toEqual([]);
      },
    ),
    { numRuns: fuzzRuns(150) },
  );
});

test('after any input the program answers a call and writes only protocol frames', async () => {
  const server = spawn(process.execPath, [program, '--demo', '--log-level', 'silent'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const answerTo = async (id: number) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('The program has ended.');
      const answer = protocolFrame.parse(JSON.parse(value));
      if ('id' in answer && answer.id === id) return answer;
    }
  };
  const { opening, call } = eras['2025-11-25'];
  server.stdin.write(lineOf({ id: 1_000, ...opening }));
  await answerTo(1_000);
  let id = 1_000;
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
      id += 1;
      for (const each of frames) server.stdin.write(Buffer.concat([each, Buffer.from('\n')]));
      server.stdin.write(lineOf({ id, ...call }));
      expect(await answerTo(id)).toMatchObject({ result: { content: [expect.anything()] } });
    }),
    { numRuns: fuzzRuns(100) },
  );
  server.stdin.end();
  expect(await once(server, 'exit')).toEqual([0, null]);
});
