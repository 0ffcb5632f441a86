/**
 * What years of use, other programs and old versions of the service leave in a budget: references to what is gone, names
 * as banks send them, and goals that are not monthly. It comes after all other demo data, whose ids stay.
 */
import { addDays } from '../ledger/calendar.ts';
import { createCategory, createCategoryGroup, updateCategory } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee } from '../ledger/payees.ts';
import type { StrayLegs } from '../ledger/read-model.ts';
import type { Goal, TransactionRecord } from '../ledger/records.ts';
import { addScheduled } from '../ledger/scheduled-transactions.ts';
import { addTransaction } from '../ledger/transactions.ts';
import type { Ledger } from '../ledger.ts';
import { Directory } from './directory.ts';
import { INFLOW } from './household-bills.ts';

export function makeHouseholdUntidy(ledger: Ledger): void {
  const legs = ledger.commit((state) => {
    renameCategory(state, INFLOW, 'Inflow: To be Budgeted');
    enterFromBank(state);
    changeGoals(state);
    hideNamesake(state);
    referToUnknown(state);
    removeWhatIsUsed(state);
    return strayLegs(state);
  });
  ledger.leaveLegs(legs);
}

/** The service has named its own things in the language of the budget. */
export function makeTripUntidy(ledger: Ledger): void {
  ledger.commit((state) => {
    renameCategory(state, INFLOW, '収入：割り当て可能');
    renameCategory(state, 'Uncategorized', '未分類');
    const payee = state.payees.get(state.internal.starting_balance_payee_id);
    if (payee) state.putPayee({ ...payee, name: '開始残高' });
  });
}

function renameCategory(state: LedgerState, before: string, name: string): void {
  updateCategory(state, new Directory(state).category(before), { name });
}

/** Names and memos are escaped for HTML. Some of the rows are reconciled, and one of those is split. */
function enterFromBank(state: LedgerState): void {
  const directory = new Directory(state);
  const shop = createPayee(state, 'B&amp;H Photo');
  const cafe = createPayee(state, 'Tom &amp; Ana&#39;s Café');
  const enter = (daysAgo: number, amount: number, fields: Partial<TransactionRecord>): TransactionRecord => {
    const date = addDays(state.today, -daysAgo);
    return addTransaction(state, {
      account_id: directory.account('Checking'),
      date,
      amount,
      category_id: directory.category('Hobbies'),
      cleared: 'reconciled',
      approved: true,
      import_id: `YNAB:${amount}:${date}:1`,
      ...fields,
    });
  };
  const fromShop = { payee_id: shop.id, import_payee_name: shop.name };
  enter(50, -64_900, { ...fromShop, import_payee_name_original: 'B&amp;H PHOTO &quot;N&quot; VIDEO 0071' });
  enter(3, -12_500, { ...fromShop, cleared: 'cleared', approved: false, memo: 'Film &amp; paper' });
  enter(48, -21_000, {
    payee_id: cafe.id,
    import_payee_name: cafe.name,
    category_id: null,
    legs: [
      leg(state, -15_000, directory.category('Eating Out')),
      leg(state, -6_000, directory.category('Gifts')),
    ],
  });
}

const leg = (state: LedgerState, amount: number, category_id: string) => ({
  id: state.newId(),
  amount,
  memo: null,
  payee_id: null,
  category_id,
  transfer_account_id: null,
  transfer_transaction_id: null,
});

function changeGoals(state: LedgerState): void {
  const directory = new Directory(state);
  const change = (name: string, goal: Partial<Goal>) => {
    const id = directory.category(name);
    const before = state.categories.get(id)?.goal ?? NEED_OF_TWENTY;
    updateCategory(state, id, { goal: { ...before, creation_month: state.firstMonth, ...goal } });
  };
  change('New Bicycle', { snoozed_at: `${state.today}T07:15:00.000Z` });
  change('Pets', { cadence: 2, cadence_frequency: 2, day: 5 });
  change('School', { cadence: 4 });
  change('Doctor & Dentist', { cadence: 14, target_date: addDays(state.today, 400) });
}

