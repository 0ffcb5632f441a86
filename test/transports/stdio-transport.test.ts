import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import {
  MAX_CONCURRENT,
  MAX_WAITING_BYTES,
  StdioTransport,
  type StdioTransportOptions,
} from '../../src/transports/stdio-transport.ts';

/** A host that stops and starts reading when the test says so. */
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

async function start(options: Pick<StdioTransportOptions, 'prepare'> = {}) {
  const input = new PassThrough();
  const host = new Host();
  const transport = new StdioTransport({ input, output: host, ...options });
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
    async send(...messages: unknown[]) {
      input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await quiet();
    },
    ids: () => seen.flatMap((message) => ('id' in message && 'method' in message ? [message.id] : [])),
    answer: (id: number) => transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(200) } }),
  };
}

/** Resolves after everything that needs no further input has happened. */
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
  test('while the host does not read, at most the allowed number of requests starts, and all of them when it reads again', async () => {
    const { host, transport, ids, send, answer } = await start();
    host.stopReading();
    await send(...requests(200));
    expect(ids()).toEqual(upTo(MAX_CONCURRENT));
    void answer(0);
    void answer(1);
    await quiet();
    expect(ids(), 'an answer that has not left still counts').toEqual(upTo(MAX_CONCURRENT));
    host.startReading();
    await quiet();
    expect(ids()).toEqual(upTo(MAX_CONCURRENT + 2));
    for (let id = 2; id < 200; id += 1) {
      await answer(id);
      await quiet();
    }
    expect(ids()).toEqual(upTo(200));
    await transport.allAnswered();
  });

  test('no request starts while the output is full, even if few are in progress', async () => {
    const { host, ids, send, answer } = await start();
    host.stopReading();
    await send(request(0));
    void answer(0);
    await send(request(1));
    expect(ids()).toEqual([0]);
    host.startReading();
    await quiet();
    expect(ids()).toEqual([0, 1]);
  });

  test('while the host does not read, at most a megabyte of requests is read', async () => {
    const { host, input, send } = await start();
    host.stopReading();
    const line = Buffer.from(`${JSON.stringify(request(0, 'tools/call', { text: 'x'.repeat(2 ** 16) }))}\n`);
    await send(...requests(MAX_CONCURRENT));
    let written = 0;
    while (written < 100 && !input.writableNeedDrain) {
      input.write(line);
      written += 1;
      await quiet();
    }
    expect(written).toBeLessThan(2 * (MAX_WAITING_BYTES / line.length));
    expect(written).toBeGreaterThan(MAX_WAITING_BYTES / line.length - 2);
  });

  test('a waiting request that is cancelled does not start', async () => {
    const { host, ids, send, answer, transport } = await start();
    host.stopReading();
    await send(...requests(MAX_CONCURRENT + 2), cancel(MAX_CONCURRENT));
    host.startReading();
    for (let id = 0; id < MAX_CONCURRENT; id += 1) await answer(id);
    await answer(MAX_CONCURRENT + 1);
    await transport.allAnswered();
    expect(ids()).toEqual([...upTo(MAX_CONCURRENT), MAX_CONCURRENT + 1]);
  });

  test('a refused line is answered before the next line is read', async () => {
    const { host, input, send, ids } = await start();
    host.stopReading();
    input.write('no JSON\n'.repeat(1_000));
    await send(request(1));
    expect(host.writableLength).toBeLessThan(1_000);
    expect(ids()).toEqual([]);
    host.startReading();
    while (ids().length === 0) await quiet();
    expect(host.read).toHaveLength(1_000);
  });
});

describe('with the largest number of requests in progress', () => {
  test('a cancelled request makes room for the next one', async () => {
    const { ids, send } = await start();
    await send(...requests(MAX_CONCURRENT + 1), cancel(3));
    expect(ids()).toEqual(upTo(MAX_CONCURRENT + 1));
  });

  test('responses of the host are delivered, because all requests may wait for them', async () => {
    const { seen, send } = await start();
    const response = { jsonrpc: '2.0', id: 'question', result: { action: 'accept' } };
    await send(...requests(MAX_CONCURRENT + 1), response);
    expect(seen.at(-1)).toEqual(response);
  });

  test('a ping is delivered although the largest number of requests is in progress', async () => {
    const { ids, send } = await start();
    await send(...requests(MAX_CONCURRENT + 1), request(1_000, 'ping'));
    expect(ids().at(-1)).toBe(1_000);
  });
});

test('a second request with the same id waits until the first is answered', async () => {
  const { seen, send, answer } = await start();
  await send(request(1, 'first'), request(1, 'second'));
  expect(seen).toMatchObject([{ method: 'first' }]);
  await answer(1);
  await quiet();
  expect(seen).toMatchObject([{ method: 'first' }, { method: 'second' }]);
});

