/** Random changes to a ledger: all kinds that a user can make, and the passing of time. */
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

export const EURO = {
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

/** A budget with accounts of each kind, two groups, some categories and payees. Its ids are greater than `ids`. */
export function smallLedger(currency_format = EURO, ids = 0): Ledger {
  let lastId = ids;
  const newId = () => {
    lastId += 1;
    return `00000000-0000-4000-8000-${String(lastId).padStart(12, '0')}`;
  };
  const ledger = new Ledger({
    id: newId(),
    name: 'Test',
    now: START,
    currency_format,
    date_format: 'DD.MM.YYYY',
    newId,
    sumsIncome: true,
  });
  ledger.commit((state) => {
    createAccount(state, { name: 'Checking', type: 'checking', balance: 500_000 });
    createAccount(state, { name: 'Savings', type: 'savings', balance: 0 });
    createAccount(state, { name: 'Card', type: 'creditCard', balance: -50_000 });
    createAccount(state, { name: 'Other card', type: 'creditCard', balance: 0 });
    createAccount(state, { name: 'House', type: 'otherAsset', balance: 9_000_000 });
    createAccount(state, { name: 'Car loan', type: 'autoLoan', balance: -700_000 });
    for (const name of ['Bills', 'Fun']) {
      const { id } = createCategoryGroup(state, name);
      for (const n of [1, 2]) createCategory(state, { group_id: id, name: `${name} ${n}` });
    }
    for (const name of ['Baker', 'Butcher']) createPayee(state, name);
  });
  return ledger;
}

/** A change. Its choices are numbers, taken modulo the number of options. */
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
    ledger.commit((state) => applyTo(state, change));
    return;
  }
  const today = Date.parse(`${ledger.state.today}T12:00:00Z`);
  ledger.advanceTo(today + (1 + ((change.picks[0] ?? 0) % 40)) * DAY);
}