const NEED_OF_TWENTY: Goal = {
  type: 'NEED',
  target: 20_000,
  creation_month: '',
  target_date: null,
  needs_whole_amount: true,
  day: null,
  cadence: 1,
  cadence_frequency: 1,
  snoozed_at: null,
};

function hideNamesake(state: LedgerState): void {
  const { id } = createCategory(state, {
    group_id: new Directory(state).group('Everyday'),
    name: 'Groceries',
  });
  updateCategory(state, id, { hidden: true });
}

/** Refers to ids that nothing ever had, in each field that refers to something. */
function referToUnknown(state: LedgerState): void {
  const directory = new Directory(state);
  const { today, newId } = state;
  const row = (daysAgo: number, amount: number, memo: string): TransactionRecord => {
    const date = addDays(today, -daysAgo);
    const account_id = directory.account('Checking');
    const category_id = directory.category('Gifts');
    const input = {
      account_id,
      date,
      amount,
      memo,
      category_id,
      cleared: 'cleared',
      approved: true,
    } as const;
    return addTransaction(state, input);
  };
  const refer = (record: TransactionRecord, change: Partial<TransactionRecord>) =>
    state.putTransaction({ ...record, ...change });
  refer(row(20, -18_000, 'A payee that was never listed'), { payee_id: newId() });
  refer(row(19, -11_000, 'A category that was never listed'), { category_id: newId() });
  refer(row(18, -7_000, 'A match that was never listed'), { matched_transaction_id: newId() });
  refer(row(17, -9_000, 'An account that was never listed'), { account_id: newId() });
  const transfer = { payee_id: newId(), transfer_account_id: newId(), transfer_transaction_id: newId() };
  refer(row(16, -40_000, 'To an account that was never listed'), { ...transfer, category_id: null });
  refer(row(15, -5_000, 'Legs with references to what was never listed'), {
    category_id: null,
    legs: [
      { ...leg(state, -3_000, newId()), payee_id: newId() },
      { ...leg(state, -2_000, directory.category('Gifts')), ...transfer, category_id: null },
    ],
  });

  const scheduled = addScheduled(state, {
    account_id: directory.account('Checking'),
    date: addDays(today, 17),
    amount: -8_000,
    frequency: 'monthly',
  });
  state.putScheduled({ ...scheduled, payee_id: newId(), category_id: newId() });
  const { id, ...rest } = scheduled;
  state.putScheduled({ ...rest, id: newId(), account_id: newId() });
  state.putScheduled({ ...rest, id: newId(), payee_id: newId(), transfer_account_id: newId() });

  createCategory(state, { group_id: newId(), name: 'Of No Group' });
  state.putPayee({ id: newId(), name: 'Transfer : Piggy Bank', transfer_account_id: newId() });
  state.putLocation({ id: newId(), payee_id: newId(), latitude: '48.2', longitude: '16.4' });
}

/** Removes things that transactions, months, locations and schedules refer to. */
function removeWhatIsUsed(state: LedgerState): void {
  const directory = new Directory(state);
  state.removePayee(directory.payee('Old Mill Bakery'));
  state.removePayee(directory.transferTo('House'));
  state.removeAccount(directory.account('Aunt Rosa'));
  state.removeCategory(directory.category('Charity'));
  const group = createCategoryGroup(state, 'Left Over');
  createCategory(state, { group_id: group.id, name: 'Of a Removed Group' });
  state.removeGroup(group.id);
}

/** Legs that stayed when their transactions were deleted. */
function strayLegs(state: LedgerState): StrayLegs {
  const category_id = new Directory(state).category('Gifts');
  const { transfer_transaction_id, ...line } = leg(state, -4_000, category_id);
  const names = { payee_name: null, category_name: 'Gifts', deleted: false };
  return {
    subtransactions: [{ ...line, ...names, transfer_transaction_id, transaction_id: state.newId() }],
    scheduled_subtransactions: [
      { ...line, ...names, id: state.newId(), scheduled_transaction_id: state.newId() },
    ],
  };
}
