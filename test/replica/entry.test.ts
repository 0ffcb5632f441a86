import { expect, it } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { currentEntry, entryWhileBehind, isOfMonth } from '../../src/replica/entry.ts';
import { LAG_MS } from '../../src/replica/watermarks.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const mark = { at: { wall: NOON, monotonic: 90_000 }, knowledge: 9, writes: 3 };

async function replicas() {
  const whole = await asked(smallLedger()).export();
  const load = (knowledge: number) =>
    BudgetReplica.load({ ...whole, server_knowledge: knowledge }, '2026-11-21');
  return { older: load(4), newer: load(5) };
}

it('A budget that is loaded from a copy which lags is as old, by both clocks, as a copy may be', async () => {
  const { older } = await replicas();
  expect(entryWhileBehind(older, mark, undefined, 1)).toEqual({
    replica: older,
    asOf: { wall: NOON - LAG_MS, monotonic: 90_000 - LAG_MS },
    askedAt: mark.at,
    isBehind: true,
    writes: 1,
    writesWhenAsked: 3,
  });
});

it('A budget in the cache keeps its age unless what comes from a copy that lags is newer', async () => {
  const { older, newer } = await replicas();
  const before = currentEntry(newer, { ...mark, at: { wall: NOON - 60_000, monotonic: 30_000 }, writes: 2 });
  const asked = { askedAt: mark.at, isBehind: true, writesWhenAsked: 3 };
  expect(entryWhileBehind(older, mark, before, 1)).toEqual({ ...before, ...asked });
  expect(entryWhileBehind(newer, mark, before, 1)).toEqual({ ...before, ...asked });
  expect(entryWhileBehind(newer, mark, { ...before, replica: older }, 1)).toMatchObject({
    replica: newer,
    asOf: { wall: NOON - LAG_MS },
    writes: 1,
  });
});

it('A budget is of the month of its date in UTC', () => {
  const at = (wall: string) => ({ wall: Date.parse(wall), monotonic: 0 });
  const asOf = at('2026-11-30T23:59:59Z');
  expect(isOfMonth({ asOf }, at('2026-11-01T00:00:00Z'))).toBe(true);
  expect(isOfMonth({ asOf }, at('2026-12-01T00:00:00Z'))).toBe(false);
  expect(isOfMonth({ asOf }, at('2027-11-30T00:00:00Z'))).toBe(false);
});
