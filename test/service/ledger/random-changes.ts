/** Random changes to a ledger, each of the kinds that a person or the passing of time can make. */
import fc from 'fast-check';
import { createAccount, updateAccount } from '../../../src/service/ledger/accounts.ts';
import { addDays, addMonths } from '../../../src/service/ledger/calendar.ts';
import {
  createCategory,
  createCategoryGroup,
  setBudgeted,
  updateCategory,
  updateCategoryGroup,
} from '../../../src/service/ledger/categories.ts';
import type { LedgerState } from '../../../src/service/ledger/ledger-state.ts';
import {
  addPayeeLocation,
  createPayee,
  deletePayee,
  deletePayeeLocation,
  renamePayee,
} from '../../../src/service/ledger/payees.ts';
import type { Goal } from '../../../src/service/ledger/records.ts';
import {
  addScheduled,
  deleteScheduled,
  updateScheduled,
} from '../../../src/service/ledger/scheduled-transactions.ts';
import {
  addTransaction,
  deleteTransaction,
  type LegInput,
  type TransactionInput,
  updateTransaction,
} from '../../../src/service/ledger/transactions.ts';
import { Ledger } from '../../../src/service/ledger.ts';

const EURO = {
  iso_code: 'EUR',
  example_format: '123.456,78',
  decimal_digits: 2,
  decimal_separator: ',',
  symbol_first: false,
  group_separator: '.',
  currency_symbol: '€',
  display_symbol: true,
};

const DAY = 24 * 60 * 60 * 1000;
export const START = Date.parse('2026-01-20T12:00:00Z');

/** A budget with accounts of each sort, two groups, some categories and payees. */
export function smallLedger(): Ledger {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
  const ledger = new Ledger({
    id: newId(),
    name: 'Test',
    now: START,
    currency_format: EURO,
    date_format: 'DD.MM.YYYY',
    newId,
  });
  ledger.commit((books) => {
    createAccount(books, { name: 'Checking', type: 'checking', balance: 500_000 });
    createAccount(books, { name: 'Savings', type: 'savings', balance: 0 });
    createAccount(books, { name: 'Card', type: 'creditCard', balance: -50_000 });
    createAccount(books, { name: 'Other card', type: 'creditCard', balance: 0 });
    createAccount(books, { name: 'House', type: 'otherAsset', balance: 9_000_000 });
    createAccount(books, { name: 'Car loan', type: 'autoLoan', balance: -700_000 });
    for (const name of ['Bills', 'Fun']) {
      const { id } = createCategoryGroup(books, name);
      for (const n of [1, 2]) createCategory(books, { group_id: id, name: `${name} ${n}` });
    }
    for (const name of ['Baker', 'Butcher']) createPayee(books, name);
  });
  return ledger;
}

/** A change with its choices already made, as numbers that are taken modulo what there is to choose from. */
export interface Change {
  readonly kind: (typeof KINDS)[number];
  readonly picks: readonly number[];
  readonly amount: number;
  readonly legs: readonly number[];
}

const KINDS = [
  'add transaction',
  'add transaction',
  'add transaction',
  'update transaction',
  'update transaction',
  'delete transaction',
  'budget',
  'budget',
  'advance',
  'account',
  'rename account',
  'category',
  'update category',
  'group',
  'update group',
  'payee',
  'rename payee',
  'delete payee',
  'add location',
  'delete location',
  'flag',
  'note',
  'add scheduled',
  'update scheduled',
  'delete scheduled',
] as const;

export const changes = (maxLength = 25) =>
  fc.array(
    fc.record<Change>({
      kind: fc.constantFrom(...KINDS),
      picks: fc.array(fc.nat(1000), { minLength: 10, maxLength: 10 }),
      amount: fc.integer({ min: -30_000, max: 30_000 }).map((cents) => cents * 10),
      legs: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        {
          weight: 1,
          arbitrary: fc.array(
            fc.integer({ min: -9000, max: 9000 }).map((cents) => cents * 10),
            {
              minLength: 2,
              maxLength: 3,
            },
          ),
        },
      ),
    }),
    { minLength: 1, maxLength },
  );

