/** How a response is recognised as newer than a write. */
import { expect, test } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { OperationKind } from '../../../src/operations/operation.ts';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { evidenceIn, evidenceOf } from '../../../src/session/writes/write-response.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

async function createBudget() {
  const ledger = smallLedger();
  ledger.commit((state) =>
    addScheduled(state, {
      account_id: ledger.accounts()[0]?.id ?? '',
      date: '2026-02-10',
      amount: -1_000,
      frequency: 'monthly',
    }),
  );
  const replica = BudgetReplica.load(await directReader(ledger).export(), '2026-01-20');
  const account = replica.accounts.list()[0] ?? expect.unreachable();
  const scheduled_transaction = replica.scheduledTransactions.list()[0] ?? expect.unreachable();
  return { replica, account, scheduled_transaction };
}

/** By the response itself, and by what is stored of it for other processes. */
async function isShown(kind: OperationKind, data: object): Promise<boolean> {
  const { replica } = await createBudget();
  const [own, ofOthers] = [data, evidenceIn({ ...data })].map((each) => {
    const evidence = evidenceOf(kind, each);
    if (!evidence || 'knowledge' in evidence) throw new Error('The evidence of this write is its content.');
    return evidence.shows(replica);
  });
  expect(ofOthers).toBe(own);
  return own ?? expect.unreachable();
}

test('a write whose response has knowledge is recognised by it, whatever else the response contains', async () => {
  const { account } = await createBudget();
  expect(evidenceOf('create', { server_knowledge: 7, account })).toEqual({ knowledge: 7 });
});

test('a write whose response has neither knowledge nor an entity that can be found again has no evidence', () => {
  expect(evidenceOf('update', { payee: { id: 'p' } })).toBeUndefined();
});

test.each(['account', 'scheduled_transaction'] as const)(
  'a write of an %s without knowledge is recognised by its id and its content',
  async (name) => {
    const found = (await createBudget())[name];
    const changed = { ...found, note: 'Another one', memo: 'Another one' };
    const missing = { ...found, id: 'nothing' };
    const shown = (kind: OperationKind, row: object) => isShown(kind, { [name]: row });
    expect(evidenceOf('create', { [name]: found })).toMatchObject({ id: found.id });
    // Another person may have changed a created entity.
    expect([await shown('create', changed), await shown('create', missing)]).toEqual([true, false]);
    expect([await shown('update', found), await shown('update', changed)]).toEqual([true, false]);
    expect(await shown('update', missing)).toBe(false);
    expect([await shown('delete', missing), await shown('delete', found)]).toEqual([true, false]);
  },
);

test('an import is recognised when all of its transactions are there, and one without any has no evidence', async () => {
  const { replica } = await createBudget();
  const [first, second] = replica.transactions.list({});
  const shown = (...ids: string[]) => isShown('create', { transaction_ids: ids });
  expect(await shown(first?.id ?? '', second?.id ?? '')).toBe(true);
  expect(await shown(first?.id ?? '', 'nothing')).toBe(false);
  expect(evidenceOf('create', { transaction_ids: [] })).toBeUndefined();
});
