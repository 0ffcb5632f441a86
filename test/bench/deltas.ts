/** Measures the sync of a large and a small replica after ten changes elsewhere, including the next list. */

import { dateOf, systemClock } from '../../src/base/clock.ts';
import { BudgetReplica } from '../../src/model/replica/budget-replica.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { decodeResponse } from '../../src/session/http/codec.ts';
import { type Times, timesOf } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row } from './table.ts';

const CHANGES = 10;
const ROUNDS = 60;
const WARM_UP = 20;

export async function deltas(large: ServiceProcess, small: ServiceProcess): Promise<Row[]> {
  const syncs = [await createSync(large), await createSync(small)] as const;
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const [inLarge, inSmall] = [await syncs[0](round), await syncs[1](round)];
    if (round < 0) continue;
    times[0].push(inLarge);
    times[1].push(inSmall);
  }
  const [ofLarge, ofSmall] = [timesOf(times[0]), timesOf(times[1])];
  const ratio = ofLarge.median / ofSmall.median;
  return [
    {
      what: `a delta of ${CHANGES} changes on ${count(large.transactions)} transactions, up to the next list`,
      measured: formatTimes(ofLarge),
      beside: `on ${count(small.transactions)}: ${formatTimes(ofSmall)}; ratio ${ratio.toFixed(1)}`,
      target: 'under 5 ms',
      met: ofLarge.median < 5,
    },
  ];
}

const formatTimes = ({ median, p99 }: Times) => `${ms(median)}, p99 ${ms(p99)}`;

/** Returns a function that changes ten transactions and returns the milliseconds of the sync. */
async function createSync(service: ServiceProcess): Promise<(round: number) => Promise<number>> {
  const today = dateOf(systemClock.now());
  const replica = BudgetReplica.load(await service.export(), today);
  const entries = replica.transactions
    .list({})
    .filter((row) => row.subtransactions.length === 0 && row.transfer_account_id === null);
  const step = Math.floor(entries.length / CHANGES);
  return async (round) => {
    const transactions = Array.from({ length: CHANGES }, (_, each) =>
      entries.at(each * step + round),
    ).flatMap((row) => (row ? [{ id: row.id, memo: `Round ${round}`, amount: row.amount - 10 }] : []));
    await service.request('/transactions', { method: 'PATCH', body: { transactions } });
    const delta = await service.request(`?last_knowledge_of_server=${replica.knowledge}`);
    const from = performance.now();
    replica.apply(decodeResponse(getBudget, delta), today);
    const { length } = replica.transactions.list({});
    const time = performance.now() - from;
    const changed = transactions.filter(({ id, memo }) => replica.transactions.get(id).memo === memo).length;
    if (changed !== CHANGES || length < entries.length) throw new Error('The delta was not applied.');
    return time;
  };
}
