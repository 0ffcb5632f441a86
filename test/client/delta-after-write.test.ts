/** What a write has changed around it, as it is read once the write is done. */
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { CurrentReads, type ReadOptions } from '../../src/client/current-reads.ts';
import { type Done, readAftermath } from '../../src/client/delta-after-write.ts';
import { KnowledgeWatermarks } from '../../src/client/knowledge-watermarks.ts';
import type { ErrorCode } from '../../src/errors.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { momentOf } from '../../src/platform/clock.ts';
import { AutoAdvanceClock } from '../manual-clock.ts';
import { ScriptedService } from './scripted-service.ts';

class WatchedService extends ScriptedService {
  readonly options: (ReadOptions | undefined)[] = [];

  override async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Readonly<Record<string, unknown>>,
    options?: ReadOptions,
  ) {
    this.options.push(options);
    return super.read(operation, input, options);
  }
}

const COFFEE = { account_id: 'a', date: '2026-11-21', amount: -4_500, import_id: null };

function start() {
  const service = new WatchedService();
  const clock = new AutoAdvanceClock('2026-11-21T12:00:00Z');
  const watermarks = new KnowledgeWatermarks(clock);
  const reads = new CurrentReads(service, watermarks, clock);
  const { id } = service.put(COFFEE);
  const done = {
    budgetId: 'b',
    effect: 'create',
    data: { account: { id } },
    since: 100,
    timeLeft: 0,
  } as const;
  const read = (more: Partial<Done> = {}) => readAftermath(reads, clock, { ...done, ...more });
  return { service, clock, watermarks, id, read };
}

test('It is what has changed since before the write, as of when it was asked for, from what is left for reads', async () => {
  const { service, clock, id, read } = start();
  const asOf = momentOf(clock);
  const found = await read();
  expect(found).toMatchObject({ since: 100, asOf, delta: { budget: { transactions: [{ id }] } } });
  expect(service.options).toMatchObject([{ since: 100, spending: 'read' }]);
});

test.each([
  [10_000, 3_000],
  [3_001, 3_000],
  [1_200, 1_200],
  [0, 3_000],
  [-1, 3_000],
])('A host that still waits %i ms gets it within %i ms', async (timeLeft, timeoutMs) => {
  const { service, read } = start();
  await read({ timeLeft });
  expect(service.options).toMatchObject([{ timeoutMs }]);
});

test.each<ErrorCode>(['timed_out', 'rate_budget_spent', 'service_unavailable'])(
  'Where it cannot be read, there is none: %s',
  async (code) => {
    const { service, read } = start();
    service.readFailures.push(code);
    expect(await read()).toBeUndefined();
    expect(service.options).toHaveLength(1);
  },
);

test('A copy that lags behind what was seen is asked again once', async () => {
  const { service, watermarks, read } = start();
  watermarks.recordKnowledge('b')(service.knowledge);
  service.copies.push(100);
  expect(await read()).toBeDefined();
  service.copies.push(100, 100);
  expect(await read()).toBeUndefined();
  expect(service.options).toHaveLength(4);
});

test('Where the write told no knowledge, what was created or deleted has to be in it', async () => {
  const { read, id } = start();
  for (const effect of ['create', 'delete'] as const) {
    expect(await read({ effect, data: { account: { id } } })).toBeDefined();
    expect(await read({ effect, data: { account: { id: 'nothing' } } })).toBeUndefined();
    expect(await read({ effect, data: { transactions: [{ id }, { id: 'nothing' }] } })).toBeUndefined();
    expect(await read({ effect, data: { transaction_ids: [id] } })).toBeDefined();
    expect(await read({ effect, data: { transaction_ids: [id, 'nothing'] } })).toBeUndefined();
  }
});

test('What was updated, or told its knowledge, need not be in it', async () => {
  const { read } = start();
  expect(await read({ effect: 'update', data: { account: { id: 'nothing' } } })).toBeDefined();
  const data = { transaction_ids: ['nothing'], server_knowledge: 101 };
  expect(await read({ data })).toBeDefined();
});
