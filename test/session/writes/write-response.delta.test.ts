/** The changes since before a write, which are read when the write is done. */
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { momentOf } from '../../../src/base/clock.ts';
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { listPayees, updatePayee } from '../../../src/operations/payees.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import type { RequestOptions } from '../../../src/session/http/requests.ts';
import { CurrentReads } from '../../../src/session/writes/lost-write.ts';
import { type CompletedWrite, readDeltaAfterWrite } from '../../../src/session/writes/write-response.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { AutoAdvanceClock } from '../../manual-clock.helper.ts';
import { startHolding } from '../holding.helper.ts';
import { ScriptedService } from '../scripted-service.helper.ts';

class RecordingService extends ScriptedService {
  readonly options: (RequestOptions | undefined)[] = [];

  override async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ) {
    this.options.push(options);
    return super.read(operation, input, options);
  }
}

const COFFEE = { account_id: 'a', date: '2026-11-21', amount: -4_500, import_id: null };

function start() {
  const service = new RecordingService();
  const clock = new AutoAdvanceClock('2026-11-21T12:00:00Z');
  const watermarks = new Watermarks(clock);
  const reads = new CurrentReads(service, watermarks, clock);
  const { id } = service.put(COFFEE);
  const done = {
    budgetId: 'b',
    kind: 'create',
    data: { account: { id } },
    since: 100,
    remainingMs: 0,
  } as const;
  const read = (more: Partial<CompletedWrite> = {}) =>
    readDeltaAfterWrite(reads, clock, { ...done, ...more });
  return { service, clock, watermarks, id, read };
}

test('the delta after a write has the changes since before the write, the time of its request, and uses the requests for reads', async () => {
  const { service, clock, id, read } = start();
  const asOf = momentOf(clock);
  const found = await read();
  expect(found).toMatchObject({ asOf, delta: { budget: { transactions: [{ id }] } } });
  expect(service.options).toMatchObject([{ since: 100, spending: 'read' }]);
});

test.each([
  [10_000, 3_000],
  [3_001, 3_000],
  [1_200, 1_200],
  [0, 3_000],
  [-1, 3_000],
])(
  'for a host that waits another %i ms, the delta after a write may take %i ms',
  async (remainingMs, timeoutMs) => {
    const { service, read } = start();
    await read({ remainingMs });
    expect(service.options).toMatchObject([{ timeoutMs }]);
  },
);

test.each<ErrorCode>(['timed_out', 'rate_budget_spent', 'service_unavailable'])(
  'there is no delta after a write when it cannot be read: %s',
  async (code) => {
    const { service, read } = start();
    service.readFailures.push(code);
    expect(await read()).toBeUndefined();
    expect(service.options).toHaveLength(1);
  },
);

test('the delta after a write is requested once again when a lagging copy answers', async () => {
  const { service, watermarks, read } = start();
  watermarks.beginRequest('b')(service.knowledge);
  service.copies.push(100);
  expect(await read()).toBeDefined();
  service.copies.push(100, 100);
  expect(await read()).toBeUndefined();
  expect(service.options).toHaveLength(4);
});

test('the delta after a write without knowledge must contain the created or deleted rows', async () => {
  const { read, id } = start();
  for (const kind of ['create', 'delete'] as const) {
    expect(await read({ kind, data: { account: { id } } })).toBeDefined();
    expect(await read({ kind, data: { account: { id: 'nothing' } } })).toBeUndefined();
    expect(await read({ kind, data: { transactions: [{ id }, { id: 'nothing' }] } })).toBeUndefined();
    expect(await read({ kind, data: { transaction_ids: [id] } })).toBeDefined();
    expect(await read({ kind, data: { transaction_ids: [id, 'nothing'] } })).toBeUndefined();
  }
});

test('the delta after an update, or after a write with knowledge, need not contain the rows of the write', async () => {
  const { read } = start();
  expect(await read({ kind: 'update', data: { account: { id: 'nothing' } } })).toBeDefined();
  const data = { transaction_ids: ['nothing'], server_knowledge: 101 };
  expect(await read({ data })).toBeDefined();
});

test('what was changed elsewhere before a change is not among what has changed with it, although the cached budget lacks it', async () => {
  const { client, clock, ledger } = await startHolding();
  const { id } = ledger.commit((books) => createPayee(books, 'Shop'));
  await callOperation(client, listPayees, {});
  ledger.commit((books) => createPayee(books, 'Florist'));
  clock.advance(2_000);
  const { changed } = await callOperation(client, updatePayee, { payee_id: id, name: 'Bakery' });
  expect(changed?.payees?.map(({ name }) => name)).toEqual(['Bakery']);
});
