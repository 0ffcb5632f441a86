/**
 * Fills the household's envelopes month by month, knowing what was spent: each as its plan says, most overspending
 * covered. What is then left over goes into the surplus envelope, but for a little that stays ready to be budgeted.
 */
import { addMonths } from '../ledger/calendar.ts';
import { setBudgeted } from '../ledger/categories.ts';
import type { Ledger } from '../ledger.ts';
import { type EnvelopePlan, GROUPS, OVERSPENT_ENVELOPE, SURPLUS_ENVELOPE } from './household-envelopes.ts';
import type { Random } from './random.ts';

const STEP = 1_000;

export function budgetHousehold(ledger: Ledger, random: Random): void {
  const plans = new Map(Object.values(GROUPS).flatMap((group) => group.map((plan) => [plan.name, plan])));
  const carried = new Map<string, number>();
  const months = ledger.months().map(({ month }) => month);

  ledger.commit((books) => {
    for (const month of months) {
      for (const { id, name, activity } of ledger.month(month)?.categories ?? []) {
        const plan = plans.get(name);
        if (plan === undefined) continue;
        const before = carried.get(id) ?? 0;
        const missing = -(before + amountFor(plan, before) + activity);
        const covered = missing > 0 && plan.name !== OVERSPENT_ENVELOPE && random.chance(0.75);
        const budgeted = amountFor(plan, before) + (covered ? missing : 0);
        setBudgeted(books, id, month, budgeted);
        carried.set(id, Math.max(0, before + budgeted + activity));
      }
    }
  });
  coverDebts(ledger, months);
  assignSurplus(ledger, months, random);
}

function amountFor(plan: EnvelopePlan, carried: number): number {
  if (plan.fill === 'add') return plan.monthly;
  return Math.max(0, Math.ceil((plan.monthly - carried) / STEP) * STEP);
}

/** Debt on a card that its spending did not set money aside for, as the opening one, is covered in its month. */
function coverDebts(ledger: Ledger, months: readonly string[]): void {
  for (const { id, transactions } of cardsOf(ledger)) {
    for (const month of months) {
      const end = addMonths(month, 1);
      const debt = -sum(transactions.filter(({ date }) => date < end).map(({ amount }) => amount));
      const gap = debt - (ledger.category(id, month)?.balance ?? 0);
      if (gap > 0) ledger.commit((books) => setBudgeted(books, id, month, gap));
    }
  }
}

/** The payment category of each credit account, and the account's transactions. */
function cardsOf(ledger: Ledger) {
  return ledger.accounts().flatMap((account) => {
    const id = ledger.books.paymentCategory(account.id)?.id;
    return id === undefined ? [] : [{ id, transactions: ledger.transactions({ account_id: account.id }) }];
  });
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function assignSurplus(ledger: Ledger, months: readonly string[], random: Random): void {
  const unassigned = new Map(ledger.months().map(({ month, to_be_budgeted }) => [month, to_be_budgeted]));
  ledger.commit((books) => {
    const surplus = [...books.categories.values()].find(({ name }) => name === SURPLUS_ENVELOPE);
    if (surplus === undefined) return;
    let assigned = 0;
    for (const month of months) {
      const left = random.amount(18_000, 95_000, 10);
      const due = (unassigned.get(month) ?? 0) - left - assigned;
      setBudgeted(books, surplus.id, month, due);
      assigned += due;
    }
    books.setNote(ledger.currentMonth, 'Mind the eating out 🍕');
  });
}
