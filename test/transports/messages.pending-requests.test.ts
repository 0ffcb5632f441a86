import { expect, test } from 'vitest';
import { PendingRequests } from '../../src/transports/messages.ts';
import { notification, request, response } from './scripted-transport.helper.ts';

/** The names of the promises that have resolved. */
async function resolvedOf(promises: Readonly<Record<string, Promise<boolean>>>): Promise<string[]> {
  const resolved: string[] = [];
  for (const [name, promise] of Object.entries(promises)) void promise.then(() => resolved.push(name));
  await new Promise((resolve) => setImmediate(resolve));
  return resolved;
}

test('a request is pending from when it is added until it is removed, and its promise resolves then', async () => {
  const pending = new PendingRequests();
  const first = pending.add(1);
  const second = pending.add('a');
  expect(pending.ids).toEqual([1, 'a']);
  pending.remove(1);
  expect(pending.has(1)).toBe(false);
  expect(pending.has('a')).toBe(true);
  expect(await resolvedOf({ first, second })).toEqual(['first']);
});

test('a response removes the request with its id, whether it is a result or an error', () => {
  const pending = new PendingRequests();
  for (const id of [1, 2, 3]) void pending.add(id);
  pending.removeAnswered(response(1));
  pending.removeAnswered({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'no' } });
  expect(pending.ids).toEqual([3]);
});

test('a request or a notification removes no pending request', () => {
  const pending = new PendingRequests();
  void pending.add(1);
  pending.removeAnswered(request(1));
  pending.removeAnswered(notification('changed'));
  expect(pending.ids).toEqual([1]);
});

test('the ids 1 and "1" are different requests', () => {
  const pending = new PendingRequests();
  void pending.add(1);
  pending.remove('1');
  expect(pending.ids).toEqual([1]);
});

test('a second request with the same id replaces the first, whose promise resolves', async () => {
  const pending = new PendingRequests();
  const first = pending.add(1);
  const second = pending.add(1);
  expect(pending.ids).toEqual([1]);
  expect(await resolvedOf({ first, second })).toEqual(['first']);
});

test('removing all requests resolves every promise', async () => {
  const pending = new PendingRequests();
  const promises = { first: pending.add(1), second: pending.add(2) };
  pending.removeAll();
  expect(pending.ids).toEqual([]);
  expect(await resolvedOf(promises)).toEqual(['first', 'second']);
});

test('removing a request that is not pending changes nothing', () => {
  const pending = new PendingRequests();
  void pending.add(1);
  pending.remove(2);
  pending.remove(undefined);
  expect(pending.ids).toEqual([1]);
});
