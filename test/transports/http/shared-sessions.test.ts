import { expect, it } from 'vitest';
import { MemoryStore, SharedMemory } from '../../../src/state/memory-store.ts';
import { SharedSessions, type StoredSession } from '../../../src/transports/http/shared-sessions.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

const MINUTE = 60_000;

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const machine = () =>
    new SharedSessions({ store: new MemoryStore(clock, memory), clock, max: 2, idleMs: 30 * MINUTE });
  return { clock, memory, one: machine(), other: machine() };
}

const begin = (machine: SharedSessions, id: string, busy: readonly string[] = []) =>
  machine.begin({ id, caller: 'anna', parameters: {} }, new Set(busy));

async function idsOf(machine: SharedSessions): Promise<string[]> {
  let ids: string[] = [];
  await machine.read((sessions: readonly StoredSession[]) => {
    ids = sessions.map(({ id }) => id);
  });
  return ids;
}

it('a session that no machine has used for half an hour ends, and is removed from the store', async () => {
  const { clock, memory, one, other } = start();
  await begin(one, 'idle');
  await begin(one, 'used');
  clock.advance(20 * MINUTE);
  await other.touch('used');
  clock.advance(13 * MINUTE);
  expect(await idsOf(other)).toEqual(['used']);
  await other.tidy();
  expect(JSON.stringify([...memory.records.values()])).not.toContain('idle');
});

it('a session with a stream keeps its place, until its machine has not noted its use for six minutes', async () => {
  const { clock, one, other } = start();
  await begin(one, 'first');
  await begin(one, 'second');
  await one.openStream('first');
  await one.openStream('second');
  expect(await begin(other, 'third')).toBe(false);
  clock.advance(6 * MINUTE);
  expect(await begin(other, 'third', ['first'])).toBe(true);
  expect(await idsOf(one)).toEqual(['first', 'third']);
});

it('messages of hosts are read once by each machine, and removed after a quarter of an hour', async () => {
  const { clock, memory, one, other } = start();
  await begin(one, 'session');
  await one.post('session', { id: 1 });
  expect(await other.messages()).toMatchObject([{ session: 'session', message: { id: 1 } }]);
  expect(await other.messages()).toEqual([]);
  clock.advance(15 * MINUTE);
  await other.tidy();
  expect(memory.logs.size).toBe(0);
});
