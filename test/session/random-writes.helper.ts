/** Random writes to the example budget, many of them equal to earlier ones. */

import { createAccount } from '../../src/operations/accounts.ts';
import { createCategory, updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import { createPayee, updatePayee } from '../../src/operations/payees.ts';
import {
  createScheduledTransaction,
  deleteScheduledTransaction,
  updateScheduledTransaction,
} from '../../src/operations/scheduled-transactions.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import type { Random } from '../../src/service/demo-data/random.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import type { CallResult } from '../../src/session/call-result.ts';
import { callOperation } from '../call-operation.helper.ts';
import {
  type Entry,
  type Seen,
  seenChange,
  seenCreation,
  seenMade,
  shows,
} from './expected-changes.helper.ts';
import type { Books, Row, Transaction } from './service-observer.helper.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Write {
  readonly name: string;
  readonly run: (client: BudgetClient, signal?: AbortSignal) => Promise<CallResult<Fields>>;
  readonly seen: (before: Books, after: Books) => Seen;
}

/** Only a few values, so that many entries are equal. */
const AMOUNTS = [-4_500, -12_300, 20_000] as const;
const MEMOS = [undefined, '', 'Coffee', ' two of them ', '☕ مقهى'] as const;
const PAYEES = [undefined, 'Corner Bakery', 'CORNER BAKERY', 'Caf\u00e9', 'Cafe\u0301'] as const;
const DATES = ['2026-11-21', '2026-11-20', '2026-11-02'] as const;
const PLANNED = ['2026-12-01', '2027-01-15'] as const;
const FLAGS = [undefined, 'red', ''] as const;

const BUDGET = ['Checking', 'Wallet', 'Blue Card', 'Pension Fund'] as const;

export class RandomWrites {
  readonly #random: Random;
  #imports = 0;
  #accounts = 0;
  #lastEntry: Write | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  next(books: Books): Write {
    const kinds = [
      () => this.#entry(books),
      () => this.#entry(books),
      () => this.#lastEntry ?? this.#entry(books),
      () => this.#entries(books),
      () => this.#entries(books),
      () => this.#change(books),
      () => this.#changes(books),
      () => this.#deletion(books),
      () => this.#plan(books),
      () => this.#planChange(books),
      () => this.#planDeletion(books),
      () => this.#budgeting(books),
      () => this.#note(books),
      () => this.#renaming(books),
      () => (this.#random.chance(0.2) ? this.#account() : this.#entry(books)),
      () => this.#payee(),
      () => this.#newCategory(books),
    ] as const;
    return this.#random.pick(kinds)();
  }

