/** What the view draws of a move and of an assignment. */
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { changeOf, writeContent } from '../../answers/write-view.ts';
import { type AssignedMoney, changeOf as assignedChange, READY, shortOf } from './assigned-money.ts';
import type { MovedMoney, MoveSide } from './moved-money.ts';

type State = WriteContent['state'];

export function moveContent(state: State, { month, amount, from, to }: MovedMoney): WriteContent {
  const sides = [from, to];
  const after = ({ left_after, left_before }: MoveSide) => left_after ?? left_before;
  return writeContent({
    title: ['Move ', { amount }, ' from ', from.name, ' to ', to.name, ', ', { month: month.slice(0, 7) }],
    state,
    changes: sides.flatMap(({ name, budgeted_before, budgeted_after }) =>
      budgeted_before === undefined || budgeted_after === undefined
        ? []
        : [changeOf({ name }, { budgeted: budgeted_before }, { budgeted: budgeted_after })],
    ),
    balances: sides.map((side) => ({
      kind: 'category' as const,
      name: side.name,
      before: side.left_before,
      after: after(side),
    })),
    notes: sides
      .filter(({ left_after }) => left_after === undefined)
      .map(({ name }) => `Not read since: ${name}`),
  });
}

export function assignmentContent(state: State, assigned: AssignedMoney): WriteContent {
  const { month, from, changes, lacking, ready_before, ready_after = ready_before } = assigned;
  const total = changes
    .filter(({ id }) => id !== from?.id)
    .reduce((sum, each) => sum + assignedChange(each), 0);
  return writeContent({
    title: ['Assign ', { amount: total }, ' from ', from?.name ?? READY, ', ', { month: month.slice(0, 7) }],
    state,
    changes: changes.map(({ name, budgeted_before, budgeted_after }) =>
      changeOf({ name }, { budgeted: budgeted_before }, { budgeted: budgeted_after }),
    ),
    balances: [
      { kind: 'category', name: READY, before: ready_before, after: ready_after },
      ...changes.map(({ name, left_before, left_after }) => ({
        kind: 'category' as const,
        name,
        before: left_before,
        after: left_after ?? left_before,
      })),
    ],
    notes: [
      ...changes
        .filter(({ left_after }) => left_after === undefined)
        .map(({ name }) => `Not read since: ${name}`),
      ...lacking.map(({ name }) => `${shortOf(assigned)}: ${name}`),
    ],
  });
}
