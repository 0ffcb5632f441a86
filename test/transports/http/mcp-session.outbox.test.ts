import { expect, test } from 'vitest';
import { createOutbox } from '../../../src/transports/http/mcp-session.ts';
import { ObservedTransport } from '../../../src/transports/messages.ts';
import { notification, request, response, ScriptedTransport } from '../scripted-transport.helper.ts';

function started() {
  const host = new ScriptedTransport();
  const transport = new ObservedTransport(host);
  const outbox = createOutbox(transport);
  return { host, transport, outbox };
}

const never = new Promise<void>(() => {});

test('without a stream, notifications wait until one is opened, each once and in order', async () => {
  const { host, transport, outbox } = started();
  for (const method of ['a', 'b', 'a']) await transport.send(notification(method));
  expect(host.sent).toEqual([]);
  await outbox.open(never);
  expect(host.sent).toEqual([notification('a'), notification('b')]);
});

test('while a stream is open, notifications are sent at once', async () => {
  const { host, transport, outbox } = started();
  await outbox.open(never);
  await transport.send(notification('a'));
  expect(host.sent).toEqual([notification('a')]);
});

test('responses and messages that belong to a call never wait for a stream', async () => {
  const { host, transport } = started();
  await transport.send(response(1));
  await transport.send(request(2), { relatedRequestId: 1 });
  expect(host.sent).toEqual([response(1), request(2)]);
});

test('after the stream is closed or its host disconnects, notifications wait again', async () => {
  const { host, transport, outbox } = started();
  await outbox.open(never);
  outbox.close();
  await transport.send(notification('a'));
  expect(host.sent).toEqual([]);
  await outbox.open(Promise.resolve());
  expect(host.sent).toEqual([notification('a')]);
  await transport.send(notification('b'));
  expect(host.sent).toEqual([notification('a')]);
});

test('the end of an older stream does not close a newer one', async () => {
  const { host, transport, outbox } = started();
  const { promise, resolve } = withResolver();
  await outbox.open(promise);
  await outbox.open(never);
  resolve();
  await promise;
  await transport.send(notification('a'));
  expect(host.sent).toEqual([notification('a')]);
});

test('a notification whose stream closes before it is sent waits for the next stream', async () => {
  const { host, transport, outbox } = started();
  for (const method of ['a', 'b']) await transport.send(notification(method));
  transport.observe({ onSent: () => outbox.close() });
  await outbox.open(never);
  expect(host.sent).toEqual([notification('a')]);
  await outbox.open(never);
  expect(host.sent).toEqual([notification('a'), notification('b')]);
});

function withResolver() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
