/**
 * Budgets the household's categories month by month, after the spending is known. Each category gets what its plan
 * says, and most overspending is covered. The rest goes to the surplus category, except for a small amount that
 * stays unassigned.
 */
import { addMonths } from '../ledger/calendar.ts';
import { setBudgeted } from '../ledger/categories.ts';
import type { Ledger } from '../ledger.ts';
import { type EnvelopePlan, OVERSPENT_ENVELOPE, SURPLUS_ENVELOPE } from './household-envelopes.ts';
import type { Random } from './random.ts';

const STEP = 1_000;

export function budgetHousehold(
  ledger: Ledger,
  groups: Readonly<Record<string, readonly EnvelopePlan[]>>,
  random: Random,
): void {
  const plans = new Map(Object.values(groups).flatMap((group) => group.map((plan) => [plan.name, plan])));
  const carried = new Map<string, number>();
  const months = ledger.months().map(({ month }) => month);

  ledger.commit((state) => {
    for (const month of months) {
      for (const { id, name, activity } of ledger.month(month)?.categories ?? []) {
        const plan = plans.get(name);
        if (plan === undefined) continue;
        const before = carried.get(id) ?? 0;
        const missing = -(before + amountFor(plan, before) + activity);
        const covered = missing > 0 && plan.name !== OVERSPENT_ENVELOPE && random.chance(0.75);
        const budgeted = amountFor(plan, before) + (covered ? missing : 0);
        setBudgeted(state, id, month, budgeted);
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

/** Covers card debt for which spending set no money aside, such as the opening balance, in the month of the debt. */
function coverDebts(ledger: Ledger, months: readonly string[]): void {
  for (const { id, transactions } of cardsOf(ledger)) {
    for (const month of months) {
      const nextMonth = addMonths(month, 1);
      const debt = -sum(transactions.filter(({ date }) => date < nextMonth).map(({ amount }) => amount));
      const shortfall = debt - (ledger.category(id, month)?.balance ?? 0);
      if (shortfall > 0) ledger.commit((state) => setBudgeted(state, id, month, shortfall));
    }
  }
}

/** The payment category of each credit account, and the account's transactions. */
function cardsOf(ledger: Ledger) {
  return ledger.accounts().flatMap((account) => {
    const id = ledger.state.paymentCategory(account.id)?.id;
    return id === undefined ? [] : [{ id, transactions: ledger.transactions({ account_id: account.id }) }];
  });
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function assignSurplus(ledger: Ledger, months: readonly string[], random: Random): void {
  const unassigned = new Map(ledger.months().map(({ month, to_be_budgeted }) => [month, to_be_budgeted]));
  ledger.commit((state) => {
    const surplus = [...state.categories.values()].find(({ name }) => name === SURPLUS_ENVELOPE);
    if (surplus === undefined) return;
    let assigned = 0;
    for (const month of months) {
      const unassignedRest = random.amount(18_000, 95_000, 10);
      const assignment = (unassigned.get(month) ?? 0) - unassignedRest - assigned;
      setBudgeted(state, surplus.id, month, assignment);
      assigned += assignment;
    }
    state.setNote(ledger.currentMonth, 'Mind the eating out 🍕');
  });
}
