import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { budgetedTo, type Change, changesBetween, createdTransfer, differences } from './changes.ts';
import { accountNamed, categoryNamed, type Export, linesOf, payeeNamed } from './export.ts';
import { type StartedHousehold, startHousehold } from './households.ts';
import { type Names, namesIn, scheduledTransactions, transactions } from './rows.ts';

let household: StartedHousehold;
let before: Export;

beforeEach(async () => {
  household = await startHousehold('household');
  onTestFinished(() => household.close());
  before = await household.export();
});

const idOf = (account: string) => accountNamed(before, account).id;
const categoryId = (name: string) => categoryNamed(before, name).id;
const found = async () => changesBetween(before, await household.export());

const lunch = (fields: object = {}) =>
  household.direct.send('POST', 'transactions', {
    transaction: {
      account_id: idOf('Checking'),
      date: '2026-11-17',
      amount: -12_500,
      payee_name: 'Bistro Nord',
      category_id: categoryId('Eating Out'),
      ...fields,
    },
  });

const expectedLunch: Change = {
  kind: 'transaction',
  created: {
    account: 'Checking',
    date: '2026-11-17',
    amount: -12_500,
    payee: 'Bistro Nord',
    category: 'Eating Out',
  },
};

/** The row of a transaction, or of a scheduled one, as changes show it. */
function rowOf<Row>(table: (budget: Export, names: Names) => Map<string, Row>, { id }: { id: string }): Row {
  const row = table(before, namesIn(before)).get(id);
  if (row === undefined) throw new Error(`There is no row ${id}.`);
  return row;
}

/** An unsplit purchase at a payee. */
function purchaseAt(payee: string) {
  const { id } = payeeNamed(before, payee);
  const purchase = before.transactions.find(
    (each) => each.payee_id === id && linesOf(before, each).length === 0 && each.transfer_account_id === null,
  );
  if (purchase === undefined) throw new Error(`Nothing was bought at ${payee}.`);
  return purchase;
}

describe('a created transaction', () => {
  it('is as expected whatever its memo, flag and state are, unless they are named', async () => {
    await lunch({ memo: 'with Jonas', flag_color: 'red', cleared: 'cleared', approved: true });
    const changes = await found();

    expect(differences([expectedLunch], changes)).toEqual([]);
    expect(
      differences([{ ...expectedLunch, created: { ...expectedLunch.created, memo: 'alone' } }], changes),
    ).toHaveLength(2);
  });

  it.each<[string, () => object]>([
    ['one cent off', () => ({ amount: -12_510 })],
    ['on another day', () => ({ date: '2026-11-16' })],
    ['on another account', () => ({ account_id: idOf('Wallet') })],
    ['in another category', () => ({ category_id: categoryId('Groceries') })],
    ['without a category', () => ({ category_id: null })],
    ['at another payee', () => ({ payee_name: 'Noodle Lantern' })],
  ])('%s is missing and another one found', async (_, fields) => {
    await lunch(fields());

    expect(differences([expectedLunch], await found())).toEqual([
      expect.stringMatching(/^Missing: .*-12500/),
      expect.stringMatching(/^Not expected: /),
    ]);
  });

  it('that was entered twice, or not at all, is a fault', async () => {
    expect(differences([expectedLunch], await found())).toEqual([expect.stringMatching(/^Missing/)]);
    await lunch();
    await lunch();
    expect(differences([expectedLunch], await found())).toEqual([expect.stringMatching(/^Not expected/)]);
  });

  it('brings its new payee with it, but no other one', async () => {
    await lunch({ payee_name: 'New Diner' });
    const expected: Change[] = [
      { ...expectedLunch, created: { ...expectedLunch.created, payee: 'New Diner' } },
    ];

    expect(differences(expected, await found())).toEqual([]);
    for (const name of ['New Diner', 'Another Diner', 'Bistro Nord'])
      await household.direct.send('POST', 'payees', { payee: { name } });
    expect(differences(expected, await found())).toHaveLength(3);
  });

  it('brings no second payee of a name that exists', async () => {
    await lunch();
    await household.direct.send('POST', 'payees', { payee: { name: 'Bistro Nord' } });
    expect(differences([expectedLunch], await found())).toHaveLength(1);
  });

  it('has its split lines in any order, and every cent in its line', async () => {
    const [food, pets] = [categoryId('Groceries'), categoryId('Pets')];
    const line = (amount: number, category_id: string) => ({ amount, category_id });
    await lunch({ category_id: null, subtransactions: [line(-10_000, food), line(-2_500, pets)] });
    const expected = (first: number, second: number): Change => ({
      kind: 'transaction',
      created: {
        account: 'Checking',
        date: '2026-11-17',
        amount: -12_500,
        payee: 'Bistro Nord',
        lines: [
          { amount: first, category: 'Pets' },
          { amount: second, category: 'Groceries' },
        ],
      },
    });

    const changes = await found();
    expect(differences([expected(-2_500, -10_000)], changes)).toEqual([]);
    expect(differences([expected(-2_490, -10_010)], changes)).toHaveLength(2);
    expect(differences([expectedLunch], changes)).toHaveLength(2);
  });

  it('has two rows if it is a transfer', async () => {
    const payee_id = accountNamed(before, 'Savings').transfer_payee_id;
    await lunch({ payee_name: undefined, payee_id, category_id: null, amount: -200_000 });
    const transfer = { from: 'Checking', to: 'Savings', date: '2026-11-17', amount: 200_000 };

    expect(differences(createdTransfer(transfer), await found())).toEqual([]);
    expect(differences(createdTransfer({ ...transfer, to: 'Wallet' }), await found())).toHaveLength(4);
    expect(
      differences(createdTransfer({ ...transfer, from: 'Savings', to: 'Checking' }), await found()),
    ).toHaveLength(4);
  });
});

