import { expect, test } from 'vitest';
import { People } from '../../src/hosting/people.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { Change } from '../../src/store/shared-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const of = (client: string) => ({ client, grant: `grant of ${client}` });

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const open = () => new People(new MemoryStore(clock, memory), clock);
  return { clock, memory, open, people: open() };
}

test('a person has one key, in every process, and another person another one', async () => {
  const { open } = start();
  const keys = await Promise.all([open(), open()].map((people) => people.dataKey('ann')));
  expect(keys[0]).toHaveLength(32);
  expect(keys[0]).toEqual(keys[1]);
  expect(await open().dataKey('bob')).not.toEqual(keys[0]);
});

test('settings belong to one person, and changing them keeps the key', async () => {
  const { people } = start();
  const key = await people.dataKey('ann');
  await people.changeSettings('ann', { timeZone: 'Europe/Berlin', confirm: 'writes' });
  expect(await people.settings('ann')).toEqual({ timeZone: 'Europe/Berlin', confirm: 'writes' });
  expect(await people.settings('bob')).toEqual({});
  expect(await people.dataKey('ann')).toEqual(key);
});

test('the writes of a person are listed with their client and time, the newest first', async () => {
  const { people, clock } = start();
  await Promise.all([people.dataKey('ann'), people.dataKey('bob')]);
  await people.recordWrite('ann', { ...of('Claude'), tool: 'create_transactions', outcome: 'written' });
  clock.advance(1_000);
  await people.recordWrite('ann', { ...of('Cursor'), tool: 'undo', outcome: 'written' });
  await people.recordWrite('bob', { ...of('Claude'), tool: 'create_payee', outcome: 'refused' });
  const entries = await people.audit('ann');
  expect(entries.map(({ client, tool }) => `${client} ${tool}`)).toEqual([
    'Cursor undo',
    'Claude create_transactions',
  ]);
  expect(entries.map(({ at }) => at)).toEqual([clock.now(), clock.now() - 1_000]);
});

test('the list of writes has a limit, beyond which the oldest are removed', async () => {
  const { people, memory } = start();
  await people.dataKey('ann');
  for (let index = 0; index < 1_103; index += 1)
    await people.recordWrite('ann', { ...of('Claude'), tool: `tool ${index}`, outcome: 'written' });
  const entries = await people.audit('ann');
  expect(entries).toHaveLength(1_000);
  expect([entries[0]?.tool, entries.at(-1)?.tool]).toEqual(['tool 1102', 'tool 103']);
  expect(memory.logs.get('audit ann')?.length).toBeLessThan(1_100);
});

test('the writes of one person do not shorten the list of another one', async () => {
  const { people, open } = start();
  await Promise.all([people.dataKey('ann'), people.dataKey('bob')]);
  await people.recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  for (let index = 0; index < 1_001; index += 1)
    await people.recordWrite('bob', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  // The first write of a person in a process shortens their list, if it is too long.
  await open().recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  expect(await people.audit('ann')).toHaveLength(2);
});

test('a write leaves the record of its person as it is, also if another version of the program has written it', async () => {
  const { people, memory } = start();
  await people.dataKey('ann');
  const record = { dataKey: 'of another form', settings: { new: true } };
  memory.records.set('person ann', record);
  await people.recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  expect(memory.records.get('person ann')).toEqual(record);
  expect(await people.audit('ann')).toHaveLength(1);
});

test('a write that is recorded while its person is removed leaves nothing', async () => {
  const { clock, memory, people } = start();
  class Interrupted extends MemoryStore {
    override async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
      await people.recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
      return super.update(name, change);
    }
  }
  await people.dataKey('ann');
  await new People(new Interrupted(clock, memory), clock).forget('ann', { endAllOf: async () => [] });
  expect(await people.audit('ann')).toEqual([]);
});

test('the grants of a person share the room for files, each for an hour after it was taken', async () => {
  const { clock, people } = start();
  const take = (grantId: string, bytes: number, person = 'ann') =>
    people.takeRoom(person, grantId, { bytes, maxBytes: 12, keptMs: 3_600_000 });
  expect(await Promise.all([take('one', 8), take('two', 8)])).toEqual([8, 4]);
  expect([await take('three', 1), await take('three', 8, 'bob')]).toEqual([0, 8]);
  expect([await take('two', 1), await take('three', 8)]).toEqual([1, 3]);
  clock.advance(3_600_000);
  expect(await take('three', 12)).toBe(12);
});

test('after a person is removed, nothing of them is stored, and they would get another key', async () => {
  const { people, memory } = start();
  const stored = () =>
    [...memory.records.keys(), ...memory.logs.keys()].filter((name) => name.includes('ann'));
  const key = await people.dataKey('ann');
  await people.changeSettings('ann', { budget: 'Household' });
  await people.takeRoom('ann', 'grant', { bytes: 1, maxBytes: 2, keptMs: 1_000 });
  await people.recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  await people.forget('ann', { endAllOf: async () => [] });
  expect(stored()).toEqual([]);
  // A write that was in progress.
  await people.recordWrite('ann', { ...of('Claude'), tool: 'undo', outcome: 'written' });
  expect(stored()).toEqual([]);
  expect(await people.dataKey('ann')).not.toEqual(key);
});
