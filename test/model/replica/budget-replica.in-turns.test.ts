/** Loading a large budget in turns. Turns are counted, so that the speed of the machine does not matter. */
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { ReplicaCache } from '../../../src/session/freshness/replica-cache.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

const ROWS = 20_000;
const TODAY = '2026-01-20';

let exported: Export;

beforeAll(async () => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [sample = expect.unreachable()] = budget.transactions;
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    ...sample,
    id: `${(at * 7_919) % ROWS}`.padStart(36, '0'),
    date: `2026-0${1 + (at % 9)}-${10 + (at % 17)}`,
  }));
  exported = { server_knowledge, budget: { ...budget, transactions: [...budget.transactions, ...rows] } };
});

/** How many turns of the event loop other work had before `work` was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    await setImmediate();
    turns += 1;
  }
  return turns;
}

test('a budget that is loaded in turns is the same as one that is loaded at once', async () => {
  const replica = await BudgetReplica.loadInTurns(exported, TODAY);
  const expected = BudgetReplica.load(exported, TODAY);
  expect(replica.export()).toEqual(expected.export());
  expect(replica.bytes).toBe(expected.bytes);
  const [account = expect.unreachable()] = replica.accounts.list();
  expect(replica.transactions.ofAccount(account.id, {})).toEqual(
    expected.transactions.ofAccount(account.id, {}),
  );
});

test('the transactions of a budget that was loaded in turns are in order, newest first', async () => {
  const { transactions } = await BudgetReplica.loadInTurns(exported, TODAY);
  const rows = transactions.list({});
  const key = ({ date, id }: (typeof rows)[number]) => `${date} ${id}`;
  const inOrder = rows.toSorted((a, b) =>
    a.date === b.date ? (a.id < b.id ? -1 : 1) : a.date > b.date ? -1 : 1,
  );
  expect(rows.map(key)).toEqual(inOrder.map(key));
});

test('other work has a turn at least for each thousand transactions that are loaded and sorted', async () => {
  const turns = await turnsDuring(BudgetReplica.loadInTurns(exported, TODAY));
  expect(turns).toBeGreaterThanOrEqual((2 * ROWS) / 1_000);
});

test('a budget of a few transactions is loaded in one turn', async () => {
  const few = { ...exported, budget: { ...exported.budget, transactions: [] } };
  expect(await turnsDuring(BudgetReplica.loadInTurns(few, TODAY))).toBeLessThanOrEqual(1);
});

describe('a cache that loads a large budget', () => {
  function startCache() {
    const clock = new ManualClock(`${TODAY}T12:00:00Z`);
    const marks = new Watermarks(clock);
    const source = async () => exported;
    return { marks, cache: new ReplicaCache({ clock, source, marks, maxBytes: 2 ** 30 }) };
  }

  test('a cache shows a large budget only when all of it is loaded, and loads it once for all callers', async () => {
    const { cache } = startCache();
    const first = cache.sync('home');
    await setImmediate();
    await setImmediate();
    expect(cache.entries.peek('home')).toBeUndefined();
    const second = cache.sync('home');
    expect((await second).replica).toBe((await first).replica);
    expect((await first).replica.transactions.list({})).toHaveLength(exported.budget.transactions.length);
    expect(cache.entries.status()).toMatchObject({ loads: 1, syncs: 0 });
  });

  test('a load that all callers have cancelled stops, and is not cached', async () => {
    const { cache } = startCache();
    const cancel = new AbortController();
    const sync = cache.sync('home', cancel);
    await setImmediate();
    await setImmediate();
    cancel.abort();
    await expect(sync).rejects.toMatchObject({ code: 'cancelled' });
    for (let turn = 0; turn < (4 * ROWS) / 1_000; turn += 1) await setImmediate();
    expect(cache.entries.peek('home')).toBeUndefined();
    expect(cache.entries.status()).toMatchObject({ loads: 0, failing: [] });
  });

  test('a write during a load is not taken for part of the loaded budget', async () => {
    const { cache, marks } = startCache();
    const sync = cache.sync('home');
    await setImmediate();
    await setImmediate();
    marks.recordWrite('home', { knowledge: exported.server_knowledge + 1 });
    await sync;
    expect(cache.entries.peek('home')).toMatchObject({ lacksWrite: true });
  });
});