describe('other changes', () => {
  it('an updated transaction lists exactly the fields that differ, of that row', async () => {
    const purchase = purchaseAt('Noodle Lantern');
    const category = categoryId('Gifts');
    await household.direct.send('PUT', `transactions/${purchase.id}`, {
      transaction: { category_id: category, memo: 'present' },
    });
    const updated = rowOf(transactions, purchase);
    const to = { category: 'Gifts', memo: 'present' };

    const changes = await found();
    expect(changes).toEqual([{ kind: 'transaction', updated, to }]);
    expect(differences([{ kind: 'transaction', updated, to }], changes)).toEqual([]);
    expect(differences([{ kind: 'transaction', updated, to: { category: 'Gifts' } }], changes)).toHaveLength(
      2,
    );
    expect(differences([{ kind: 'transaction', updated, to: { ...to, amount: -1 } }], changes)).toHaveLength(
      2,
    );
    const other = rowOf(transactions, purchaseAt('Bistro Nord'));
    expect(differences([{ kind: 'transaction', updated: other, to }], changes)).toHaveLength(2);
  });

  it('a deleted transfer has both rows', async () => {
    const transfer = before.transactions.findLast(
      ({ transfer_account_id }) => transfer_account_id === idOf('Savings'),
    );
    const otherSide = before.transactions.find(({ id }) => id === transfer?.transfer_transaction_id);
    if (transfer === undefined || otherSide === undefined) throw new Error('There is no transfer.');
    await household.direct.send('DELETE', `transactions/${transfer.id}`);

    const expected: Change[] = [transfer, otherSide].map((side) => ({
      kind: 'transaction',
      deleted: rowOf(transactions, side),
    }));
    expect(differences(expected, await found())).toEqual([]);
    expect(differences(expected.slice(1), await found())).toHaveLength(1);
  });

  it('a renamed payee is one change, and its transactions are none', async () => {
    await household.direct.send('PATCH', `payees/${payeeNamed(before, 'Bistro Nord').id}`, {
      payee: { name: 'Bistro Süd' },
    });
    expect(await found()).toEqual([
      { kind: 'payee', updated: { name: 'Bistro Nord' }, to: { name: 'Bistro Süd' } },
    ]);
  });

  it('a budgeted amount is one change of its month', async () => {
    await household.direct.send('PATCH', `months/2026-12-01/categories/${categoryId('Gifts')}`, {
      category: { budgeted: 150_000 },
    });
    const changes = await found();

    expect(changes).toMatchObject([{ from: 0, to: 150_000 }]);
    expect(differences([budgetedTo(before, '2026-12', 'Gifts', 150_000)], changes)).toEqual([]);
    expect(differences([budgetedTo(before, '2026-11', 'Gifts', 150_000)], changes)).toHaveLength(2);
    expect(differences([budgetedTo(before, '2026-12', 'Gifts', 150_010)], changes)).toHaveLength(2);
  });

  it('scheduled transactions, accounts, categories and groups are compared too', async () => {
    const [first, second] = before.scheduled_transactions;
    if (first === undefined || second === undefined) throw new Error('Nothing is scheduled.');
    const { direct } = household;
    await direct.send('DELETE', `scheduled_transactions/${first.id}`);
    await direct.send('PUT', `scheduled_transactions/${second.id}`, {
      scheduled_transaction: { account_id: second.account_id, date: second.date_next, amount: -1_300 },
    });
    await direct.send('POST', 'scheduled_transactions', {
      scheduled_transaction: {
        account_id: idOf('Checking'),
        date: '2026-12-01',
        amount: -9_990,
        frequency: 'monthly',
      },
    });
    await direct.send('POST', 'accounts', { account: { name: 'Jar', type: 'cash', balance: 0 } });
    const group = before.category_groups.find(({ name }) => name === 'Everyday');
    await direct.send('PATCH', `category_groups/${group?.id}`, { category_group: { name: 'Daily' } });
    await direct.send('POST', 'categories', { category: { name: 'Garden', category_group_id: group?.id } });

    const expected: Change[] = [
      { kind: 'scheduled transaction', deleted: rowOf(scheduledTransactions, first) },
      {
        kind: 'scheduled transaction',
        updated: rowOf(scheduledTransactions, second),
        to: { amount: -1_300 },
      },
      {
        kind: 'scheduled transaction',
        created: { account: 'Checking', date: '2026-12-01', amount: -9_990, frequency: 'monthly' },
      },
      { kind: 'account', created: { name: 'Jar', type: 'cash' } },
      { kind: 'category group', updated: { name: 'Everyday' }, to: { name: 'Daily' } },
      { kind: 'category', created: { name: 'Garden', group: 'Daily' } },
    ];
    const changes = await found();
    expect(differences(expected, changes)).toEqual([]);
    for (const [index] of expected.entries()) {
      expect(differences(expected.toSpliced(index, 1), changes)).toEqual([
        expect.stringMatching(/^Not expected/),
      ]);
      expect(differences(expected, changes.toSpliced(index, 1))).toHaveLength(1);
    }
  });
});
