import { describe, expect, it } from 'vitest';
import { budgetAccountsOf } from '../../../src/model/sums/budget-accounts.ts';
import { duePayments } from '../../../src/model/sums/scheduled-payments.ts';
import { account, scheduled, scheduledLeg } from '../../answers/samples.helper.ts';

const budgetAccounts = budgetAccountsOf(
  ['acc-1', 'savings', 'mortgage', 'loan'].map((id, at) => account({ id, on_budget: at < 2 })),
);
const dueIn = (month: string, rows: readonly ReturnType<typeof scheduled>[], max = 25) =>
  duePayments(month, rows, budgetAccounts, max);

const weekly = (changed = {}) =>
  scheduled({ frequency: 'weekly', date_first: '2026-12-01', date_next: '2026-12-01', ...changed });

describe('the scheduled payments of a month', () => {
  it('a payment counts as often as it is due in the month', () => {
    const { payments } = dueIn('2026-12-01', [weekly({ amount: -18_000 })]);
    expect(payments).toMatchObject({ total: 1, sum: -90_000 });
    expect(payments.rows).toMatchObject([
      { each: -18_000, amount: -90_000, name: 'Landlord', account_id: 'acc-1' },
    ]);
    expect(payments.rows[0]?.dates).toHaveLength(5);
  });

  it('income is a list of its own, and the soonest comes first', () => {
    const { payments, income } = dueIn('2026-12-01', [
      scheduled({ id: 'a', date_next: '2026-12-20', amount: -1_000 }),
      scheduled({ id: 'b', date_next: '2026-12-02', amount: -2_000 }),
      scheduled({ id: 'c', date_next: '2026-12-03', amount: 5_000 }),
    ]);
    expect(payments.rows.map((row) => row.scheduled_transaction_id)).toEqual(['b', 'a']);
    expect(payments.sum).toBe(-3_000);
    expect(income).toMatchObject({ total: 1, sum: 5_000 });
  });

  it('a transfer within the budget is no payment, and one to a tracked account is', () => {
    const { payments, transfers } = dueIn('2026-12-01', [
      weekly({ id: 'a', transfer_account_id: 'savings' }),
      scheduled({ id: 'b', transfer_account_id: 'mortgage', amount: -1_265_000 }),
    ]);
    expect(transfers).toMatchObject({ total: 1, rows: [{ scheduled_transaction_id: 'a' }] });
    expect(transfers.rows[0]?.dates).toHaveLength(5);
    expect(payments).toMatchObject({ total: 1, sum: -1_265_000 });
  });

  it('a transfer from a tracked account is income of the budget, and its other movements do not count', () => {
    const { payments, income, transfers } = dueIn('2026-12-01', [
      scheduled({ id: 'a', account_id: 'loan', transfer_account_id: 'acc-1', amount: -7_000 }),
      scheduled({ id: 'b', account_id: 'loan', amount: -9_000 }),
    ]);
    expect(income).toMatchObject({ total: 1, sum: 7_000 });
    expect([payments.total, transfers.total]).toEqual([0, 0]);
  });

  it('of a split, the legs that leave the budget count', () => {
    const { payments } = dueIn('2026-12-01', [
      scheduled({
        amount: -1_000_000,
        subtransactions: [
          scheduledLeg({ id: 'one', amount: -400_000 }),
          scheduledLeg({ id: 'two', amount: -600_000, transfer_account_id: 'savings' }),
        ],
      }),
    ]);
    expect(payments.rows).toMatchObject([{ amount: -400_000, category_id: null }]);
  });
});
