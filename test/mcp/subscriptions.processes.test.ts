/** Subscriptions of one process, and writes of another one that shares its state. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { createSharedState } from '../../src/mcp/server.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { callOperation } from '../call-operation.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startSharing } from '../session/sharing-processes.helper.ts';

const SECOND = 1_000;

async function startSubscriber(cacheBytes = 2 ** 26) {
  const sharing = await startSharing();
  const { ledger, clock, passing, startProcess, requests } = sharing;
  const memory = new SharedMemory();
  const writing = startProcess(memory, { cacheBytes: 2 ** 26 });
  // Only the subscriber's timers are on this clock.
  const own = new ManualClock(clock.now());
  const subscriber = startProcess(memory, { cacheBytes, clock: own });
  const { subscriptions } = createSharedState({
    client: subscriber.client,
    clock: own,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes',
  });
  await passing(callOperation(writing.client, listPayees, {}));
  await passing(callOperation(subscriber.client, listPayees, {}));
  const notified = new Arrivals<string>();
  const uri = (path: string) => `budget://v1/budgets/${ledger.id}/${path}`;
  const subscribe = async (path: string) => {
    const subscription = subscriptions.subscribe(uri(path), notified.add);
    onTestFinished(() => subscription.end());
    await subscription.ready;
    return subscription;
  };
  return { ...sharing, writing, subscriber, own, notified, uri, subscribe, sentRequests: requests };
}

describe('subscriptions of a process that shares its state', () => {
  it('hear of a write of another process within a second, without a call and without a request', async () => {
    const { writing, own, notified, uri, subscribe, sentRequests } = await startSubscriber();
    await subscribe('transactions');
    await writing.log(-4_000);
    const before = sentRequests();
    own.advance(SECOND);
    expect(await notified.next()).toBe(uri('transactions'));
    expect(notified.waiting).toEqual([]);
    own.advance(10 * SECOND);
    expect(sentRequests()).toBe(before);
  });

  it.each([
    ['caches budgets', 2 ** 26],
    ['caches none', 0],
  ])('look again every second if the process %s', async (_, cacheBytes) => {
    const { writing, own, notified, uri, subscribe } = await startSubscriber(cacheBytes);
    await subscribe('transactions');
    for (const amount of [-4_000, -5_000]) {
      await writing.log(amount);
      own.advance(SECOND);
      expect(await notified.next()).toBe(uri('transactions'));
    }
  });

  it('no timer is left after the last subscription has ended', async () => {
    const { own, subscribe } = await startSubscriber();
    const [one, other] = [await subscribe('payees'), await subscribe('accounts')];
    expect(own.nextWakeIn).toBe(SECOND);
    one.end();
    expect(own.nextWakeIn).toBe(SECOND);
    other.end();
    expect(own.nextWakeIn).toBeUndefined();
  });

  it('no timer is left after the client was closed', async () => {
    const { own, subscribe, subscriber } = await startSubscriber();
    await subscribe('payees');
    subscriber.client.close();
    expect(own.nextWakeIn).toBeUndefined();
  });
});
