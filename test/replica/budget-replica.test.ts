import { describe, expect, it } from 'vitest';
import { getTransaction } from '../../src/operations/transactions.ts';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import type { Export } from '../../src/replica/entities.ts';
import { InconsistentReplicaError } from '../../src/replica/inconsistent-replica-error.ts';
import { estimateBytes, estimateTransactionBytes } from '../../src/replica/memory-estimate.ts';
import { createAccount } from '../../src/service/ledger/accounts.ts';
import { createCategory, createCategoryGroup } from '../../src/service/ledger/categories.ts';
import { addPayeeLocation, createPayee, renamePayee } from '../../src/service/ledger/payees.ts';
import { addScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import {
  addTransaction,
  deleteTransaction,
  updateTransaction,
} from '../../src/service/ledger/transactions.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

const TODAY = '2026-01-20';

type Changed = { -readonly [Name in keyof Export['budget']]?: Export['budget'][Name] };

/** A budget with a split, a plain transaction, a scheduled one and a location, its replica, and ways to change both. */
async function aBudget() {
  const ledger = smallLedger();
  const service = asked(ledger);
  const made = ledger.commit((books) => {
    const account = createAccount(books, { name: 'Wallet', type: 'cash', balance: 0 });
    const payee = createPayee(books, 'Grocer');
    const group = createCategoryGroup(books, 'Daily');
    const category = createCategory(books, { group_id: group.id, name: 'Food' });
    const other = createCategory(books, { group_id: group.id, name: 'Soap' });
    const common = { account_id: account.id, date: '2026-01-10', payee_id: payee.id };
    const plain = addTransaction(books, { ...common, amount: -5000, category_id: category.id });
    const split = addTransaction(books, {
      ...common,
      amount: -9000,
      legs: [
        { amount: -4000, category_id: category.id },
        { amount: -5000, category_id: other.id },
      ],
    });
    addScheduled(books, {
      ...common,
      date: '2026-02-10',
      amount: -1000,
      category_id: category.id,
      frequency: 'monthly',
    });
    addPayeeLocation(books, { payee_id: payee.id, latitude: '1', longitude: '2' });
    return { account, payee, group, category, plain, split };
  });
  const whole = await service.export();
  const replica = BudgetReplica.load(whole, TODAY);
  const nothing = await service.export(replica.knowledge);
  const delta = (changed: Changed, knowledge = replica.knowledge + 1): Export => ({
    budget: { ...nothing.budget, ...changed },
    server_knowledge: knowledge,
  });
  const apply = (changed: Changed) => replica.apply(delta(changed), TODAY);
  return { ...made, ledger, service, whole, replica, delta, apply };
}

const gone = <Row extends { readonly id: string }>(rows: readonly Row[], id: string) =>
  rows.filter((row) => row.id === id).map((row) => ({ ...row, deleted: true }));

describe('a replica', () => {
  it('gives a name that has changed to every transaction, leg and scheduled transaction that shows it', async () => {
    const { replica, apply, whole, account, payee, category, plain, split } = await aBudget();
    const renamed = <Row extends { readonly id: string }>(rows: readonly Row[], id: string, name: string) =>
      rows.filter((row) => row.id === id).map((row) => ({ ...row, name }));
    apply({
      accounts: renamed(whole.budget.accounts, account.id, 'Purse'),
      payees: renamed(whole.budget.payees, payee.id, 'Greengrocer'),
      categories: renamed(whole.budget.categories, category.id, 'Groceries'),
    });
    const names = { account_name: 'Purse', payee_name: 'Greengrocer', category_name: 'Groceries' };
    expect(replica.transactions.get(plain.id)).toMatchObject(names);
    expect(replica.transactions.get(split.id)).toMatchObject({
      ...names,
      category_name: 'Split',
      subtransactions: [{ category_name: 'Groceries' }, { category_name: 'Soap' }],
    });
    expect(replica.transactions.list({}).filter(({ payee_id }) => payee_id === payee.id)).toMatchObject([
      { payee_name: 'Greengrocer' },
      { payee_name: 'Greengrocer' },
    ]);
    expect(replica.transactions.ofPayee(payee.id, {})).toMatchObject(
      Array.from({ length: 3 }, () => ({ payee_name: 'Greengrocer' })),
    );
    expect(replica.scheduledTransactions.list()).toMatchObject([names]);
  });

  it('does not change what it has handed out', async () => {
    const { ledger, service, replica, plain, split, payee } = await aBudget();
    const rows = replica.transactions.list({});
    const copy = structuredClone(rows);
    ledger.commit((books) => {
      updateTransaction(books, plain.id, { memo: 'new', date: '2026-01-02' });
      deleteTransaction(books, split.id);
      renamePayee(books, payee.id, 'Greengrocer');
    });
    replica.apply(await service.export(replica.knowledge), TODAY);
    expect(rows).toEqual(copy);
    expect(replica.transactions.list({})).not.toEqual(copy);
  });

  it('lists a month from a day on, that day included', async () => {
    const { replica } = await aBudget();
    const from = (since_date: string) =>
      replica.transactions.ofMonth('current', { since_date }).filter(({ date }) => date === '2026-01-10');
    expect(from('2026-01-10')).toHaveLength(2);
    expect(from('2026-01-11')).toEqual([]);
  });

  it('lists the legs of splits among other rows by their own ids', async () => {
    const { replica, apply, whole, payee, plain, split } = await aBudget();
    const [first, second] = whole.budget.subtransactions;
    if (!first || !second) throw new Error('The split has no legs.');
    apply({
      subtransactions: [
        { ...first, deleted: true },
        { ...first, id: '0 before all others' },
      ],
    });
    expect(replica.transactions.ofPayee(payee.id, {}).map(({ id }) => id)).toEqual([
      '0 before all others',
      plain.id,
      second.id,
    ]);
    expect(replica.transactions.list({}).map(({ id }) => id)).toContain(split.id);
  });

  it('takes the same delta twice', async () => {
    const { ledger, service, replica, plain, split } = await aBudget();
    ledger.commit((books) => {
      updateTransaction(books, plain.id, { memo: 'new', date: '2026-01-02' });
      deleteTransaction(books, split.id);
    });
    const delta = await service.export(replica.knowledge);
    replica.apply(delta, TODAY);
    const { bytes } = replica;
    const once = structuredClone(replica.export());
    replica.apply(delta, TODAY);
    expect(replica.export()).toEqual(once);
    expect(replica.transactions.list({})).toHaveLength(once.transactions.length);
    expect(replica.bytes).toBe(bytes);
  });

  it('takes the legs of a deleted transaction with it, even where the delta does not name them', async () => {
    const { replica, apply, whole, split } = await aBudget();
    apply({ transactions: gone(whole.budget.transactions, split.id) });
    expect(replica.export().subtransactions).toEqual([]);
    expect(() => replica.transactions.get(split.id)).toThrow(/no transaction/);
  });

  it('takes the legs of a deleted scheduled transaction with it', async () => {
    const { replica, apply, whole } = await aBudget();
    const rows = whole.budget.scheduled_transactions;
    const legs = whole.budget.subtransactions.map((leg) => ({
      ...leg,
      scheduled_transaction_id: rows[0]?.id ?? '',
    }));
    apply({ scheduled_subtransactions: legs });
    expect(replica.export().scheduled_subtransactions).toHaveLength(2);
    apply({ scheduled_transactions: rows.map((row) => ({ ...row, deleted: true })) });
    expect(replica.export().scheduled_subtransactions).toEqual([]);
  });

  it('lets a payee go once nothing refers to it', async () => {
    const { replica, apply, whole, payee } = await aBudget();
    const deleted = <Row>(rows: readonly Row[]) => rows.map((row) => ({ ...row, deleted: true }));
    apply({
      transactions: deleted(whole.budget.transactions),
      scheduled_transactions: deleted(whole.budget.scheduled_transactions),
      payee_locations: deleted(whole.budget.payee_locations),
    });
    apply({ payees: gone(whole.budget.payees, payee.id) });
    expect(replica.payees.has(payee.id)).toBe(false);
  });

  it('hands out the same list until a transaction changes', async () => {
    const { replica, apply, whole, payee } = await aBudget();
    const list = replica.transactions.list({});
    apply({ accounts: whole.budget.accounts });
    expect(replica.transactions.list({})).toBe(list);
    const own = replica.transactions.ofAccount(whole.budget.accounts[0]?.id ?? '', {});
    apply({
      payees: gone(whole.budget.payees, payee.id).map((row) => ({ ...row, deleted: false, name: 'x' })),
    });
    expect(replica.transactions.list({})).not.toBe(list);
    expect(replica.transactions.ofAccount(whole.budget.accounts[0]?.id ?? '', {})).toBe(own);
  });

  it('hands out the same lists where a delta deletes what it never had, or brings nothing', async () => {
    const { replica, apply, whole, plain } = await aBudget();
    const [transactions, accounts] = [replica.transactions.list({}), replica.accounts.list()];
    apply({
      transactions: gone(whole.budget.transactions, plain.id).map((row) => ({ ...row, id: 'nothing' })),
    });
    expect(replica.transactions.list({})).toBe(transactions);
    expect(replica.accounts.list()).toBe(accounts);
  });

  it('lists a split under the category and the payee of each of its legs', async () => {
    const { replica, apply, whole, split, category, account } = await aBudget();
    const [first = expect.unreachable(), second = expect.unreachable()] = whole.budget.subtransactions;
    const other = whole.budget.payees.find(({ id }) => id !== split.payee_id) ?? expect.unreachable();
    apply({ subtransactions: [{ ...first, payee_id: other.id }] });
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    expect(idsOf(replica.transactions.ofCategory(category.id, {}))).toContain(first.id);
    expect(idsOf(replica.transactions.ofCategory(second.category_id ?? '', {}))).toContain(second.id);
    expect(idsOf(replica.transactions.ofPayee(other.id, {}))).toContain(first.id);
    expect(idsOf(replica.transactions.ofAccount(account.id, {}))).toContain(split.id);
  });

  it('lets a payee go after a transaction that was the last to name it, whose lists were asked for', async () => {
    const { replica, apply, whole, plain, split, payee } = await aBudget();
    expect(replica.transactions.ofPayee(payee.id, {})).not.toEqual([]);
    apply({
      transactions: [plain, split].flatMap(({ id }) => gone(whole.budget.transactions, id)),
      scheduled_transactions: whole.budget.scheduled_transactions.map((row) => ({ ...row, deleted: true })),
      payee_locations: whole.budget.payee_locations.map((row) => ({ ...row, deleted: true })),
    });
    apply({ payees: gone(whole.budget.payees, payee.id) });
    expect(replica.payees.has(payee.id)).toBe(false);
  });

  it('takes the legs of a deleted transaction with it, even where the delta shows them as they were', async () => {
    const { replica, apply, whole, split, category } = await aBudget();
    apply({
      transactions: gone(whole.budget.transactions, split.id),
      subtransactions: whole.budget.subtransactions,
    });
    const [first = expect.unreachable()] = whole.budget.subtransactions;
    expect(replica.transactions.ofCategory(category.id, {}).map(({ id }) => id)).not.toContain(first.id);
    expect(replica.export().subtransactions).toEqual([]);
  });

  it('ignores the tombstones of legs whose transaction it never had, and distrusts any other leg', async () => {
    const { apply, whole } = await aBudget();
    const [first = expect.unreachable(), second = expect.unreachable()] = whole.budget.subtransactions;
    const unknown = [first, second].map((leg) => ({ ...leg, transaction_id: 'nothing' }));
    expect(() => apply({ subtransactions: unknown.map((leg) => ({ ...leg, deleted: true })) })).not.toThrow();
    expect(() =>
      apply({ subtransactions: unknown.map((leg, at) => ({ ...leg, deleted: at === 0 })) }),
    ).toThrow(InconsistentReplicaError);
  });

  it('keeps the legs of one scheduled transaction when another one is deleted', async () => {
    const { apply, replica, whole } = await aBudget();
    const [plan = expect.unreachable()] = whole.budget.scheduled_transactions;
    const plans = ['one', 'other'].map((id) => ({ ...plan, id }));
    const legs = plans.map(({ id }) => ({
      id: `leg of ${id}`,
      scheduled_transaction_id: id,
      amount: -1_000,
      memo: null,
      payee_id: null,
      payee_name: null,
      category_id: null,
      category_name: null,
      transfer_account_id: null,
      deleted: false,
    }));
    const before = replica.bytes;
    apply({ scheduled_transactions: plans, scheduled_subtransactions: legs });
    const added = [...plans, ...legs].reduce((sum, row) => sum + estimateBytes(row), 0);
    expect(replica.bytes - before).toBe(added);
    apply({ scheduled_transactions: gone(plans, 'one') });
    expect(replica.export().scheduled_subtransactions.map(({ id }) => id)).toEqual(['leg of other']);
  });

  it('estimates the memory of its transactions as they come and go', async () => {
    const { replica, apply, whole, split } = await aBudget();
    const { bytes } = replica;
    const row = replica.transactions.get(split.id);
    apply({ transactions: gone(whole.budget.transactions, split.id) });
    expect(bytes - replica.bytes).toBe(estimateTransactionBytes(row));
    apply({
      transactions: whole.budget.transactions.filter(({ id }) => id === split.id),
      subtransactions: whole.budget.subtransactions,
    });
    expect(replica.bytes).toBe(bytes);
  });

  it('says of what kind an id is that it does not have', async () => {
    const { replica } = await aBudget();
    const asking: readonly (readonly [kind: string, ask: () => unknown])[] = [
      ['account', () => replica.accounts.get('nothing')],
      ['payee', () => replica.payees.get('nothing')],
      ['payee location', () => replica.payeeLocations.get('nothing')],
      ['category', () => replica.categories.get('nothing')],
      ['category', () => replica.months.category('current', 'nothing')],
      ['month', () => replica.months.summary('nothing')],
      ['transaction', () => replica.transactions.get('nothing')],
      ['scheduled transaction', () => replica.scheduledTransactions.get('nothing')],
    ];
    for (const [kind, ask] of asking) expect(ask).toThrow(`The budget has no ${kind} "nothing".`);
  });

  it('adds a leg to a split of which only the leg is sent', async () => {
    const { replica, apply, whole, split } = await aBudget();
    const [leg] = whole.budget.subtransactions;
    apply({ subtransactions: leg ? [{ ...leg, memo: 'milk' }] : [] });
    expect(replica.transactions.get(split.id).subtransactions).toMatchObject([
      { memo: 'milk' },
      { memo: null },
    ]);
  });

  it('understands `current` by the day of its last sync', async () => {
    const { replica, whole, delta } = await aBudget();
    const [month] = whole.budget.months;
    expect(replica.months.summary('current').month).toBe('2026-01-01');
    const february = month ? [{ ...month, month: '2026-02-01' }] : [];
    replica.apply(delta({ months: february }), '2026-02-01');
    expect(replica.months.summary('current').month).toBe('2026-02-01');
    replica.apply(delta({}), '2026-03-01');
    expect(() => replica.months.summary('current')).toThrow(/no month/);
  });

  it('drops what is deleted in an export', async () => {
    const { whole, split } = await aBudget();
    const transactions = whole.budget.transactions.map((row) => ({ ...row, deleted: row.id === split.id }));
    const subtransactions = whole.budget.subtransactions.map((leg) => ({ ...leg, deleted: true }));
    const replica = BudgetReplica.load(
      { ...whole, budget: { ...whole.budget, transactions, subtransactions } },
      TODAY,
    );
    expect(replica.transactions.list({})).toHaveLength(transactions.length - 1);
  });

  it('holds a budget from which all transactions go, and into which others come', async () => {
    const { replica, apply, whole } = await aBudget();
    const before = replica.transactions.list({});
    apply({ transactions: whole.budget.transactions.map((row) => ({ ...row, deleted: true })) });
    const none = replica.transactions.list({});
    apply({ transactions: whole.budget.transactions, subtransactions: whole.budget.subtransactions });
    expect(none).toEqual([]);
    expect(replica.transactions.list({})).toEqual(before);
  });

  it('answers what it does not have as the service does', async () => {
    const { service, replica } = await aBudget();
    const input = { transaction_id: 'nothing' };
    await expect(service.data(getTransaction, input)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect(() => getTransaction.readLocally?.(replica, { budget_id: undefined, ...input })).toThrow(
      expect.objectContaining({ code: 'resource_not_found' }),
    );
  });
});

describe('a replica distrusts', () => {
  it('a delta that is older than what it has', async () => {
    const { ledger, service, replica, plain } = await aBudget();
    ledger.commit((books) => updateTransaction(books, plain.id, { memo: 'first' }));
    const first = await service.export(replica.knowledge);
    ledger.commit((books) => updateTransaction(books, plain.id, { memo: 'second' }));
    const second = await service.export(first.server_knowledge);
    replica.apply(second, TODAY);
    expect(() => replica.apply(first, TODAY)).toThrow(InconsistentReplicaError);
  });

  it('a delta of another budget', async () => {
    const { replica, delta } = await aBudget();
    const { budget, ...rest } = delta({});
    expect(() => replica.apply({ ...rest, budget: { ...budget, id: 'other' } }, TODAY)).toThrow(
      InconsistentReplicaError,
    );
  });

  type Budget = Awaited<ReturnType<typeof aBudget>>;
  const faults: readonly (readonly [what: string, changed: (budget: Budget) => Changed])[] = [
    [
      'a transaction of an unknown account',
      ({ whole }) => ({
        transactions: whole.budget.transactions.map((row) => ({ ...row, account_id: 'x' })),
      }),
    ],
    [
      'a transaction of an unknown payee',
      ({ whole }) => ({ transactions: whole.budget.transactions.map((row) => ({ ...row, payee_id: 'x' })) }),
    ],
    [
      'a transaction in an unknown category',
      ({ whole, plain }) => ({
        transactions: whole.budget.transactions
          .filter(({ id }) => id === plain.id)
          .map((row) => ({ ...row, category_id: 'x' })),
      }),
    ],
    [
      'a transfer with an unknown account',
      ({ whole }) => ({
        transactions: whole.budget.transactions.map((row) => ({ ...row, transfer_account_id: 'x' })),
      }),
    ],
    [
      'a leg without its transaction',
      ({ whole }) => ({
        subtransactions: whole.budget.subtransactions.map((leg) => ({ ...leg, transaction_id: 'x' })),
      }),
    ],
    [
      'a leg in an unknown category',
      ({ whole }) => ({
        subtransactions: whole.budget.subtransactions.map((leg) => ({ ...leg, category_id: 'x' })),
      }),
    ],
    [
      'a scheduled transaction of an unknown account',
      ({ whole }) => ({
        scheduled_transactions: whole.budget.scheduled_transactions.map((row) => ({
          ...row,
          account_id: 'x',
        })),
      }),
    ],
    [
      'a leg without its scheduled transaction',
      ({ whole }) => ({
        scheduled_subtransactions: whole.budget.subtransactions.map((leg) => ({
          ...leg,
          scheduled_transaction_id: 'x',
        })),
      }),
    ],
    [
      'a category in an unknown group',
      ({ whole }) => ({
        categories: whole.budget.categories.map((row) => ({ ...row, category_group_id: 'x' })),
      }),
    ],
    [
      'a month with an unknown category',
      ({ whole }) => ({
        months: whole.budget.months.map((month) => ({
          ...month,
          categories: month.categories.map((row) => ({ ...row, id: 'x' })),
        })),
      }),
    ],
    [
      'a location of an unknown payee',
      ({ whole }) => ({
        payee_locations: whole.budget.payee_locations.map((row) => ({ ...row, payee_id: 'x' })),
      }),
    ],
    [
      'transactions that stay when their account goes',
      ({ whole, account }) => ({ accounts: gone(whole.budget.accounts, account.id) }),
    ],
    [
      'a transfer that stays when the other account goes',
      ({ whole, plain, account, apply }) => {
        const target = whole.budget.accounts.find(({ id }) => id !== account.id)?.id ?? '';
        const transfer = whole.budget.transactions.filter(({ id }) => id === plain.id);
        apply({ transactions: transfer.map((row) => ({ ...row, transfer_account_id: target })) });
        const own = whole.budget.transactions.filter((row) => row.account_id === target);
        return {
          accounts: gone(whole.budget.accounts, target),
          transactions: own.map((row) => ({ ...row, deleted: true })),
        };
      },
    ],
    [
      'transactions that stay when their payee goes',
      ({ whole, payee }) => ({
        payees: gone(whole.budget.payees, payee.id),
        payee_locations: whole.budget.payee_locations.map((row) => ({ ...row, deleted: true })),
        scheduled_transactions: whole.budget.scheduled_transactions.map((row) => ({ ...row, deleted: true })),
      }),
    ],
    [
      'a month that keeps a category when it goes',
      ({ whole }) => {
        const used = new Set(
          [...whole.budget.transactions, ...whole.budget.subtransactions].map((row) => row.category_id),
        );
        const unused = whole.budget.categories.find(({ id }) => !used.has(id));
        return { categories: gone(whole.budget.categories, unused?.id ?? '') };
      },
    ],
    [
      'categories that stay when their group goes',
      ({ whole, group }) => ({ category_groups: gone(whole.budget.category_groups, group.id) }),
    ],
  ];

  it.each(faults)('%s', async (_, changed) => {
    const budget = await aBudget();
    expect(() => budget.apply(changed(budget))).toThrow(InconsistentReplicaError);
  });

  it.each(faults.slice(0, 11))('in an export: %s', async (_, changed) => {
    const budget = await aBudget();
    const contradictory = { ...budget.whole, budget: { ...budget.whole.budget, ...changed(budget) } };
    expect(() => BudgetReplica.load(contradictory, TODAY)).toThrow(InconsistentReplicaError);
  });
});