describe('requests that something is prepared for', () => {
  /** Requests of the method `first` need no preparation. The test ends each preparation. */
  async function startPreparing() {
    const preparations: { resolve(): void; reject(error: Error): void }[] = [];
    let isPrepared = false;
    const started = await start({
      prepare: ({ method }) => {
        if (isPrepared || method === 'first') return undefined;
        return new Promise<void>((resolve, reject) => {
          preparations.push({
            resolve: () => {
              isPrepared = true;
              resolve();
            },
            reject,
          });
        });
      },
    });
    return { ...started, preparations };
  }

  test('requests wait for the preparation, in their order, and it is begun once', async () => {
    const { ids, send, preparations } = await startPreparing();
    await send(request(0, 'first'), request(1), request(2), request(3, 'first'));
    expect(ids()).toEqual([0]);
    expect(preparations).toHaveLength(1);
    preparations[0]?.resolve();
    await quiet();
    expect(ids()).toEqual([0, 1, 2, 3]);
  });

  test('notifications and pings do not wait for the preparation', async () => {
    const { seen, ids, send } = await startPreparing();
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await send(request(1), notification, request(2, 'ping'));
    expect(seen).toContainEqual(notification);
    expect(ids()).toEqual([2]);
  });

  test('a request that is cancelled while it is prepared for does not start', async () => {
    const { ids, send, preparations, transport, answer } = await startPreparing();
    await send(request(1), request(2), cancel(1));
    preparations[0]?.resolve();
    await quiet();
    expect(ids()).toEqual([2]);
    await answer(2);
    await transport.allAnswered();
  });

  test('a request whose preparation fails is refused without the reason, and the next one is prepared for again', async () => {
    const { host, ids, errors, send, preparations } = await startPreparing();
    await send(request(1), request(2));
    preparations[0]?.reject(new Error('A file is missing.'));
    await quiet();
    expect(host.read).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringMatching(/^Internal error/) } },
    ]);
    expect(errors.map(({ message }) => message)).toEqual(['A file is missing.']);
    expect(ids()).toEqual([]);
    preparations[1]?.resolve();
    await quiet();
    expect(ids()).toEqual([2]);
  });

  test('an expected error of the preparation is answered with the next step', async () => {
    const { host, send, preparations } = await startPreparing();
    await send(request(1));
    preparations[0]?.reject(new BudgetError('program_replaced', 'Files were replaced.'));
    await quiet();
    expect(host.read).toMatchObject([
      { id: 1, error: { message: expect.stringMatching(/^Files were replaced\. .*restart/) } },
    ]);
  });

  test('a request that waits for the preparation counts as not answered when the input ends', async () => {
    const { input, send, preparations, transport, answer } = await startPreparing();
    await send(request(1));
    input.end();
    await transport.ended;
    let isAnswered = false;
    const answered = transport.allAnswered().then(() => {
      isAnswered = true;
    });
    preparations[0]?.resolve();
    await quiet();
    expect(isAnswered).toBe(false);
    await answer(1);
    await answered;
  });
});

test.each<[string, unknown, object]>([
  ['null', null, {}],
  ['an object', { month: 'current' }, { arguments: { month: 'current' } }],
  ['the JSON text of an object', '{"month":"current"}', { arguments: { month: 'current' } }],
  ['the JSON text of anything else', '["current"]', { arguments: '["current"]' }],
  ['any other text', 'current', { arguments: 'current' }],
])('%s as the arguments of a request arrives as the SDK takes it', async (_, given, arrives) => {
  const { seen, send } = await start();
  const params = { name: 'first', _meta: { progressToken: 1 } };
  const [sent, arrived] = [
    { ...params, arguments: given },
    { ...params, ...arrives },
  ];
  await send(request(1, 'tools/call', sent), [request(2, 'prompts/get', sent)]);
  expect(seen).toEqual([request(1, 'tools/call', arrived), request(2, 'prompts/get', arrived)]);
});

test('arguments as text are refused if they are nested too deeply', async () => {
  const { host, send } = await start();
  await send(request(1, 'tools/call', { arguments: `{"rows":${'['.repeat(100)}${']'.repeat(100)}}` }));
  expect(host.read).toMatchObject([{ id: 1, error: { message: 'The message is nested too deeply.' } }]);
});

describe('a line that is not a message', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test.each<[string, string, number, number | string | null]>([
    ['no JSON', '{"jsonrpc":', -32700, null],
    ['a number', '5', -32600, null],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
    ['a method that is no text', '{"jsonrpc":"2.0","id":"a","method":7}', -32600, 'a'],
    ['an id that is no id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['null', 'null', -32600, null],
    ['nested too deeply', `{"jsonrpc":"2.0","id":2,"method":"x","params":{"a":${nested(64)}}}`, -32600, 2],
    ['nested a million times', nested(1_000_000), -32600, null],
  ])(
    'a line that is not a message is answered with an error, and the next one is read: %s',
    async (_, line, code, id) => {
      const { host, input, ids, send } = await start();
      input.write(`${line}\n`);
      await send(request(3));
      expect(host.read).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }]);
      expect(ids()).toEqual([3]);
    },
  );

  test('each message of a batch is handled for itself', async () => {
    const { host, input, ids, send } = await start();
    input.write(`${JSON.stringify([request(1), 5, request(2)])}\n`);
    await send(request(3));
    expect(host.read).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    expect(ids()).toEqual([1, 2, 3]);
  });

  test.each([
    ['an empty batch', []],
    ['a batch of more than 100 messages', requests(101)],
  ])('%s is answered with one error', async (_, batch) => {
    const { host, ids, send } = await start();
    await send(batch);
    await send(request(3));
    expect(host.read).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    expect(ids()).toEqual([3]);
  });

  test.each(['{"jsonrpc":"2.0","id":1,"error":5}', '{"id":null,"error":{"code":1,"message":"no"}}'])(
    'an invalid response is not answered: %s',
    async (line) => {
      const { host, input, errors, ids, send } = await start();
      input.write(`${line}\n`);
      await send(request(3));
      expect(host.read).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(ids()).toEqual([3]);
    },
  );

  test.each(['', '  ', '\r'])('an empty line is ignored: %j', async (line) => {
    const { host, input, ids, send } = await start();
    input.write(`${line}\n`);
    await send(request(3));
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