  #entry(books: Books): Write {
    this.#lastEntry = creation([this.#row(books)]);
    return this.#lastEntry;
  }

  /** Some of them equal, some with the import id of an earlier one. */
  #entries(books: Books): Write {
    const rows = Array.from({ length: this.#random.integer(2, 4) }, () => this.#row(books));
    const [first] = rows;
    if (first && !first.import_id && this.#random.chance(0.4)) rows.push(first);
    return creation(rows);
  }

  #row(books: Books): Entry {
    const random = this.#random;
    const account = named(books.accounts, random.pick(BUDGET));
    const amount = random.pick(AMOUNTS);
    const entry = {
      account_id: account,
      date: random.pick(DATES),
      amount,
      memo: random.pick(MEMOS),
      flag_color: random.pick(FLAGS),
    };
    const kind = random.integer(0, 9);
    if (kind === 0) {
      const savings = books.accounts.get(named(books.accounts, 'Savings'));
      return { ...entry, amount: -Math.abs(amount), payee_id: String(savings?.['transfer_payee_id']) };
    }
    if (kind === 1)
      return {
        ...entry,
        payee_name: random.pick(PAYEES),
        category_id: this.#category(books),
        subtransactions: [
          { amount: amount - 1_000, category_id: this.#category(books) },
          { amount: 1_000, memo: 'Tip' },
        ],
      };
    if (kind === 2) {
      if (random.chance(0.7)) this.#imports += 1;
      return { ...entry, memo: undefined, payee_name: 'Some Shop', import_id: `import-${this.#imports}` };
    }
    return {
      ...entry,
      payee_name: random.pick(PAYEES),
      ...(random.chance(0.5) && { category_id: this.#category(books) }),
      ...(random.chance(0.2) && { cleared: 'cleared', approved: true }),
    };
  }

  #change(books: Books): Write {
    const target = this.#target(books);
    if (!target) return this.#entry(books);
    const { id: transaction_id, ...fields } = this.#changedFields(target, books);
    // A transfer within the budget has no category, whatever was sent.
    const isTransfer = target.transfer_transaction_id !== null && this.#random.chance(0.5);
    const ignored = isTransfer ? { category_id: named(books.categories, 'Groceries') } : {};
    return {
      name: `update_transaction ${JSON.stringify({ ...fields, ...ignored })}`,
      run: (client, signal) =>
        callOperation(client, updateTransaction, { transaction_id, ...fields, ...ignored }, signal),
      seen: (_, after) => seenUpdate(after, [target], new Map([[target.id, fields]])),
    };
  }

  #changes(books: Books): Write {
    const targets = Array.from({ length: 3 }, () => this.#target(books)).filter((each) => each !== undefined);
    if (targets.length === 0) return this.#entry(books);
    const transactions = targets.map((target) => this.#changedFields(target, books));
    const last = new Map<string, Fields>();
    for (const { id, ...fields } of transactions) last.set(id, { ...last.get(id), ...fields });
    return {
      name: `update_transactions ${JSON.stringify(transactions)}`,
      run: (client, signal) => callOperation(client, updateTransactions, { transactions }, signal),
      seen: (_, after) => seenUpdate(after, targets, last),
    };
  }

  #changedFields(target: Transaction, { legs }: Books) {
    const random = this.#random;
    const memo = random.pick([null, 'Changed', `Changed ${random.integer(1, 99)}`]);
    // A transfer or a split could not change its kind.
    const isFree =
      target.transfer_transaction_id === null &&
      ![...legs.values()].some(({ transaction_id }) => transaction_id === target.id);
    const flag_color = random.pick(['blue', null] as const);
    const amount = random.pick(AMOUNTS);
    return { id: target.id, memo, flag_color, approved: random.chance(0.5), ...(isFree && { amount }) };
  }

  #target(books: Books) {
    const free = [...books.transactions.values()].filter(
      (each) => each.transfer_transaction_id === null || Number(each['amount']) < 0,
    );
    const { length } = free;
    return free[length - 1 - this.#random.integer(0, Math.min(30, length - 1))];
  }

  #deletion(books: Books): Write {
    const target = this.#target(books);
    if (!target) return this.#entry(books);
    return {
      name: 'delete_transaction',
      run: (client, signal) =>
        callOperation(client, deleteTransaction, { transaction_id: target.id }, signal),
      seen: (_, { transactions }) => {
        const both = [target.id, target.transfer_transaction_id ?? target.id];
        return seenChange(!both.some((id) => transactions.has(id)), both);
      },
    };
  }

  #plan(books: Books): Write {
    const plan = this.#planned(books);
    return {
      name: `create_scheduled_transaction ${JSON.stringify(plan)}`,
      run: (client, signal) => callOperation(client, createScheduledTransaction, plan, signal),
      seen: (before, after) => seenMade(before.scheduled, after.scheduled, shown(plan)),
    };
  }

  #planned(books: Books) {
    const random = this.#random;
    return {
      account_id: named(books.accounts, random.pick(['Checking', 'Wallet'])),
      date: random.pick(PLANNED),
      amount: random.pick(AMOUNTS),
      payee_name: random.pick(PAYEES),
      memo: random.pick(MEMOS),
      frequency: random.pick(['monthly', 'never', undefined] as const),
    };
  }

  #planChange(books: Books): Write {
    const id = this.#planId(books);
    if (id === undefined) return this.#plan(books);
    const plan = this.#planned(books);
    return {
      name: `update_scheduled_transaction ${JSON.stringify(plan)}`,
      run: (client, signal) =>
        callOperation(client, updateScheduledTransaction, { scheduled_transaction_id: id, ...plan }, signal),
      seen: (_, after) => seenChange(shows(after.scheduled.get(id), shown(plan))),
    };
  }

  #planDeletion(books: Books): Write {
    const id = this.#planId(books);
    if (id === undefined) return this.#plan(books);
    return {
      name: 'delete_scheduled_transaction',
      run: (client, signal) =>
        callOperation(client, deleteScheduledTransaction, { scheduled_transaction_id: id }, signal),
      seen: (_, { scheduled }) => seenChange(!scheduled.has(id)),
    };
  }

  #planId({ scheduled }: Books): string | undefined {
    // Entries of this test have no category. Some of the example entries are splits, which would keep their amounts.
    const ours = [...scheduled.values()].filter((plan) => plan['category_id'] === null);
    return ours[this.#random.integer(0, ours.length)]?.id;
  }

  #budgeting(books: Books): Write {
    const category_id = named(books.categories, 'Groceries');
    const month = this.#random.pick(['2026-11-01', '2026-10-01', '2027-04-01']);
    const budgeted = this.#random.integer(1, 900) * 1_000;
    return {
      name: `update_month_category ${month} ${budgeted}`,
      run: (client, signal) =>
        callOperation(client, updateMonthCategory, { month, category_id, budgeted }, signal),
      seen: (_, after) => seenChange(shows(after.budgeted.get(`${month} ${category_id}`), { budgeted })),
    };
  }

  #note(books: Books): Write {
    const category_id = named(books.categories, 'Groceries');
    const note = this.#random.pick([null, 'Markets first', 'Discounters first']);
    return {
      name: `update_category ${note}`,
      run: (client, signal) => callOperation(client, updateCategory, { category_id, note }, signal),
      seen: (_, after) => seenChange(shows(after.categories.get(category_id), { note })),
    };
  }

  #renaming(books: Books): Write {
    const payee_id = [...books.payees.values()].find(({ name }) => name.startsWith('Harvest Hall'))?.id ?? '';
    const name = `Harvest Hall ${this.#random.integer(1, 9)} `;
    return {
      name: `update_payee ${name}`,
      run: (client, signal) => callOperation(client, updatePayee, { payee_id, name }, signal),
      seen: (_, after) => seenChange(shows(after.payees.get(payee_id), { name })),
    };
  }

  #account(): Write {
    if (this.#random.chance(0.7)) this.#accounts += 1;
    const account = { name: `Pocket ${this.#accounts}`, type: 'cash', balance: 5_000 } as const;
    return {
      name: `create_account ${account.name}`,
      run: (client, signal) => callOperation(client, createAccount, account, signal),
      seen: (before, after) => seenMade(before.accounts, after.accounts, account),
    };
  }

  /** Payees of equal names, one after the other. */
  #payee(): Write {
    const name = this.#random.pick(['Bicycle shop', 'Cinema']);
    return {
      name: `create_payee ${name}`,
      run: (client, signal) => callOperation(client, createPayee, { name }, signal),
      seen: (before, after) => seenMade(before.payees, after.payees, { name }),
    };
  }

  #newCategory(books: Books): Write {
    const groceries = [...books.categories.values()].find(({ name }) => name === 'Groceries');
    const category = { category_group_id: String(groceries?.['category_group_id']), name: 'Snacks' };
    return {
      name: `create_category ${category.name}`,
      run: (client, signal) => callOperation(client, createCategory, category, signal),
      seen: (before, after) => seenMade(before.categories, after.categories, category),
    };
  }

  #category(books: Books): string {
    return named(books.categories, this.#random.pick(['Groceries', 'Eating Out', 'Blue Card']));
  }
}

function creation(transactions: Entry[]): Write {
  return {
    name: `create_transactions ${JSON.stringify(transactions)}`,
    run: (client, signal) => callOperation(client, createTransactions, { transactions }, signal),
    seen: (before, after) => seenCreation(transactions, before, after),
  };
}

/** `fields` by id. A split ignores an amount. */
function seenUpdate(
  after: Books,
  targets: readonly Transaction[],
  fields: ReadonlyMap<string, Fields>,
): Seen {
  const isDone = targets.every(({ id }) => shows(after.transactions.get(id), fields.get(id) ?? {}));
  return seenChange(
    isDone,
    targets.flatMap((each) => [each.id, each.transfer_transaction_id]),
  );
}

/** A scheduled transaction as it is shown. Its payee is shown elsewhere. */
const shown = ({ date, payee_name: _, ...plan }: Fields) => ({ ...plan, date_next: date });

const named = (rows: ReadonlyMap<string, Row>, name: string) =>
  [...rows.values()].find((row) => row['name'] === name)?.id ?? '';
