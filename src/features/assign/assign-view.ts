/** What the view draws of a move and of an assignment. */
import { READY } from '../../answers/ready-to-assign.ts';
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { changeOf, writeContent } from '../../answers/write-view.ts';
import { type AssignedMoney, changeOf as assignedChange, shortOf } from './assigned-money.ts';
import type { MovedMoney, MoveSide } from './moved-money.ts';

type State = WriteContent['state'];

export function moveContent(state: State, { month, amount, from, to }: MovedMoney): WriteContent {
  return writeContent({
    title: ['Move ', { amount }, ' from ', from.name, ' to ', to.name, ', ', { month: month.slice(0, 7) }],
    state,
    ...drawn([from, to]),
  });
}

export function assignmentContent(state: State, assigned: AssignedMoney): WriteContent {
  const { month, from, lacking } = assigned;
  const total = assigned.changes
    .filter(({ id }) => id !== from?.id)
    .reduce((sum, each) => sum + assignedChange(each), 0);
  const { changes, balances, notes } = drawn(assigned.changes);
  return writeContent({
    title: ['Assign ', { amount: total }, ' from ', from?.name ?? READY, ', ', { month: month.slice(0, 7) }],
    state,
    changes,
    balances,
    notes: [
      ...notes,
      ...lacking.map(({ name }) => `${shortOf(assigned)}: ${name}`),
      ...(assigned.not_funded ?? []).map(
        (each) => `${each.is_snoozed ? 'Snoozed' : 'Not funded'}: ${each.name}`,
      ),
    ],
  });
}

/** The executor adds Ready to Assign, which has nothing budgeted. */
function drawn(sides: readonly Omit<MoveSide, 'id'>[]) {
  const categories = sides.filter(({ budgeted_before }) => budgeted_before !== undefined);
  return {
    changes: categories.flatMap(({ name, budgeted_before, budgeted_after }) =>
      budgeted_after === undefined
        ? []
        : [changeOf({ name }, { budgeted: budgeted_before }, { budgeted: budgeted_after })],
    ),
    balances: categories.map(({ name, left_before, left_after = left_before }) => ({
      kind: 'category' as const,
      name,
      before: left_before,
      after: left_after,
    })),
    notes: categories
      .filter(({ left_after }) => left_after === undefined)
      .map(({ name }) => `Not read since: ${name}`),
  };
}
