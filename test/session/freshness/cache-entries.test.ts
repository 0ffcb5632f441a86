import { expect, it } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import {
  entryAfterRead,
  entryFromLaggingCopy,
  isOfMonth,
} from '../../../src/session/freshness/cache-entries.ts';
import { LAG_MS } from '../../../src/session/freshness/watermarks.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const mark = { at: { wall: NOON, monotonic: 90_000 }, knowledge: 9, writes: 3 };

async function replicas() {
  const exported = await directReader(smallLedger()).export();
  const load = (knowledge: number) =>
    BudgetReplica.load({ ...exported, server_knowledge: knowledge }, '2026-11-21');
  return { older: load(4), newer: load(5) };
}

it('a budget that is loaded from a lagging copy is as old, by both clocks, as a copy can lag', async () => {
  const { older } = await replicas();
  expect(entryFromLaggingCopy(older, mark, undefined, 1)).toEqual({
    replica: older,
    asOf: { wall: NOON - LAG_MS, monotonic: 90_000 - LAG_MS },
    checkedAt: mark.at,
    isLagging: true,
    writes: 1,
    writesAtCheck: 3,
  });
});

it('a cached budget keeps its age unless the response of a lagging copy is newer', async () => {
  const { older, newer } = await replicas();
  const before = entryAfterRead(newer, {
    ...mark,
    at: { wall: NOON - 60_000, monotonic: 30_000 },
    writes: 2,
  });
  const check = { checkedAt: mark.at, isLagging: true, writesAtCheck: 3 };
  expect(entryFromLaggingCopy(older, mark, before, 1)).toEqual({ ...before, ...check });
  expect(entryFromLaggingCopy(newer, mark, before, 1)).toEqual({ ...before, ...check });
  expect(entryFromLaggingCopy(newer, mark, { ...before, replica: older }, 1)).toMatchObject({
    replica: newer,
    asOf: { wall: NOON - LAG_MS },
    writes: 1,
  });
});

it('the month of a budget is that of its date in UTC', () => {
  const at = (wall: string) => ({ wall: Date.parse(wall), monotonic: 0 });
  const asOf = at('2026-11-30T23:59:59Z');
  expect(isOfMonth({ asOf }, at('2026-11-01T00:00:00Z'))).toBe(true);
  expect(isOfMonth({ asOf }, at('2026-12-01T00:00:00Z'))).toBe(false);
  expect(isOfMonth({ asOf }, at('2027-11-30T00:00:00Z'))).toBe(false);
});
