import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AT_ONCE, MAX_WAITING_BYTES, StdioTransport } from '../../../src/transports/stdio/stdio-transport.ts';

/** A host that reads what the server writes only when it is told to. */
class Host extends Writable {
  readonly read: unknown[] = [];
  #isReading = true;
  #go = () => {};

  constructor() {
    super({ highWaterMark: 100 });
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const take = () => {
      this.read.push(JSON.parse(chunk.toString()));
      done();
    };
    if (this.#isReading) take();
    else this.#go = take;
  }

  stopReading(): void {
    this.#isReading = false;
  }

  startReading(): void {
    this.#isReading = true;
    this.#go();
  }
}

async function start() {
  const input = new PassThrough();
  const host = new Host();
  const transport = new StdioTransport({ input, output: host });
  const seen: JSONRPCMessage[] = [];
  transport.onmessage = (message) => seen.push(message);
  const errors: Error[] = [];
  transport.onerror = (error) => errors.push(error);
  await transport.start();
  onTestFinished(() => transport.close());
  return {
    transport,
    host,
    input,
    errors,
    seen,
    async say(...messages: unknown[]) {
      input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await quiet();
    },
    ids: () => seen.flatMap((message) => ('id' in message && 'method' in message ? [message.id] : [])),
    answer: (id: number) => transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(200) } }),
  };
}

/** All that can happen without anybody doing anything has happened. */
async function quiet() {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

const request = (id: number, method = 'tools/call', params = {}) => ({ jsonrpc: '2.0', id, method, params });
const requests = (count: number) => Array.from({ length: count }, (_, id) => request(id));
const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);

describe('while the host does not read', () => {
  test('no more requests are begun than may be under way, and all of them once it reads', async () => {
    const { host, transport, ids, say, answer } = await start();
    host.stopReading();
    await say(...requests(200));
    expect(ids()).toEqual(upTo(AT_ONCE));
    void answer(0);
    void answer(1);
    await quiet();
    expect(ids(), 'an answer that has not left leaves no place').toEqual(upTo(AT_ONCE));
    host.startReading();
    await quiet();
    expect(ids()).toEqual(upTo(AT_ONCE + 2));
    for (let id = 2; id < 200; id += 1) {
      await answer(id);
      await quiet();
    }
    expect(ids()).toEqual(upTo(200));
    await transport.allAnswered();
  });

  test('no request is begun as long as the output is full, even where few are under way', async () => {
    const { host, ids, say, answer } = await start();
    host.stopReading();
    await say(request(0));
    void answer(0);
    await say(request(1));
    expect(ids()).toEqual([0]);
    host.startReading();
    await quiet();
    expect(ids()).toEqual([0, 1]);
  });

  test('not more than a megabyte of requests is read', async () => {
    const { host, input, say } = await start();
    host.stopReading();
    const line = Buffer.from(`${JSON.stringify(request(0, 'tools/call', { text: 'x'.repeat(2 ** 16) }))}\n`);
    await say(...requests(AT_ONCE));
    let written = 0;
    while (written < 100 && !input.writableNeedDrain) {
      input.write(line);
      written += 1;
      await quiet();
    }
    expect(written).toBeLessThan(2 * (MAX_WAITING_BYTES / line.length));
    expect(written).toBeGreaterThan(MAX_WAITING_BYTES / line.length - 2);
  });

  test('a request that waits can be cancelled, and is then not begun', async () => {
    const { host, ids, say, answer, transport } = await start();
    host.stopReading();
    await say(...requests(AT_ONCE + 2), cancel(AT_ONCE));
    host.startReading();
    for (let id = 0; id < AT_ONCE; id += 1) await answer(id);
    await answer(AT_ONCE + 1);
    await transport.allAnswered();
    expect(ids()).toEqual([...upTo(AT_ONCE), AT_ONCE + 1]);
  });

  test('a refused line is answered before the next line is read', async () => {
    const { host, input, say, ids } = await start();
    host.stopReading();
    input.write('no JSON\n'.repeat(1_000));
    await say(request(1));
    expect(host.writableLength).toBeLessThan(1_000);
    expect(ids()).toEqual([]);
    host.startReading();
    while (ids().length === 0) await quiet();
    expect(host.read).toHaveLength(1_000);
  });
});

describe('while as many requests are under way as may be', () => {
  test('a cancelled one leaves its place to the next', async () => {
    const { ids, say } = await start();
    await say(...requests(AT_ONCE + 1), cancel(3));
    expect(ids()).toEqual(upTo(AT_ONCE + 1));
  });

  test('answers of the host are heard, since they may be what all others wait for', async () => {
    const { seen, say } = await start();
    const response = { jsonrpc: '2.0', id: 'question', result: { action: 'accept' } };
    await say(...requests(AT_ONCE + 1), response);
    expect(seen.at(-1)).toEqual(response);
  });

  test('a ping is answered', async () => {
    const { ids, say } = await start();
    await say(...requests(AT_ONCE + 1), request(1_000, 'ping'));
    expect(ids().at(-1)).toBe(1_000);
  });
});

test('of two requests with one id the second waits until the first is answered', async () => {
  const { seen, say, answer } = await start();
  await say(request(1, 'first'), request(1, 'second'));
  expect(seen).toMatchObject([{ method: 'first' }]);
  await answer(1);
  await quiet();
  expect(seen).toMatchObject([{ method: 'first' }, { method: 'second' }]);
});

describe('a line that is no message', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test.each<[string, string, number, number | string | null]>([
    ['no JSON', '{"jsonrpc":', -32700, null],
    ['a number', '5', -32600, null],
    ['a batch', `[${JSON.stringify(request(1))}]`, -32600, null],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
    ['a method that is no text', '{"jsonrpc":"2.0","id":"a","method":7}', -32600, 'a'],
    ['an id that is no id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['null', 'null', -32600, null],
    ['nested too deeply', `{"jsonrpc":"2.0","id":2,"method":"x","params":{"a":${nested(64)}}}`, -32600, 2],
    ['nested a million times', nested(1_000_000), -32600, null],
  ])('is answered with an error, and the next one is read: %s', async (_, line, code, id) => {
    const { host, input, ids, say } = await start();
    input.write(`${line}\n`);
    await say(request(3));
    expect(host.read).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }]);
    expect(ids()).toEqual([3]);
  });

  test.each(['{"jsonrpc":"2.0","id":1,"error":5}', '{"id":null,"error":{"code":1,"message":"no"}}'])(
    'is not answered where it is an answer itself: %s',
    async (line) => {
      const { host, input, errors, ids, say } = await start();
      input.write(`${line}\n`);
      await say(request(3));
      expect(host.read).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(ids()).toEqual([3]);
    },
  );

  test.each(['', '  ', '\r'])('is passed over where there is nothing in it: %j', async (line) => {
    const { host, input, ids, say } = await start();
    input.write(`${line}\n`);
    await say(request(3));
    expect(host.read).toEqual([]);
    expect(ids()).toEqual([3]);
  });
});

test('an output that fails closes the transport', async () => {
  const { transport, host, errors } = await start();
  let isClosed = false;
  transport.onclose = () => {
    isClosed = true;
  };
  host.destroy(new Error('EPIPE'));
  await transport.closed;
  expect(isClosed).toBe(true);
  expect(errors).toMatchObject([{ message: 'EPIPE' }]);
  await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('closed');
});