const COLORS = ['red', 'orange', 'yellow', null] as const;
const FREQUENCIES = ['never', 'daily', 'weekly', 'twiceAMonth', 'monthly', 'every3Months'] as const;
const GOALS = ['TB', 'TBD', 'MF', 'NEED', 'DEBT'] as const;

export function apply(ledger: Ledger, change: Change): void {
  if (change.kind !== 'advance') {
    ledger.commit((books) => applyTo(books, change));
    return;
  }
  const today = Date.parse(`${ledger.books.today}T12:00:00Z`);
  ledger.advanceTo(today + (1 + ((change.picks[0] ?? 0) % 40)) * DAY);
}

/** One step of a commit; letting time pass is none. */
export function applyTo(books: LedgerState, { kind, picks, amount, legs }: Change): void {
  const pick = (index: number) => picks[index] ?? 0;
  const choose = <T>(items: Iterable<T>, index: number): T | undefined => {
    const all = [...items];
    return all[pick(index) % Math.max(1, all.length)];
  };
  const anyOf = <T>(items: readonly [T, ...T[]] | readonly T[], index: number, fallback: T): T =>
    items[pick(index) % items.length] ?? fallback;
  const name = `name ${pick(9)}`;
  const month = addMonths(books.currentMonth, (pick(8) % 5) - 2);

  const account = choose(books.accounts.values(), 0);
  const envelope = choose(
    [...books.categories.values()].filter(({ role }) => role.kind !== 'uncategorized'),
    1,
  );
  const payee = choose([...books.payees.values(), undefined], 2);
  const transaction = choose(books.transactions.keys(), 3);
  const scheduled = choose(books.scheduled.keys(), 3);
  const isInternal = (name: string) =>
    ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories'].includes(name);
  const group = choose(
    [...books.groups.values()].filter((each) => !isInternal(each.name)),
    4,
  );

  const legInputs = (): LegInput[] =>
    legs.map((each, i) => {
      const legPayee = [...books.payees.values(), undefined, undefined][
        (pick(5) + i * 3) % (books.payees.size + 2)
      ];
      const category = choose([...books.categories.values(), undefined], (6 + i) % 10);
      return {
        amount: each,
        payee_id: legPayee?.transfer_account_id === account?.id ? null : (legPayee?.id ?? null),
        category_id: category?.id ?? null,
      };
    });
  const total = legs.length > 0 ? legs.reduce((sum, each) => sum + each, 0) : amount;
  const said = (accountId: string): TransactionInput => ({
    account_id: accountId,
    date: addDays(books.today, -(pick(6) % 70)),
    amount: total,
    payee_id: payee?.transfer_account_id === accountId ? null : (payee?.id ?? null),
    category_id: pick(7) % 4 === 0 ? null : (envelope?.id ?? null),
    cleared: pick(7) % 2 === 0 ? 'cleared' : 'uncleared',
    approved: pick(8) % 2 === 0,
    flag_color: anyOf(COLORS, 9, null),
    legs: legInputs(),
  });

  switch (kind) {
    case 'add transaction':
      if (account) addTransaction(books, said(account.id));
      return;
    case 'update transaction': {
      const before = transaction === undefined ? undefined : books.transactions.get(transaction);
      if (!before || !account) return;
      const { legs: newLegs, account_id, ...rest } = said(pick(5) % 2 ? account.id : before.account_id);
      const { date, amount: newAmount, payee_id, memo = name, category_id } = rest;
      const all = { account_id, date, amount: newAmount, payee_id, category_id, memo, legs: newLegs ?? [] };
      const placed = { date, category_id: category_id ?? null };
      if (pick(4) % 4 === 0) updateTransaction(books, before.id, { memo: name, approved: true });
      else if (pick(4) % 4 === 1 && before.legs.length === 0) updateTransaction(books, before.id, placed);
      else updateTransaction(books, before.id, { ...all, ...placed, payee_id: payee_id ?? null });
      return;
    }
    case 'delete transaction':
      if (transaction) deleteTransaction(books, transaction);
      return;
    case 'budget':
      if (envelope) setBudgeted(books, envelope.id, month, amount);
      return;
    case 'advance':
      return;
    case 'account':
      createAccount(books, {
        name,
        type: anyOf(['cash', 'creditCard', 'mortgage'] as const, 5, 'cash'),
        balance: amount,
      });
      return;
    case 'rename account':
      if (account) updateAccount(books, account.id, { name, closed: pick(5) % 3 === 0 });
      return;
    case 'category':
      if (group) createCategory(books, { group_id: group.id, name });
      return;
    case 'update category': {
      if (envelope?.role.kind !== 'envelope') return;
      const goal: Goal = {
        type: anyOf(GOALS, 5, 'TB'),
        target: Math.abs(amount),
        creation_month: month,
        target_month: pick(6) % 2 ? addMonths(month, pick(6) % 9) : null,
        needs_whole_amount: pick(7) % 2 === 0,
        day: pick(7) % 7,
        cadence: pick(6) % 15,
        cadence_frequency: 1 + (pick(7) % 3),
        snoozed_at: null,
      };
      const hidden = pick(8) % 2 === 0;
      if (pick(9) % 3 === 0) updateCategory(books, envelope.id, { name });
      else if (pick(9) % 3 === 1) updateCategory(books, envelope.id, { goal });
      else updateCategory(books, envelope.id, { hidden, group_id: group?.id ?? envelope.group_id });
      return;
    }
    case 'group':
      createCategoryGroup(books, name);
      return;
    case 'update group':
      if (group) updateCategoryGroup(books, group.id, { name, hidden: pick(5) % 2 === 0 });
      return;
    case 'payee':
      createPayee(books, name);
      return;
    case 'rename payee':
      if (payee) renamePayee(books, payee.id, name);
      return;
    case 'delete payee':
      if (payee) deletePayee(books, payee.id);
      return;
    case 'add location':
      if (payee) addPayeeLocation(books, { payee_id: payee.id, latitude: '1.5', longitude: `${pick(5)}` });
      return;
    case 'delete location': {
      const location = choose(books.locations.keys(), 3);
      if (location) deletePayeeLocation(books, location);
      return;
    }
    case 'flag':
      books.setFlagName(anyOf(['red', 'orange', 'yellow'] as const, 5, 'red'), pick(6) % 3 ? name : null);
      return;
    case 'note':
      if (month >= books.firstMonth && month <= books.lastMonth)
        books.setNote(month, pick(6) % 3 ? name : null);
      return;
    case 'add scheduled':
    case 'update scheduled': {
      const scheduledAccount =
        kind === 'update scheduled' && scheduled ? books.scheduled.get(scheduled) : undefined;
      const accountId = scheduledAccount?.account_id ?? account?.id;
      if (accountId === undefined) return;
      const { flag_color, payee_id, category_id } = said(accountId);
      const input = {
        account_id: accountId,
        date: addDays(books.today, 1 + (pick(6) % 30)),
        amount: total,
        flag_color: flag_color ?? null,
        payee_id: payee_id ?? null,
        category_id: category_id ?? null,
        frequency: anyOf(FREQUENCIES, 7, 'never'),
        legs: legInputs().filter(
          ({ payee_id: id }) => !id || books.payees.get(id)?.transfer_account_id !== accountId,
        ),
      };
      const consistent = {
        ...input,
        amount: input.legs.length ? input.legs.reduce((s, l) => s + l.amount, 0) : amount,
      };
      if (kind === 'add scheduled') addScheduled(books, consistent);
      else if (scheduled) updateScheduled(books, scheduled, consistent);
      return;
    }
    case 'delete scheduled':
      if (scheduled) deleteScheduled(books, scheduled);
      return;
  }
}
