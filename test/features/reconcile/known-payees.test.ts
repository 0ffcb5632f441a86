import { describe, expect, it } from 'vitest';
import { knownRows } from '../../../src/features/reconcile/known-payees.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { createAccount } from '../../../src/service/ledger/accounts.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { addTransaction, type TransactionInput } from '../../../src/service/ledger/transactions.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { startToReconcile } from '../account-to-reconcile.helper.ts';

const TEXT = 'BÄCKEREI  Nord 4711';

async function start() {
  const { ledger, account } = await startToReconcile();
  const categories = [...ledger.state.categories.values()].filter(
    ({ role, hidden }) => role.kind === 'envelope' && !hidden,
  );
  const [food = '', home = ''] = categories.map(({ id }) => id);
  const payee = (name: string) => ledger.commit((books) => createPayee(books, name).id);
  const earlier = (count: number, fields: Partial<TransactionInput>) =>
    ledger.commit((books) => {
      for (let each = 0; each < count; each += 1)
        addTransaction(books, { account_id: account.id, date: '2026-10-05', amount: -3_000, ...fields });
    });
  const known = async (text = 'Bäckerei Nord 4711', amount = -3_000, accountId = account.id) => {
    const replica = BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
    const row = { date: '2026-11-05', amount, text };
    return knownRows([row], replica, replica.accounts.get(accountId))(row);
  };
  return { ledger, account, food, home, payee, earlier, known };
}

describe('the payee of a row of a bank', () => {
  it('is the one that imports with its text had, before that of equal memos and names', async () => {
    const { payee, earlier, known } = await start();
    const [bakery, other] = [payee('Bakery'), payee('Other')];
    payee('Bäckerei Nord 4711');
    earlier(5, { memo: TEXT, payee_id: other });
    earlier(1, { import_id: 'a', import_payee_name_original: TEXT, payee_id: bakery });
    expect(await known()).toEqual({ payee_id: bakery });
  });

  it('is the one with that name, and else the one that transactions with such a memo had', async () => {
    const { payee, earlier, known } = await start();
    const [bakery, named] = [payee('Bakery'), payee('Corner Cafe')];
    earlier(1, { memo: TEXT, payee_id: bakery });
    earlier(1, { memo: 'corner cafe', payee_id: bakery });
    expect(await known()).toEqual({ payee_id: bakery });
    expect(await known(' CORNER CAFE ')).toEqual({ payee_id: named });
  });

  it('is open where earlier rows do not agree, are transfers, or are unknown', async () => {
    const { ledger, payee, earlier, known } = await start();
    earlier(2, { memo: TEXT, payee_id: payee('Bakery') });
    earlier(1, { memo: TEXT, payee_id: payee('Other') });
    const transfer = [...ledger.state.payees.values()].find(({ transfer_account_id }) => transfer_account_id);
    earlier(1, { memo: 'To savings', payee_id: transfer?.id ?? null });
    expect(await known()).toEqual({});
    expect(await known('To savings')).toEqual({});
    expect(await known('Never seen')).toEqual({});
    expect(await known('')).toEqual({});
  });
});

describe('the category of a row of a bank', () => {
  it.each([
    [3, 0, true],
    [2, 0, false],
    [9, 1, true],
    [8, 1, false],
  ])('with %d earlier rows in one category and %d in another is known: %s', async (most, others, isKnown) => {
    const { food, home, payee, earlier, known } = await start();
    const payee_id = payee('Bakery');
    earlier(most, { memo: TEXT, payee_id, category_id: food });
    earlier(others, { memo: TEXT, payee_id, category_id: home });
    expect(await known()).toEqual({ payee_id, ...(isKnown && { category_id: food }) });
  });

  it('is none on a tracking account', async () => {
    const { ledger, food, payee, earlier, known } = await start();
    const payee_id = payee('Bakery');
    earlier(5, { memo: TEXT, payee_id, category_id: food });
    const tracking = ledger.commit((books) =>
      createAccount(books, { name: 'Depot', type: 'otherAsset', balance: 0, date: '2026-10-01' }),
    );
    expect(await known('Bäckerei Nord 4711', -3_000, tracking.id)).toEqual({ payee_id });
  });
});
