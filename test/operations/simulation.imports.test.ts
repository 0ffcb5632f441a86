import { describe, expect, test } from 'vitest';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { callOperation } from '../call-operation.helper.ts';
import { idIn, type Started, spending, start, transferTo } from './simulating.helper.ts';

describe('the simulation of an import', () => {
  const imports = (started: Started, ...ids: string[]) => ({
    transactions: ids.map((import_id) => spending(started, { import_id, amount: -10_010 })),
  });

  test('a simulated import that its account already has changes nothing, among other rows or after an earlier one', async () => {
    const started = await start();
    expect(await started.comesTrue(createTransactions, imports(started, 'bank-1', 'bank-1'))).toEqual({
      Checking: -10_010,
      Groceries: -10_010,
    });
    expect(await started.comesTrue(createTransactions, imports(started, 'bank-1', 'bank-2'))).toEqual({
      Checking: -10_010,
      Groceries: -10_010,
    });
  });

  test('a single simulated import that its account already has is refused', async () => {
    const started = await start();
    await callOperation(
      started.client,
      createTransactions,
      createTransactions.input.parse(imports(started, 'bank-1')),
    );
    const { problems, balanceChanges } = await started.simulate(
      createTransactions,
      imports(started, 'bank-1'),
    );
    expect([problems, balanceChanges]).toEqual([['import_id: the account has "bank-1" already'], []]);
    const account_id = idIn(started.books.accounts, 'Wallet');
    const elsewhere = { transactions: [spending(started, { import_id: 'bank-1', account_id })] };
    await started.comesTrue(createTransactions, elsewhere);
  });

  test('a simulated import that is matched to an entry does not count again, and fills in its empty fields', async () => {
    const started = await start();
    await started.enter(spending(started, { category_id: undefined, date: '2026-11-14', amount: -10_010 }));
    await started.enter(spending(started, { date: '2026-11-12', amount: -10_010 }));
    // Eleven days before the import, so it cannot be matched.
    await started.enter(spending(started, { date: '2026-11-10', amount: -10_010 }));
    const once = imports(started, 'bank-1');
    expect(await started.comesTrue(createTransactions, once)).toEqual({ Groceries: -10_010 });
    const twice = imports(started, 'bank-2', 'bank-3');
    expect(await started.comesTrue(createTransactions, twice)).toEqual({
      Checking: -10_010,
      Groceries: -10_010,
    });
  });

  test('a simulated import is matched also if other rows of the write are no imports', async () => {
    const started = await start();
    await started.enter(spending(started, { date: '2026-11-14', amount: -10_010 }));
    const transactions = [spending(started), ...imports(started, 'bank-1').transactions];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      Groceries: -10_000,
    });
  });

  test.each([
    ['Uncategorized', 'is replaced', { Checking: -10_010, Groceries: -10_010 }],
    ['Inflow: Ready to Assign', 'is kept', { Checking: -10_010 }],
  ])(
    'the category %s of an entry %s when a simulated import with another category is matched to it',
    async (name, _, changes) => {
      const started = await start();
      const category_id = idIn(started.books.categories, name);
      const entered = spending(started, { date: '2026-11-14', amount: -10_010, category_id });
      const transactions = [entered, ...imports(started, 'bank-1').transactions];
      expect(await started.comesTrue(createTransactions, { transactions })).toEqual(changes);
    },
  );

  test('a simulated import predicts no balance if two different entries are equally near', async () => {
    const started = await start();
    await started.enter(spending(started, { category_id: undefined, date: '2026-11-16', amount: -10_010 }));
    await started.enter(spending(started, { date: '2026-11-14', amount: -10_010 }));
    const transactions = [spending(started, { import_id: 'bank-1', date: '2026-11-15', amount: -10_010 })];
    const { balanceChanges, unpredictable } = await started.simulate(createTransactions, {
      transactions,
    });
    expect([balanceChanges, unpredictable]).toEqual([[], ['Checking', 'Groceries']]);
  });

  test('a simulated import names everything that either match would change if only one of two near entries lacks a category', async () => {
    const started = await start();
    const before = await started.witness.look();
    await started.enter(spending(started, { date: '2026-11-14', amount: -10_010 }));
    await started.enter(spending(started, { category_id: undefined, date: '2026-11-16', amount: -10_010 }));
    const category_id = idIn(before.categories, 'Eating Out');
    const transactions = [
      spending(started, { import_id: 'bank-1', date: '2026-11-15', amount: -10_010, category_id }),
    ];
    const { balanceChanges, unpredictable } = await started.simulate(createTransactions, {
      transactions,
    });
    expect([balanceChanges, unpredictable.toSorted()]).toEqual([[], ['Checking', 'Eating Out', 'Groceries']]);
  });

  test('a simulated import names the account of a transfer that one of two near entries may become', async () => {
    const started = await start();
    await started.enter(spending(started, { payee_name: 'Baker', date: '2026-11-14', amount: -10_010 }));
    await started.enter(spending(started, { date: '2026-11-16', amount: -10_010 }));
    const payee_id = transferTo(started, 'Wallet');
    const transactions = [
      spending(started, { import_id: 'bank-1', date: '2026-11-15', amount: -10_010, payee_id }),
    ];
    const { balanceChanges, unpredictable } = await started.simulate(createTransactions, {
      transactions,
    });
    expect([balanceChanges, unpredictable.toSorted()]).toEqual([[], ['Checking', 'Groceries', 'Wallet']]);
  });
});
