/**
 * The household of the demo: its transactions are generated day by day, then its categories are budgeted month by
 * month. The result depends on the random numbers and on today's date only.
 */
import { createAccount, updateAccount } from '../ledger/accounts.ts';
import { addDays, addMonths, monthOf } from '../ledger/calendar.ts';
import { createCategory, createCategoryGroup, updateCategory } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addPayeeLocation, createPayee } from '../ledger/payees.ts';
import type { Goal } from '../ledger/records.ts';
import { addScheduled, enterDueTransactions } from '../ledger/scheduled-transactions.ts';
import { Ledger, type LedgerOptions } from '../ledger.ts';
import { Directory } from './directory.ts';
import { accountsBefore } from './household-accounts.ts';
import { REPORTED } from './household-bank.ts';
import { budgetHousehold } from './household-budgeting.ts';
import { HouseholdDiary } from './household-diary.ts';
import { type EnvelopePlan, type GoalPlan, GROUPS } from './household-envelopes.ts';
import { LOCATIONS } from './household-habits.ts';
import { SCHEDULED } from './household-schedule.ts';
import { addedGroups, addedPayees, type HouseholdSize, monthsOf } from './household-size.ts';
import type { Random } from './random.ts';

type Settings = Pick<LedgerOptions, 'name' | 'currency_format' | 'sumsIncome' | 'exportsDeleted'>;
type Groups = Readonly<Record<string, readonly EnvelopePlan[]>>;

export const EURO: Settings = {
  name: 'Household',
  currency_format: {
    iso_code: 'EUR',
    example_format: '123.456,78',
    decimal_digits: 2,
    decimal_separator: ',',
    symbol_first: false,
    group_separator: '.',
    currency_symbol: '€',
    display_symbol: true,
  },
};

export function household(random: Random, now: number, size: HouseholdSize = {}, settings = EURO): Ledger {
  const ledger = new Ledger({
    id: random.uuid(),
    now,
    date_format: 'DD.MM.YYYY',
    ...settings,
    newId: () => random.uuid(),
  });
  const months = monthsOf(size);
  const added = addedGroups(size);
  const groups: Groups = { ...GROUPS, ...added };

  ledger.commit((state) => {
    const first = addDays(addMonths(state.today, -months), 8);
    const directory = new Directory(state);
    openAccounts(state, first, months);
    openCategories(state, groups, monthOf(first));
    const diary = new HouseholdDiary(state, directory, random, {
      categories: ['Groceries', ...Object.values(added).flatMap((plans) => plans.map(({ name }) => name))],
      payees: ['Corner Pantry', ...addedPayees(size)],
    });
    diary.write(first, size.transactions);
    schedule(state, directory);
    updateAccount(state, directory.account('Old Savings'), { closed: true });
    addLocations(state, directory);
    reportFromBank(state, directory);
    addPayees(state, size);
    for (const [color, name] of [
      ['red', 'To check'],
      ['green', 'Reimbursable'],
      ['blue', 'Holiday'],
    ] as const)
      state.setFlagName(color, name);
    state.setNote(addMonths(state.today, -1), 'A calm month. Car to the garage in spring 🚗');
  });
  budgetHousehold(ledger, groups, random);
  return ledger;
}

function openAccounts(state: LedgerState, date: string, months: number): void {
  const reconciledAt = `${addDays(state.today, -12)}T18:30:00.000Z`;
  for (const account of accountsBefore(months)) {
    const isReconciled = account.type === 'checking' || account.type === 'savings';
    createAccount(state, { ...account, date, last_reconciled_at: isReconciled ? reconciledAt : null });
  }
}

function openCategories(state: LedgerState, groups: Groups, firstMonth: string): void {
  for (const [name, envelopes] of Object.entries(groups)) {
    const group = createCategoryGroup(state, name);
    for (const { name: envelope, goal, note, hidden } of envelopes) {
      const { id } = createCategory(state, {
        group_id: group.id,
        name: envelope,
        note: note ?? null,
        goal: goal ? goalFrom(goal, firstMonth, state.currentMonth) : null,
      });
      if (hidden) updateCategory(state, id, { hidden });
    }
  }
}

function goalFrom(plan: GoalPlan, firstMonth: string, currentMonth: string): Goal {
  return {
    type: plan.type,
    target: plan.target,
    creation_month: firstMonth,
    target_date: plan.in_months === undefined ? null : addMonths(currentMonth, plan.in_months),
    needs_whole_amount: plan.needs_whole_amount ?? null,
    day: plan.day ?? null,
    cadence: plan.cadence ?? (plan.type === 'MF' || plan.type === 'DEBT' ? 1 : 0),
    cadence_frequency: 1,
    snoozed_at: null,
  };
}

function schedule(state: LedgerState, directory: Directory): void {
  for (const { in_days, account, category, payee, transfer_to, memo, amount, frequency } of SCHEDULED) {
    addScheduled(state, {
      account_id: directory.account(account),
      date: addDays(state.today, in_days),
      amount,
      frequency,
      memo: memo ?? null,
      payee_id: transfer_to === undefined ? directory.payee(payee ?? '') : directory.transferTo(transfer_to),
      category_id: category === null ? null : directory.category(category),
    });
  }
  addScheduled(state, {
    account_id: directory.account('Blue Card'),
    date: addDays(state.today, 5),
    amount: -96_000,
    frequency: 'monthly',
    payee_id: directory.payee('Harvest Hall'),
    flag_color: 'green',
    legs: [
      { amount: -80_000, category_id: directory.category('Groceries'), memo: 'The big shop' },
      { amount: -16_000, category_id: directory.category('Pets') },
    ],
  });
  enterDueTransactions(state);
}

/** The import ids end in `1`, because each is the first with its amount on its day. */
function reportFromBank(state: LedgerState, directory: Directory): void {
  for (const { account, days_ago, amount, payee } of REPORTED) {
    const date = addDays(state.today, -days_ago);
    const import_id = `YNAB:${amount}:${date}:1`;
    const account_id = directory.account(account);
    state.putPending({ id: import_id, account_id, date, amount, payee_name: payee, import_id });
  }
}

/** Adds payees that no transaction has, up to the requested number. */
function addPayees(state: LedgerState, { payees = 0 }: HouseholdSize): void {
  for (let number = 1; state.payees.size < payees; number += 1)
    createPayee(state, `Passing Trader ${number}`);
}

function addLocations(state: LedgerState, directory: Directory): void {
  for (const [name, [latitude, longitude]] of Object.entries(LOCATIONS)) {
    addPayeeLocation(state, { payee_id: directory.payee(name), latitude, longitude });
  }
}
