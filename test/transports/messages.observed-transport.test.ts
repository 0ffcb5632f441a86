import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { ObservedTransport } from '../../src/transports/messages.ts';
import { notification, request, response, ScriptedTransport } from './scripted-transport.helper.ts';

function observed() {
  const inner = new ScriptedTransport();
  const transport = new ObservedTransport(inner);
  const received: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error);
  return { inner, transport, received, errors };
}

test('without observers an observed transport passes everything on, in both directions', async () => {
  const { inner, transport, received, errors } = observed();
  let hasClosed = false;
  transport.onclose = () => {
    hasClosed = true;
  };
  await transport.start();
  expect(inner.isStarted).toBe(true);
  expect(transport.sessionId).toBe('session 1');
  transport.setProtocolVersion('2025-11-25');
  transport.setSupportedProtocolVersions(['2025-11-25', '2025-06-18']);
  expect(inner.versions).toEqual([['2025-11-25'], ['2025-11-25', '2025-06-18']]);
  inner.onmessage?.(request(1));
  expect(received).toEqual([request(1)]);
  await transport.send(response(1), { relatedRequestId: 1 });
  expect(inner.sent).toEqual([response(1)]);
  expect(inner.options).toEqual([{ relatedRequestId: 1 }]);
  inner.onerror?.(new Error('broken'));
  expect(errors).toMatchObject([{ message: 'broken' }]);
  await transport.close();
  expect(hasClosed).toBe(true);
});

test('an observer sees a message before the server gets it, and each sent message before and after it is sent', async () => {
  const { inner, transport, received } = observed();
  const events: unknown[] = [];
  transport.observe({
    onReceive: (message) => {
      events.push(['receive', message, received.length]);
      return undefined;
    },
    onSend: (message) => events.push(['send', message, inner.sent.length]),
    onSent: (message) => events.push(['sent', message, inner.sent.length]),
  });
  inner.onmessage?.(request(1));
  await transport.send(response(1));
  expect(events).toEqual([
    ['receive', request(1), 0],
    ['send', response(1), 0],
    ['sent', response(1), 1],
  ]);
});

test('a message that an observer refuses is answered with the error, and all observers but not the server see it', async () => {
  const { inner, transport, received } = observed();
  const seen: JSONRPCMessage[] = [];
  const answered: JSONRPCMessage[] = [];
  const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } } as const;
  transport.observe({ onReceive: (message) => ('id' in message && message.id === 1 ? refusal : undefined) });
  transport.observe({
    onReceive: (message) => {
      seen.push(message);
      return undefined;
    },
    onSend: (message) => answered.push(message),
  });
  inner.onmessage?.(request(1));
  inner.onmessage?.(request(2));
  expect(received).toEqual([request(2)]);
  expect(seen).toEqual([request(1), request(2)]);
  expect(inner.sent).toEqual([refusal]);
  expect(answered).toEqual([refusal]);
});

test.each([
  ['before', [0, 1]],
  ['after', [1, 0]],
])(
  'a deferred message is not sent, and an observer that was added %s the deferring one sees it only once it is sent',
  async (_, order) => {
    const { inner, transport } = observed();
    let isDeferring = true;
    const seen: JSONRPCMessage[] = [];
    const observers = [
      {
        onSend: (message: JSONRPCMessage) => seen.push(message),
        onSent: (message: JSONRPCMessage) => seen.push(message),
      },
      { defer: () => isDeferring },
    ];
    for (const index of order) transport.observe(observers[index] ?? {});
    await transport.send(notification('changed'));
    expect([inner.sent, seen]).toEqual([[], []]);
    isDeferring = false;
    await transport.send(notification('changed'));
    expect(inner.sent).toEqual([notification('changed')]);
    expect(seen).toEqual([notification('changed'), notification('changed')]);
  },
);

test('an observer learns of the end of a send that failed, and the caller gets the error', async () => {
  const { inner, transport } = observed();
  const sent: JSONRPCMessage[] = [];
  transport.observe({ onSent: (message) => sent.push(message) });
  inner.failure = new Error('EPIPE');
  await expect(transport.send(response(1))).rejects.toThrow('EPIPE');
  expect(sent).toEqual([response(1)]);
});

test('a refusal that cannot be sent is reported as an error', async () => {
  const { inner, transport, errors } = observed();
  transport.observe({
    onReceive: () => ({ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } }),
  });
  inner.failure = new Error('EPIPE');
  inner.onmessage?.(request(1));
  await expect.poll(() => errors).toMatchObject([{ message: 'EPIPE' }]);
});

test('an error that an observer throws is reported, and the server does not get the message', () => {
  const { inner, transport, received, errors } = observed();
  transport.observe({
    onReceive: () => {
      throw new Error('bug');
    },
  });
  inner.onmessage?.(request(1));
  expect(errors).toMatchObject([{ message: 'bug' }]);
  expect(received).toEqual([]);
});

test('a message that this program delivers passes the observers like one from the host', () => {
  const { transport, received } = observed();
  const seen: JSONRPCMessage[] = [];
  transport.observe({
    onReceive: (message) => {
      seen.push(message);
      return undefined;
    },
  });
  transport.deliver(response(1));
  expect(seen).toEqual([response(1)]);
  expect(received).toEqual([response(1)]);
});
