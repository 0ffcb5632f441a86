/**
 * Money movements: what was moved between a category and Ready to Assign, when and by whom (docs/interface.md, Money
 * movement). They are a record only. The budgeted amounts are stored apart from them.
 */
import type { MoneyMovement, MoneyMovementGroup } from '../resources.ts';
import { setBudgeted } from './categories.ts';
import type { LedgerState } from './ledger-state.ts';
import type { MoneyMovementGroupRecord, MoneyMovementRecord } from './records.ts';

/** The circumstances of a movement. */
export interface MovementOrigin {
  /** A timestamp. */
  readonly moved_at: string;
  /** The user who moved the money, if known. */
  readonly user_id: string | null;
  readonly group_id: string | null;
}

/** Sets the budgeted amount of a month and records the difference as a movement from or to Ready to Assign. */
export function assignMoney(
  state: LedgerState,
  categoryId: string,
  month: string,
  amount: number,
  origin: MovementOrigin,
): void {
  const before = state.budgeted(categoryId, month);
  setBudgeted(state, categoryId, month, amount);
  recordMovement(state, categoryId, month, state.budgeted(categoryId, month) - before, origin);
}

/** Records that `amount` was added to the category, or taken from it if negative. Nothing is recorded for zero. */
export function recordMovement(
  state: LedgerState,
  categoryId: string,
  month: string,
  amount: number,
  origin: MovementOrigin,
): void {
  if (amount === 0) return;
  state.putMovement({
    id: state.newId(),
    month,
    ...origin,
    from_category_id: amount < 0 ? categoryId : null,
    to_category_id: amount > 0 ? categoryId : null,
    amount: Math.abs(amount),
  });
}

/** The records of a month, or all of them. */
export function ofMonth<R extends { readonly month: string }>(records: Iterable<R>, month?: string): R[] {
  return [...records].filter((record) => month === undefined || record.month === month);
}

export function renderMovement(record: MoneyMovementRecord): MoneyMovement {
  return {
    id: record.id,
    month: record.month,
    moved_at: record.moved_at,
    note: null,
    money_movement_group_id: record.group_id,
    performed_by_user_id: record.user_id,
    from_category_id: record.from_category_id,
    to_category_id: record.to_category_id,
    amount: record.amount,
  };
}

export function renderMovementGroup(record: MoneyMovementGroupRecord): MoneyMovementGroup {
  return {
    id: record.id,
    group_created_at: record.created_at,
    month: record.month,
    note: record.note,
    performed_by_user_id: record.user_id,
  };
}
