import { describe, expect, it, test } from 'vitest';
import { type CallCost, type CallCosts, measureCalls, promised } from './call-costs.helper.ts';
import { noRedis, startRedis } from './store/redis.helper.ts';
import { sqlite, temporaryDirectory } from './store/sqlite.helper.ts';

const kinds = ['warm', 'cold', 'write'] as const;

const all = ({ before, after }: CallCost) => [...before, ...after];

/** The lists that are longer than the row of docs/calls.md says, so that a failure shows what is in them. */
function excessOf(costs: CallCosts, row: string, listOf: (cost: CallCost) => readonly unknown[]) {
  const limits = promised(row);
  expect(limits).toHaveLength(kinds.length);
  return kinds
    .map((kind, nth) => ({ kind, limit: limits[nth] ?? 0, list: listOf(costs[kind]) }))
    .filter(({ limit, list }) => list.length > limit);
}

const places = [
  { where: 'in memory', isMissing: false, place: async () => undefined },
  { where: 'in a file', isMissing: !sqlite, place: async () => `${temporaryDirectory()}/state.db` },
  { where: 'in Redis', isMissing: noRedis, place: async () => (await startRedis()).url },
];

describe.each(places)('where the state is shared $where', ({ isMissing, place }) => {
  it.skipIf(isMissing)(
    'calls use the store as often as docs/calls.md says, and a warm one only reads',
    async () => {
      const costs = await measureCalls(await place());
      expect(excessOf(costs, 'accesses of the store until the answer', ({ before }) => before)).toEqual([]);
      expect(excessOf(costs, 'accesses of the store in all', all)).toEqual([]);
      expect(excessOf(costs, 'requests to the service', ({ requests }) => requests)).toEqual([]);
      expect(all(costs.warm).filter((access) => !/^(read|entries|isRunning|look) /.test(access))).toEqual([]);
    },
  );
});

test('calls run at most as many files as docs/calls.md says', async () => {
  const costs = await measureCalls();
  const row = 'files of `src/` that run, without `base/`';
  expect(excessOf(costs, row, ({ files }) => files)).toEqual([]);
});
