/**
 * Records how the demo's money was assigned: for each month one group of movements from Ready to Assign, as if the user
 * had assigned everything on the first day. It comes last, because it draws ids and nothing else may depend on them.
 */
import { recordMovement } from '../ledger/money-movements.ts';
import type { Ledger } from '../ledger.ts';

export function recordAssignments(ledger: Ledger): void {
  const months = ledger.months();
  ledger.commit((state) => {
    for (const { month } of months) {
      const categories = [...state.categories.keys()].filter((id) => state.budgeted(id, month) !== 0);
      if (categories.length === 0) continue;
      const group = {
        id: state.newId(),
        month,
        note: null,
        user_id: null,
        created_at: `${month}T00:00:00.000Z`,
      };
      state.putMovementGroup(group);
      const origin = { moved_at: group.created_at, group_id: group.id, user_id: null };
      for (const id of categories) recordMovement(state, id, month, state.budgeted(id, month), origin);
    }
  });
}