/** Applies one change within a commit. `advance` does nothing here. */
export function applyTo(state: LedgerState, { kind, picks, amount, legs }: Change): void {
  const pick = (index: number) => picks[index] ?? 0;
  const choose = <T>(items: Iterable<T>, index: number): T | undefined => {
    const allFields = [...items];
    return allFields[pick(index) % Math.max(1, allFields.length)];
  };
  const anyOf = <T>(items: readonly [T, ...T[]] | readonly T[], index: number, fallback: T): T =>
    items[pick(index) % items.length] ?? fallback;
  const name = `name ${pick(9)}`;
  const month = addMonths(state.currentMonth, (pick(8) % 5) - 2);

  const account = choose(state.accounts.values(), 0);
  const envelope = choose(
    [...state.categories.values()].filter(({ role }) => role.kind !== 'uncategorized'),
    1,
  );
  const payee = choose([...state.payees.values(), undefined], 2);
  const transaction = choose(state.transactions.keys(), 3);
  const scheduled = choose(state.scheduled.keys(), 3);
  const isInternal = (name: string) =>
    ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories'].includes(name);
  const group = choose(
    [...state.groups.values()].filter((legAmount) => !isInternal(legAmount.name)),
    4,
  );

  const legInputs = (): LegInput[] =>
    legs.map((legAmount, i) => {
      const legPayee = [...state.payees.values(), undefined, undefined][
        (pick(5) + i * 3) % (state.payees.size + 2)
      ];
      const category = choose([...state.categories.values(), undefined], (6 + i) % 10);
      return {
        amount: legAmount,
        payee_id: legPayee?.transfer_account_id === account?.id ? null : (legPayee?.id ?? null),
        category_id: category?.id ?? null,
      };
    });
  const total = legs.length > 0 ? legs.reduce((sum, legAmount) => sum + legAmount, 0) : amount;
  const transactionInput = (accountId: string): TransactionInput => ({
    account_id: accountId,
    date: addDays(state.today, -(pick(6) % 70)),
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
      if (account) addTransaction(state, transactionInput(account.id));
      return;
    case 'update transaction': {
      const before = transaction === undefined ? undefined : state.transactions.get(transaction);
      if (!before || !account) return;
      const {
        legs: newLegs,
        account_id,
        ...rest
      } = transactionInput(pick(5) % 2 ? account.id : before.account_id);
      const { date, amount: newAmount, payee_id, memo = name, category_id } = rest;
      const allFields = {
        account_id,
        date,
        amount: newAmount,
        payee_id,
        category_id,
        memo,
        legs: newLegs ?? [],
      };
      const dateAndCategory = { date, category_id: category_id ?? null };
      if (pick(4) % 4 === 0) updateTransaction(state, before.id, { memo: name, approved: true });
      else if (pick(4) % 4 === 1 && before.legs.length === 0)
        updateTransaction(state, before.id, dateAndCategory);
      else
        updateTransaction(state, before.id, { ...allFields, ...dateAndCategory, payee_id: payee_id ?? null });
      return;
    }
    case 'delete transaction':
      if (transaction) deleteTransaction(state, transaction);
      return;
    case 'budget':
      if (envelope) setBudgeted(state, envelope.id, month, amount);
      return;
    case 'advance':
      return;
    case 'account':
      createAccount(state, {
        name,
        type: anyOf(['cash', 'creditCard', 'mortgage'] as const, 5, 'cash'),
        balance: amount,
      });
      return;
    case 'rename account':
      if (account) updateAccount(state, account.id, { name, closed: pick(5) % 3 === 0 });
      return;
    case 'category':
      if (group) createCategory(state, { group_id: group.id, name });
      return;
    case 'update category': {
      if (envelope?.role.kind !== 'envelope') return;
      const goal: Goal = {
        type: anyOf(GOALS, 5, 'TB'),
        target: Math.abs(amount),
        creation_month: month,
        target_date: pick(6) % 2 ? addMonths(month, pick(6) % 9) : null,
        needs_whole_amount: pick(7) % 2 === 0,
        day: pick(7) % 7,
        cadence: pick(6) % 15,
        cadence_frequency: 1 + (pick(7) % 3),
        snoozed_at: null,
      };
      const hidden = pick(8) % 2 === 0;
      if (pick(9) % 3 === 0) updateCategory(state, envelope.id, { name });
      else if (pick(9) % 3 === 1) updateCategory(state, envelope.id, { goal });
      else updateCategory(state, envelope.id, { hidden, group_id: group?.id ?? envelope.group_id });
      return;
    }
    case 'group':
      createCategoryGroup(state, name);
      return;
    case 'update group':
      if (group) updateCategoryGroup(state, group.id, { name, hidden: pick(5) % 2 === 0 });
      return;
    case 'payee':
      createPayee(state, name);
      return;
    case 'rename payee':
      if (payee) renamePayee(state, payee.id, name);
      return;
    case 'delete payee':
      if (payee) deletePayee(state, payee.id);
      return;
    case 'add location':
      if (payee) addPayeeLocation(state, { payee_id: payee.id, latitude: '1.5', longitude: `${pick(5)}` });
      return;
    case 'delete location': {
      const location = choose(state.locations.keys(), 3);
      if (location) deletePayeeLocation(state, location);
      return;
    }
    case 'flag':
      state.setFlagName(anyOf(['red', 'orange', 'yellow'] as const, 5, 'red'), pick(6) % 3 ? name : null);
      return;
    case 'note':
      if (month >= state.firstMonth && month <= state.lastMonth)
        state.setNote(month, pick(6) % 3 ? name : null);
      return;
    case 'add scheduled':
    case 'update scheduled': {
      const scheduledAccount =
        kind === 'update scheduled' && scheduled ? state.scheduled.get(scheduled) : undefined;
      const accountId = scheduledAccount?.account_id ?? account?.id;
      if (accountId === undefined) return;
      const { flag_color, payee_id, category_id } = transactionInput(accountId);
      const input = {
        account_id: accountId,
        date: addDays(state.today, 1 + (pick(6) % 30)),
        amount: total,
        flag_color: flag_color ?? null,
        payee_id: payee_id ?? null,
        category_id: category_id ?? null,
        frequency: anyOf(FREQUENCIES, 7, 'never'),
        legs: legInputs().filter(
          ({ payee_id: id }) => !id || state.payees.get(id)?.transfer_account_id !== accountId,
        ),
      };
      const consistent = {
        ...input,
        amount: input.legs.length ? input.legs.reduce((s, l) => s + l.amount, 0) : amount,
      };
      if (kind === 'add scheduled') addScheduled(state, consistent);
      else if (scheduled) updateScheduled(state, scheduled, consistent);
      return;
    }
    case 'delete scheduled':
      if (scheduled) deleteScheduled(state, scheduled);
      return;
  }
}
