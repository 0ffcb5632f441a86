/** The writes of a process, as its session composes them, on a store in memory. */

import type { Clock } from '../../../src/base/clock.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { SessionWrites } from '../../../src/session/session-writes.ts';
import type { ServicePort } from '../../../src/session/writes/lost-write.ts';
import type { SentStep, SentWrite } from '../../../src/session/writes/pending-write.ts';
import { PendingWrites } from '../../../src/session/writes/pending-writes.ts';
import type { WriteCall } from '../../../src/session/writes/write-call.ts';
import { LaterChanges } from '../../../src/store/later-changes.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/shared-store.ts';

export const pendingIn = (store: SharedStore, clock: Clock) =>
  new PendingWrites(store, clock, new LaterChanges(clock));

/** Timers stand still: only what is awaited makes this clock advance. */
export const withoutTimers = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: (_, signal) =>
    new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
});

export const STEP: SentStep = {
  number: 1,
  operation: 'create_transactions',
  input: { budget_id: 'b' },
  sentAt: { wall: 0, monotonic: 0 },
  before: { ids: [], server_knowledge: 7 },
};

export const CALL: WriteCall = {
  caller: 'ann',
  tool: 'create_transactions',
  title: 'Log transactions',
  budgetId: 'b',
  input: { budget_id: 'b', transactions: [{ amount: -4_500, memo: 'Coffee' }] },
};

/** A write that `process` has sent, and for which its host waits. */
export const sentWriteOf = (id: string, process: string, more: Partial<SentWrite> = {}): SentWrite => ({
  id,
  call: CALL,
  calledAt: 0,
  isTogether: false,
  state: 'sent',
  owner: process,
  awaitedBy: process,
  isAdopted: false,
  step: STEP,
  ...more,
});

export function composeWrites(
  service: ServicePort,
  clock: Clock,
  store: SharedStore = new MemoryStore(clock),
) {
  const watermarks = new Watermarks(clock);
  const writes: SessionWrites = new SessionWrites({
    service,
    store,
    status: () => ({ shared: true }),
    clock: {
      ...withoutTimers(clock),
      sleep: (ms, signal, isBackground) => (isBackground ? withoutTimers(clock) : clock).sleep(ms, signal),
    },
    marks: watermarks,
    look: async (budgetIds) =>
      writes.others.takeOver(await store.look(writes.others.wantedOf(budgetIds)), budgetIds),
  });
  const { journal, writer } = writes;
  return { store, watermarks, journal, writes, writer };
}
