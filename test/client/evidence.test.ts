/** How a later answer is recognised to be from after a write. */
import { expect, test } from 'vitest';
import { evidenceOf } from '../../src/client/evidence.ts';
import type { OperationKind } from '../../src/operations/operation.ts';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { addScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import { asked } from '../replica/asked.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';

async function aBudget() {
  const ledger = smallLedger();
  ledger.commit((books) =>
    addScheduled(books, {
      account_id: ledger.accounts()[0]?.id ?? '',
      date: '2026-02-10',
      amount: -1_000,
      frequency: 'monthly',
    }),
  );
  const replica = BudgetReplica.load(await asked(ledger).export(), '2026-01-20');
  const account = replica.accounts.list()[0] ?? expect.unreachable();
  const scheduled_transaction = replica.scheduledTransactions.list()[0] ?? expect.unreachable();
  return { replica, account, scheduled_transaction };
}

async function isShown(kind: OperationKind, data: object): Promise<boolean> {
  const { replica } = await aBudget();
  const evidence = evidenceOf(kind, data);
  if (!evidence || 'knowledge' in evidence) throw new Error('It is recognised by what it shows.');
  return evidence.shows(replica);
}

test('A write that tells its knowledge is recognised by that, whatever else it tells', async () => {
  const { account } = await aBudget();
  expect(evidenceOf('create', { server_knowledge: 7, account })).toEqual({ knowledge: 7 });
});

test('A write that tells neither its knowledge nor a thing that can be found again is not recognised', () => {
  expect(evidenceOf('update', { payee: { id: 'p' } })).toBeUndefined();
});

test.each(['account', 'scheduled_transaction'] as const)(
  'A write of an %s is recognised by the id and the thing',
  async (name) => {
    const found = (await aBudget())[name];
    const changed = { ...found, note: 'Another one', memo: 'Another one' };
    const missing = { ...found, id: 'nothing' };
    const shown = (kind: OperationKind, row: object) => isShown(kind, { [name]: row });
    expect(evidenceOf('create', { [name]: found })).toMatchObject({ id: found.id });
    // What was created may have been changed since.
    expect([await shown('create', changed), await shown('create', missing)]).toEqual([true, false]);
    expect([await shown('update', found), await shown('update', changed)]).toEqual([true, false]);
    expect(await shown('update', missing)).toBe(false);
    expect([await shown('delete', missing), await shown('delete', found)]).toEqual([true, false]);
  },
);
