import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { StdioTransport, type StdioTransportOptions } from '../../src/transports/stdio-transport.ts';

async function start(options: Pick<StdioTransportOptions, 'prepare'> = {}) {
  const input = new PassThrough();
  const read: unknown[] = [];
  const host = new Writable({
    write(chunk: Buffer, _, done) {
      read.push(JSON.parse(chunk.toString()));
      done();
    },
  });
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
    read,
    input,
    errors,
    seen,
    async send(...messages: unknown[]) {
      input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await quiet();
    },
    ids: () => seen.flatMap((message) => ('id' in message && 'method' in message ? [message.id] : [])),
    answer: (id: number) => transport.send({ jsonrpc: '2.0', id, result: {} }),
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
    const { read, ids, errors, send, preparations } = await startPreparing();
    await send(request(1), request(2));
    preparations[0]?.reject(new Error('A file is missing.'));
    await quiet();
    expect(read).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringMatching(/^Internal error/) } },
    ]);
    expect(errors.map(({ message }) => message)).toEqual(['A file is missing.']);
    expect(ids()).toEqual([]);
    preparations[1]?.resolve();
    await quiet();
    expect(ids()).toEqual([2]);
  });

  test('an expected error of the preparation is answered with the next step', async () => {
    const { read, send, preparations } = await startPreparing();
    await send(request(1));
    preparations[0]?.reject(new BudgetError('program_replaced', 'Files were replaced.'));
    await quiet();
    expect(read).toMatchObject([
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
  const { read, send } = await start();
  await send(request(1, 'tools/call', { arguments: `{"rows":${'['.repeat(100)}${']'.repeat(100)}}` }));
  expect(read).toMatchObject([{ id: 1, error: { message: 'The message is nested too deeply.' } }]);
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
      const { read, input, ids, send } = await start();
      input.write(`${line}\n`);
      await send(request(3));
      expect(read).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }]);
      expect(ids()).toEqual([3]);
    },
  );

  test('each message of a batch is handled for itself', async () => {
    const { read, input, ids, send } = await start();
    input.write(`${JSON.stringify([request(1), 5, request(2)])}\n`);
    await send(request(3));
    expect(read).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    expect(ids()).toEqual([1, 2, 3]);
  });

  test.each([
    ['an empty batch', []],
    ['a batch of more than 100 messages', requests(101)],
  ])('%s is answered with one error', async (_, batch) => {
    const { read, ids, send } = await start();
    await send(batch);
    await send(request(3));
    expect(read).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    expect(ids()).toEqual([3]);
  });

  test.each(['{"jsonrpc":"2.0","id":1,"error":5}', '{"id":null,"error":{"code":1,"message":"no"}}'])(
    'an invalid response is not answered: %s',
    async (line) => {
      const { read, input, errors, ids, send } = await start();
      input.write(`${line}\n`);
      await send(request(3));
      expect(read).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(ids()).toEqual([3]);
    },
  );

  test.each(['', '  ', '\r'])('an empty line is ignored: %j', async (line) => {
    const { read, input, ids, send } = await start();
    input.write(`${line}\n`);
    await send(request(3));
    expect(read).toEqual([]);
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
