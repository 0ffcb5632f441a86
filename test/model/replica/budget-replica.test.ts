import { describe, expect, it } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import {
  estimateBytes,
  estimateTransactionBytes,
  InconsistentReplicaError,
} from '../../../src/model/replica/entity-table.ts';
import { getTransaction } from '../../../src/operations/transactions.ts';
import { createAccount } from '../../../src/service/ledger/accounts.ts';
import { createCategory, createCategoryGroup } from '../../../src/service/ledger/categories.ts';
import { addPayeeLocation, createPayee, renamePayee } from '../../../src/service/ledger/payees.ts';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import {
  addTransaction,
  deleteTransaction,
  updateTransaction,
} from '../../../src/service/ledger/transactions.ts';
import { scheduledLeg } from '../../answers/samples.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

const TODAY = '2026-01-20';

type Changed = { -readonly [Name in keyof Export['budget']]?: Export['budget'][Name] };

/**
 * A budget with a split, an unsplit transaction, a scheduled one and a location, its replica, and ways to change
 * both.
 */
async function createBudget() {
  const ledger = smallLedger();
  const service = directReader(ledger);
  const created = ledger.commit((state) => {
    const account = createAccount(state, { name: 'Wallet', type: 'cash', balance: 0 });
    const payee = createPayee(state, 'Grocer');
    const group = createCategoryGroup(state, 'Daily');
    const category = createCategory(state, { group_id: group.id, name: 'Food' });
    const other = createCategory(state, { group_id: group.id, name: 'Soap' });
    const common = { account_id: account.id, date: '2026-01-10', payee_id: payee.id };
    const plain = addTransaction(state, { ...common, amount: -5000, category_id: category.id });
    const split = addTransaction(state, {
      ...common,
      amount: -9000,
      legs: [
        { amount: -4000, category_id: category.id },
        { amount: -5000, category_id: other.id },
      ],
    });
    addScheduled(state, {
      ...common,
      date: '2026-02-10',
      amount: -1000,
      category_id: category.id,
      frequency: 'monthly',
    });
    addPayeeLocation(state, { payee_id: payee.id, latitude: '1', longitude: '2' });
    return { account, payee, group, category, plain, split };
  });
  const exported = await service.export();
  const replica = BudgetReplica.load(exported, TODAY);
  const emptyDelta = await service.export(replica.knowledge);
  const delta = (changed: Changed, knowledge = replica.knowledge + 1): Export => ({
    budget: { ...emptyDelta.budget, ...changed },
    server_knowledge: knowledge,
  });
  const apply = (changed: Changed) => replica.apply(delta(changed), TODAY);
  return { ...created, ledger, service, whole: exported, replica, delta, apply };
}

/** The row with this id after a change, as a delta has it. */
const afterChange = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  id: string | null,
  change: object,
) => rows.filter((row) => row.id === id).map((row) => ({ ...row, ...change }));

const asDeleted = <Row extends { readonly id: string }>(rows: readonly Row[], id: string) =>
  afterChange(rows, id, { deleted: true });

/** A new name for an account, a payee or a category. */
const renamedIn = ({ budget }: Export, list: 'accounts' | 'payees' | 'categories', id: string | null) => ({
  [list]: afterChange<{ readonly id: string }>(budget[list], id, { name: 'Renamed' }),
});

