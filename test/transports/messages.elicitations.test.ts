import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { dismissibleElicitations, ObservedTransport } from '../../src/transports/messages.ts';
import { cancellation, request, response, ScriptedTransport } from './scripted-transport.helper.ts';

function started() {
  const host = new ScriptedTransport();
  const transport = new ObservedTransport(host);
  const dismissElicitations = dismissibleElicitations(transport);
  const received: JSONRPCMessage[] = [];
  transport.onmessage = (message) => received.push(message);
  return { host, transport, dismissElicitations, received };
}

const dismissed = (id: number) => ({ jsonrpc: '2.0', id, result: { action: 'cancel' } });

test('while answers can come, the server gets only what the host answers', async () => {
  const { host, transport, received } = started();
  await transport.send(request(1));
  expect(received).toEqual([]);
  host.onmessage?.(response(1));
  expect(received).toEqual([response(1)]);
});

test('once no answer can come, every pending question is dismissed', async () => {
  const { transport, dismissElicitations, received } = started();
  await transport.send(request(1));
  await transport.send(request(2));
  dismissElicitations();
  expect(received).toEqual([dismissed(1), dismissed(2)]);
});

test('a question that was answered or cancelled is not dismissed', async () => {
  const { host, transport, dismissElicitations, received } = started();
  await transport.send(request(1));
  await transport.send(request(2));
  host.onmessage?.(response(1));
  await transport.send(cancellation(2));
  dismissElicitations();
  expect(received).toEqual([response(1)]);
});

test('a question that is sent after the end is dismissed as soon as it is sent', async () => {
  const { host, transport, dismissElicitations, received } = started();
  dismissElicitations();
  await transport.send(request(1));
  expect(host.sent).toEqual([request(1)]);
  expect(received).toEqual([dismissed(1)]);
});

test('a question is dismissed only once', async () => {
  const { transport, dismissElicitations, received } = started();
  await transport.send(request(1));
  dismissElicitations();
  dismissElicitations();
  await transport.send(response(9));
  expect(received).toEqual([dismissed(1)]);
});
