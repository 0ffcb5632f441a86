/** What both sides of a move had before it, and have or would have after it. Pure. */

import { type BudgetedAmounts, budgetedAmounts } from './budgeted-amounts.ts';
import type { CarriedOutMove, WrittenAmount } from './carry-out-move.ts';
import type { MovedMoney, MoveSide } from './moved-money.ts';
import type { PlannedMove } from './planned-move.ts';

/** The amounts after a move, if nothing is changed elsewhere meanwhile. */
export function predictedAmounts({ month, amount, from, to }: PlannedMove): MovedMoney {
  return {
    month,
    amount,
    from: { ...before(from), ...after(from, from.left - amount, from.budgeted - amount) },
    to: {
      ...before(to),
      ...after(to, to.left + amount, to.budgeted + amount),
      lacking_after: Math.max(to.lacking - amount, 0),
    },
  };
}

/** The amounts after a move, as they were read after its last write. */
export function movedAmounts({ move, writes, isToChanged }: CarriedOutMove): MovedMoney {
  const { month, amount } = move;
  const last = writes.at(-1);
  const amountsNow = (each: BudgetedAmounts): WrittenAmount | BudgetedAmounts | undefined =>
    last?.replica ? budgetedAmounts(last.replica, month, each.id) : writes.find(({ id }) => id === each.id);
  const side = (each: BudgetedAmounts, change: number, isChanged: boolean): MoveSide => {
    const now = amountsNow(each);
    if (!now) return before(each);
    const isChangedSince = !each.isReadyToAssign && now.budgeted !== each.budgeted + change;
    return {
      ...before(each),
      ...after(each, now.left, now.budgeted),
      ...(change > 0 && 'lacking' in now && { lacking_after: now.lacking }),
      ...((isChanged || isChangedSince) && { changed_meanwhile: true }),
    };
  };
  return {
    month,
    amount,
    from: side(move.from, -amount, false),
    to: side(move.to, amount, isToChanged),
    ...(!isToChanged && mayHaveReplaced(writes) && { may_have_replaced: true }),
  };
}

const before = ({ id, name, isReadyToAssign, left, budgeted }: BudgetedAmounts): MoveSide =>
  isReadyToAssign
    ? { id, name: 'Ready to Assign', left_before: left }
    : { id, name, left_before: left, budgeted_before: budgeted };

const after = ({ isReadyToAssign }: BudgetedAmounts, left: number, budgeted: number) => ({
  left_after: left,
  ...(!isReadyToAssign && { budgeted_after: budgeted }),
});

/**
 * Whether something else may have been changed between a read and the write that was computed from it. The knowledge then
 * rises by more than one. A service that always counts more would raise it equally for two equal writes.
 */
export function mayHaveReplaced(writes: readonly Pick<WrittenAmount, 'rise'>[]): boolean {
  const rises = writes.map(({ rise = 1 }) => rise);
  const isSteady = rises.length > 1 && rises.every((rise) => rise === rises[0]);
  return !isSteady && rises.some((rise) => rise > 1);
}