/** The error says in a sentence what contradicts what, for the log. */
function expectInconsistent(change: () => unknown): void {
  let thrown: unknown;
  try {
    change();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(InconsistentReplicaError);
  expect(thrown).toMatchObject({
    name: 'InconsistentReplicaError',
    message: expect.stringMatching(/^\S+( \S+){3,}\.$/),
  });
}

describe('replicas', () => {
  it('a changed name appears in every transaction, leg and scheduled transaction that refers to it', async () => {
    const { replica, apply, whole: exported, account, payee, category, plain, split } = await createBudget();
    apply({
      accounts: afterChange(exported.budget.accounts, account.id, { name: 'Purse' }),
      payees: afterChange(exported.budget.payees, payee.id, { name: 'Greengrocer' }),
      categories: afterChange(exported.budget.categories, category.id, { name: 'Groceries' }),
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

  it.each([
    ['accounts', 'plain', 'account_id', 'account_name'],
    ['payees', 'plain', 'payee_id', 'payee_name'],
    ['categories', 'plain', 'category_id', 'category_name'],
    ['accounts', 'split', 'account_id', 'account_name'],
    ['payees', 'split', 'payee_id', 'payee_name'],
  ] as const)('a changed name in %s alone appears in a %s transaction', async (list, which, idOf, nameOf) => {
    const { replica, apply, whole: exported, ...rows } = await createBudget();
    const id = replica.transactions.get(rows[which].id)[idOf];
    apply(renamedIn(exported, list, id));
    expect(replica.transactions.get(rows[which].id)[nameOf]).toBe('Renamed');
  });

  it.each([
    ['categories', 'category_id', 'category_name'],
    ['payees', 'payee_id', 'payee_name'],
  ] as const)(
    'a changed name in %s that only one leg refers to appears in that leg',
    async (list, idOf, nameOf) => {
      const { replica, apply, whole: exported, split } = await createBudget();
      const [first = expect.unreachable(), second = expect.unreachable()] = exported.budget.subtransactions;
      const payee = exported.budget.payees.find(({ id }) => id !== split.payee_id) ?? expect.unreachable();
      apply({ subtransactions: [{ ...second, payee_id: payee.id }] });
      const before = replica.transactions.get(split.id).subtransactions;
      const leg = before.find(({ id }) => id === second.id) ?? expect.unreachable();
      apply(renamedIn(exported, list, leg[idOf]));
      const after = replica.transactions.get(split.id).subtransactions;
      expect(after.map((each) => each[nameOf])).toEqual([
        before.find(({ id }) => id === first.id)?.[nameOf],
        'Renamed',
      ]);
    },
  );

  it('a list with legs says of each row whether it is a leg, and of which transaction', async () => {
    const { replica, apply, whole: exported, plain, split, payee } = await createBudget();
    const [first = expect.unreachable(), second = expect.unreachable()] = exported.budget.subtransactions;
    const other = exported.budget.payees.find(({ id }) => id !== payee.id) ?? expect.unreachable();
    apply({ subtransactions: [{ ...second, payee_id: other.id }] });
    const rows = [
      ...replica.transactions.ofPayee(payee.id, {}),
      ...replica.transactions.ofPayee(other.id, {}),
    ];
    const row = (id: string) => rows.find((each) => each.id === id);
    expect(row(plain.id)).toMatchObject({ type: 'transaction', parent_transaction_id: null });
    // A leg without a payee has the one of its transaction.
    expect(row(first.id)).toMatchObject({
      type: 'subtransaction',
      parent_transaction_id: split.id,
      payee_name: payee.name,
    });
    expect(row(second.id)).toMatchObject({ payee_id: other.id, payee_name: other.name });
  });

  it('returned lists do not change', async () => {
    const { ledger, service, replica, plain, split, payee } = await createBudget();
    const rows = replica.transactions.list({});
    const copy = structuredClone(rows);
    ledger.commit((state) => {
      updateTransaction(state, plain.id, { memo: 'new', date: '2026-01-02' });
      deleteTransaction(state, split.id);
      renamePayee(state, payee.id, 'Greengrocer');
    });
    replica.apply(await service.export(replica.knowledge), TODAY);
    expect(rows).toEqual(copy);
    expect(replica.transactions.list({})).not.toEqual(copy);
  });

  it('a month can be listed from a date on, including that date', async () => {
    const { replica } = await createBudget();
    const from = (since_date: string) =>
      replica.transactions.ofMonth('current', { since_date }).filter(({ date }) => date === '2026-01-10');
    expect(from('2026-01-10')).toHaveLength(2);
    expect(from('2026-01-11')).toEqual([]);
  });

  it('legs of splits are sorted among other rows by their own ids', async () => {
    const { replica, apply, whole: exported, payee, plain, split } = await createBudget();
    const [first, second] = exported.budget.subtransactions;
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

  it('applying the same delta twice has no further effect', async () => {
    const { ledger, service, replica, plain, split } = await createBudget();
    ledger.commit((state) => {
      updateTransaction(state, plain.id, { memo: 'new', date: '2026-01-02' });
      deleteTransaction(state, split.id);
    });
    const delta = await service.export(replica.knowledge);
    replica.apply(delta, TODAY);
    const { bytes } = replica;
    const afterFirst = structuredClone(replica.export());
    replica.apply(delta, TODAY);
    expect(replica.export()).toEqual(afterFirst);
    expect(replica.transactions.list({})).toHaveLength(afterFirst.transactions.length);
    expect(replica.bytes).toBe(bytes);
  });

  it('deleting a transaction deletes its legs, even if the delta does not contain them', async () => {
    const { replica, apply, whole: exported, split } = await createBudget();
    apply({ transactions: asDeleted(exported.budget.transactions, split.id) });
    expect(replica.export().subtransactions).toEqual([]);
    expect(() => replica.transactions.get(split.id)).toThrow(/no transaction/);
  });

  it('deleting a scheduled transaction deletes its legs', async () => {
    const { replica, apply, whole: exported } = await createBudget();
    const rows = exported.budget.scheduled_transactions;
    const legs = exported.budget.subtransactions.map((leg) => ({
      ...leg,
      scheduled_transaction_id: rows[0]?.id ?? '',
    }));
    apply({ scheduled_subtransactions: legs });
    expect(replica.export().scheduled_subtransactions).toHaveLength(2);
    apply({ scheduled_transactions: rows.map((row) => ({ ...row, deleted: true })) });
    expect(replica.export().scheduled_subtransactions).toEqual([]);
  });

  it('a payee can be deleted when nothing refers to it', async () => {
    const { replica, apply, whole: exported, payee } = await createBudget();
    const deleted = <Row>(rows: readonly Row[]) => rows.map((row) => ({ ...row, deleted: true }));
    apply({
      transactions: deleted(exported.budget.transactions),
      scheduled_transactions: deleted(exported.budget.scheduled_transactions),
      payee_locations: deleted(exported.budget.payee_locations),
    });
    apply({ payees: asDeleted(exported.budget.payees, payee.id) });
    expect(replica.payees.has(payee.id)).toBe(false);
  });

  it('the same list is returned until a transaction changes', async () => {
    const { replica, apply, whole: exported, payee } = await createBudget();
    const list = replica.transactions.list({});
    apply({ accounts: exported.budget.accounts });
    expect(replica.transactions.list({})).toBe(list);
    apply({
      payees: asDeleted(exported.budget.payees, payee.id).map((row) => ({
        ...row,
        deleted: false,
        name: 'x',
      })),
    });
    expect(replica.transactions.list({})).not.toBe(list);
  });

  it('the same lists are returned after a delta that deletes an unknown transaction or changes nothing', async () => {
    const { replica, apply, whole: exported, plain } = await createBudget();
    const [transactions, accounts] = [replica.transactions.list({}), replica.accounts.list()];
    apply({
      transactions: asDeleted(exported.budget.transactions, plain.id).map((row) => ({
        ...row,
        id: 'nothing',
      })),
    });
    expect(replica.transactions.list({})).toBe(transactions);
    expect(replica.accounts.list()).toBe(accounts);
  });

  it('a split is listed under the category and the payee of each of its legs', async () => {
    const { replica, apply, whole: exported, split, category, account } = await createBudget();
    const [first = expect.unreachable(), second = expect.unreachable()] = exported.budget.subtransactions;
    const other = exported.budget.payees.find(({ id }) => id !== split.payee_id) ?? expect.unreachable();
    apply({ subtransactions: [{ ...first, payee_id: other.id }] });
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    expect(idsOf(replica.transactions.ofCategory(category.id, {}))).toContain(first.id);
    expect(idsOf(replica.transactions.ofCategory(second.category_id ?? '', {}))).toContain(second.id);
    expect(idsOf(replica.transactions.ofPayee(other.id, {}))).toContain(first.id);
    expect(idsOf(replica.transactions.ofAccount(account.id, {}))).toContain(split.id);
  });

  it('a payee can be deleted after the last transaction that refers to it, also when its list was read before', async () => {
    const { replica, apply, whole: exported, plain, split, payee } = await createBudget();
    expect(replica.transactions.ofPayee(payee.id, {})).not.toEqual([]);
    apply({
      transactions: [plain, split].flatMap(({ id }) => asDeleted(exported.budget.transactions, id)),
      scheduled_transactions: exported.budget.scheduled_transactions.map((row) => ({
        ...row,
        deleted: true,
      })),
      payee_locations: exported.budget.payee_locations.map((row) => ({ ...row, deleted: true })),
    });
    apply({ payees: asDeleted(exported.budget.payees, payee.id) });
    expect(replica.payees.has(payee.id)).toBe(false);
  });

  it('a deleted transaction is removed with its legs, also when the delta contains the legs unchanged', async () => {
    const { replica, apply, whole: exported, split, category } = await createBudget();
    apply({
      transactions: asDeleted(exported.budget.transactions, split.id),
      subtransactions: exported.budget.subtransactions,
    });
    const [first = expect.unreachable()] = exported.budget.subtransactions;
    expect(replica.transactions.ofCategory(category.id, {}).map(({ id }) => id)).not.toContain(first.id);
    expect(replica.export().subtransactions).toEqual([]);
  });

  it('a deleted leg of an unknown transaction is ignored, and any other leg of one is an error', async () => {
    const { apply, whole: exported } = await createBudget();
    const [first = expect.unreachable(), second = expect.unreachable()] = exported.budget.subtransactions;
    const unknown = [first, second].map((leg) => ({ ...leg, transaction_id: 'nothing' }));
    expect(() => apply({ subtransactions: unknown.map((leg) => ({ ...leg, deleted: true })) })).not.toThrow();
    expectInconsistent(() =>
      apply({ subtransactions: unknown.map((leg, at) => ({ ...leg, deleted: at === 0 })) }),
    );
  });

  it('the legs of a scheduled transaction stay when another scheduled transaction is deleted', async () => {
    const { apply, replica, whole: exported } = await createBudget();
    const [scheduled = expect.unreachable()] = exported.budget.scheduled_transactions;
    const scheduledRows = ['one', 'other'].map((id) => ({ ...scheduled, id }));
    const legs = scheduledRows.map(({ id }) =>
      scheduledLeg({
        id: `leg of ${id}`,
        scheduled_transaction_id: id,
        category_id: null,
        category_name: null,
      }),
    );
    const before = replica.bytes;
    apply({ scheduled_transactions: scheduledRows, scheduled_subtransactions: legs });
    const added = [...scheduledRows, ...legs].reduce((sum, row) => sum + estimateBytes(row), 0);
    expect(replica.bytes - before).toBe(added);
    apply({ scheduled_transactions: asDeleted(scheduledRows, 'one') });
    expect(replica.export().scheduled_subtransactions.map(({ id }) => id)).toEqual(['leg of other']);
  });

  it('the estimated memory of a transaction is subtracted when it is deleted and added when it is created', async () => {
    const { replica, apply, whole: exported, split } = await createBudget();
    const { bytes } = replica;
    const row = replica.transactions.get(split.id);
    apply({ transactions: asDeleted(exported.budget.transactions, split.id) });
    expect(bytes - replica.bytes).toBe(estimateTransactionBytes(row));
    apply({
      transactions: exported.budget.transactions.filter(({ id }) => id === split.id),
      subtransactions: exported.budget.subtransactions,
    });
    expect(replica.bytes).toBe(bytes);
  });

  it('the error for an unknown id names the kind of entity', async () => {
    const { replica } = await createBudget();
    const lookUps: readonly (readonly [kind: string, lookUp: () => unknown])[] = [
      ['account', () => replica.accounts.get('nothing')],
      ['payee', () => replica.payees.get('nothing')],
      ['payee location', () => replica.payeeLocations.get('nothing')],
      ['category', () => replica.categories.get('nothing')],
      ['category', () => replica.months.category('current', 'nothing')],
      ['month', () => replica.months.summary('nothing')],
      ['transaction', () => replica.transactions.get('nothing')],
      ['scheduled transaction', () => replica.scheduledTransactions.get('nothing')],
    ];
    for (const [kind, lookUp] of lookUps) expect(lookUp).toThrow(`The budget has no ${kind} "nothing".`);
  });

  it('a changed leg is merged into its split without the transaction', async () => {
    const { replica, apply, whole: exported, split } = await createBudget();
    const [leg] = exported.budget.subtransactions;
    apply({ subtransactions: leg ? [{ ...leg, memo: 'milk' }] : [] });
    expect(replica.transactions.get(split.id).subtransactions).toMatchObject([
      { memo: 'milk' },
      { memo: null },
    ]);
  });

  it('the month `current` is that of the last sync', async () => {
    const { replica, whole: exported, delta } = await createBudget();
    const [month] = exported.budget.months;
    expect(replica.months.summary('current').month).toBe('2026-01-01');
    const february = month ? [{ ...month, month: '2026-02-01' }] : [];
    replica.apply(delta({ months: february }), '2026-02-01');
    expect(replica.months.summary('current').month).toBe('2026-02-01');
    replica.apply(delta({}), '2026-03-01');
    expect(() => replica.months.summary('current')).toThrow(/no month/);
  });

  it('deleted rows of an export are dropped', async () => {
    const { whole: exported, split } = await createBudget();
    const transactions = exported.budget.transactions.map((row) => ({
      ...row,
      deleted: row.id === split.id,
    }));
    const subtransactions = exported.budget.subtransactions.map((leg) => ({ ...leg, deleted: true }));
    const replica = BudgetReplica.load(
      { ...exported, budget: { ...exported.budget, transactions, subtransactions } },
      TODAY,
    );
    expect(replica.transactions.list({})).toHaveLength(transactions.length - 1);
  });

  it('all transactions of a replica can be deleted and added again', async () => {
    const { replica, apply, whole: exported } = await createBudget();
    const before = replica.transactions.list({});
    apply({ transactions: exported.budget.transactions.map((row) => ({ ...row, deleted: true })) });
    const empty = replica.transactions.list({});
    apply({ transactions: exported.budget.transactions, subtransactions: exported.budget.subtransactions });
    expect(empty).toEqual([]);
    expect(replica.transactions.list({})).toEqual(before);
  });

  it('an unknown id gets the same error as from the service', async () => {
    const { service, replica } = await createBudget();
    const input = { transaction_id: 'nothing' };
    await expect(service.data(getTransaction, input)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect(() => getTransaction.readLocally?.(replica, { budget_id: undefined, ...input })).toThrow(
      expect.objectContaining({ code: 'resource_not_found' }),
    );
  });
});

describe('inconsistent data', () => {
  it('a delta older than the replica is rejected', async () => {
    const { ledger, service, replica, plain } = await createBudget();
    ledger.commit((state) => updateTransaction(state, plain.id, { memo: 'first' }));
    const first = await service.export(replica.knowledge);
    ledger.commit((state) => updateTransaction(state, plain.id, { memo: 'second' }));
    const second = await service.export(first.server_knowledge);
    replica.apply(second, TODAY);
    expectInconsistent(() => replica.apply(first, TODAY));
  });

  it('a delta of another budget is rejected', async () => {
    const { replica, delta } = await createBudget();
    const { budget, ...rest } = delta({});
    expectInconsistent(() => replica.apply({ ...rest, budget: { ...budget, id: 'other' } }, TODAY));
  });

  type Budget = Awaited<ReturnType<typeof createBudget>>;
  const faults: readonly (readonly [what: string, changed: (budget: Budget) => Changed])[] = [
    [
      'a transaction of an unknown account',
      ({ whole: exported }) => ({
        transactions: exported.budget.transactions.map((row) => ({ ...row, account_id: 'x' })),
      }),
    ],
    [
      'a transaction of an unknown payee',
      ({ whole: exported }) => ({
        transactions: exported.budget.transactions.map((row) => ({ ...row, payee_id: 'x' })),
      }),
    ],
    [
      'a transaction in an unknown category',
      ({ whole: exported, plain }) => ({
        transactions: exported.budget.transactions
          .filter(({ id }) => id === plain.id)
          .map((row) => ({ ...row, category_id: 'x' })),
      }),
    ],
    [
      'a transfer with an unknown account',
      ({ whole: exported }) => ({
        transactions: exported.budget.transactions.map((row) => ({ ...row, transfer_account_id: 'x' })),
      }),
    ],
    [
      'a leg without its transaction',
      ({ whole: exported }) => ({
        subtransactions: exported.budget.subtransactions.map((leg) => ({ ...leg, transaction_id: 'x' })),
      }),
    ],
    [
      'a leg in an unknown category',
      ({ whole: exported }) => ({
        subtransactions: exported.budget.subtransactions.map((leg) => ({ ...leg, category_id: 'x' })),
      }),
    ],
    [
      'a scheduled transaction of an unknown account',
      ({ whole: exported }) => ({
        scheduled_transactions: exported.budget.scheduled_transactions.map((row) => ({
          ...row,
          account_id: 'x',
        })),
      }),
    ],
    [
      'a leg without its scheduled transaction',
      ({ whole: exported }) => ({
        scheduled_subtransactions: exported.budget.subtransactions.map((leg) => ({
          ...leg,
          scheduled_transaction_id: 'x',
        })),
      }),
    ],
    [
      'a category in an unknown group',
      ({ whole: exported }) => ({
        categories: exported.budget.categories.map((row) => ({ ...row, category_group_id: 'x' })),
      }),
    ],
    [
      'a month with an unknown category',
      ({ whole: exported }) => ({
        months: exported.budget.months.map((month) => ({
          ...month,
          categories: month.categories.map((row, at) => (at === 0 ? { ...row, id: 'x' } : row)),
        })),
      }),
    ],
    [
      'a location of an unknown payee',
      ({ whole: exported }) => ({
        payee_locations: exported.budget.payee_locations.map((row) => ({ ...row, payee_id: 'x' })),
      }),
    ],
    [
      'transactions that stay when their account goes',
      ({ whole: exported, account }) => ({ accounts: asDeleted(exported.budget.accounts, account.id) }),
    ],
    [
      'a transfer that stays when the other account goes',
      ({ whole: exported, plain, account, apply }) => {
        const target = exported.budget.accounts.find(({ id }) => id !== account.id)?.id ?? '';
        const transfer = exported.budget.transactions.filter(({ id }) => id === plain.id);
        apply({ transactions: transfer.map((row) => ({ ...row, transfer_account_id: target })) });
        const accountList = exported.budget.transactions.filter((row) => row.account_id === target);
        return {
          accounts: asDeleted(exported.budget.accounts, target),
          transactions: accountList.map((row) => ({ ...row, deleted: true })),
        };
      },
    ],
    [
      'transactions that stay when their payee goes',
      ({ whole: exported, payee }) => ({
        payees: asDeleted(exported.budget.payees, payee.id),
        payee_locations: exported.budget.payee_locations.map((row) => ({ ...row, deleted: true })),
        scheduled_transactions: exported.budget.scheduled_transactions.map((row) => ({
          ...row,
          deleted: true,
        })),
      }),
    ],
    [
      'a month that keeps a category when it goes',
      ({ whole: exported }) => {
        const used = new Set(
          [...exported.budget.transactions, ...exported.budget.subtransactions].map((row) => row.category_id),
        );
        const unused = exported.budget.categories.find(({ id }) => !used.has(id));
        return { categories: asDeleted(exported.budget.categories, unused?.id ?? '') };
      },
    ],
    [
      'categories that stay when their group goes',
      ({ whole: exported, group }) => ({
        category_groups: asDeleted(exported.budget.category_groups, group.id),
      }),
    ],
  ];

  it.each(faults)('a delta is rejected with %s, because the whole budget may have it', async (_, changed) => {
    const budget = await createBudget();
    expectInconsistent(() => budget.apply(changed(budget)));
  });

  it.each(faults.slice(0, 11))(
    'an export with %s is read as it is, with an unknown name',
    async (what, changed) => {
      const { whole, ...created } = await createBudget();
      const dangling = { ...whole, budget: { ...whole.budget, ...changed({ whole, ...created }) } };
      const replica = BudgetReplica.load(dangling, TODAY);
      expect(rowsWithReferences(replica.export())).toEqual(rowsWithReferences(dangling.budget));
      expect(replica.problemWith('x')).toBe('the service refers to it and did not send it');
      const { transactions, scheduledTransactions } = replica;
      const named = JSON.stringify([
        transactions.list({}),
        scheduledTransactions.list(),
        replica.categoryGroups(),
      ]);
      for (const kind of ['account', 'payee', 'category'] as const)
        if (named.includes(`"${kind}_id":"x"`)) expect(named).toContain(`"${kind}_name":"unknown ${kind}"`);
      if (what.includes('a leg without')) return;
      // What comes later is known, and the rows that refer to it get its name.
      const later = <Row>([row]: readonly Row[]) => (row ? [{ ...row, id: 'x', name: 'Later' }] : []);
      const { accounts, payees, categories, category_groups } = whole.budget;
      const { budget, server_knowledge } = await created.service.export(replica.knowledge);
      const added = {
        accounts: later(accounts),
        payees: later(payees),
        categories: later(categories),
        category_groups: later(category_groups),
      };
      replica.apply({ server_knowledge, budget: { ...budget, ...added } }, TODAY);
      expect(JSON.stringify([transactions.list({}), scheduledTransactions.list()])).not.toContain('unknown');
    },
  );

  it('a leg that came before its transaction belongs to it when that comes', async () => {
    const { whole, service, split } = await createBudget();
    const { budget } = whole;
    const others = budget.transactions.filter(({ id }) => id !== split.id);
    const replica = BudgetReplica.load({ ...whole, budget: { ...budget, transactions: others } }, TODAY);
    expect(replica.transactions.list({}).map(({ id }) => id)).not.toContain(split.id);
    const transactions = budget.transactions.filter(({ id }) => id === split.id);
    const delta = await service.export(replica.knowledge);
    replica.apply({ ...delta, budget: { ...delta.budget, transactions } }, TODAY);
    expect(replica.transactions.get(split.id).subtransactions).toHaveLength(2);
    expect(replica.export().subtransactions).toHaveLength(budget.subtransactions.length);
    expect(replica.problemWith(split.id)).toBeUndefined();
  });
});

/** The rows of each list, with all ids that they have. */
const rowsWithReferences = (budget: Export['budget']) =>
  Object.entries(budget)
    .flatMap(([list, rows]) => (Array.isArray(rows) ? rows.map((row) => [list, row]) : []))
    .map((row) =>
      JSON.stringify(row, (name, value) =>
        /_name$|^budgeted$|^balance$|^internal$/.test(name) ? null : value,
      ),
    )
    .sort();
