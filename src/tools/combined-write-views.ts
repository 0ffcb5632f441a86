/** What the view draws of the writes that consist of several operations: a move, an assignment, an undo and a reconciliation. */
import { type AssignedMoney, changeOf as assignedChange } from '../format/assigned-money.ts';
import type { MovedMoney, MoveSide } from '../format/moved-money.ts';
import type { Reversals } from '../operations/reversal.ts';
import type { WriteContent } from '../view-data/write-content.ts';
import type { PreparedReconciliation } from './prepare-reconciliation.ts';
import { changeOf, type NameOf, titleOf, writeContent } from './write-view.ts';

const READY = 'Ready to Assign';

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
    unpredictable: [],
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
    unpredictable: [],
    notes: [
      ...changes
        .filter(({ left_after }) => left_after === undefined)
        .map(({ name }) => `Not read since: ${name}`),
      ...lacking.map(({ name }) => `The money does not suffice: ${name}`),
    ],
  });
}

export function undoContent(
  title: string,
  state: State,
  { reversals, leftovers }: Reversals,
  nameOf: NameOf,
): WriteContent {
  const targets = reversals.flatMap((each) => each.targets);
  const changes = targets.map(({ label, written, earlier }) => changeOf(label, written, earlier, nameOf));
  return writeContent({
    title: titleOf(title, changes),
    state,
    changes,
    balances: [],
    unpredictable: [],
    notes: leftovers.map((each) => `Not as before: ${each}.`),
  });
}

export function reconciliationContent(
  { account, balance, date, entries, problems, reconciliation, state }: PreparedReconciliation,
  nameOf: NameOf,
): WriteContent {
  const { marked } = reconciliation;
  const uncleared = marked.filter(({ cleared }) => cleared === 'uncleared');
  return writeContent({
    title: [
      'Reconcile ',
      account.name,
      ...(balance === undefined ? [] : [' at ', { amount: balance }]),
      ', ',
      date,
    ],
    state: problems.length > 0 ? 'refused' : 'preview',
    changes: [
      ...entries.map((entry) => changeOf(undefined, undefined, { ...entry }, nameOf)),
      ...uncleared.map(({ payee_name, date: day, amount }) =>
        changeOf({ payee_name, date: day, amount }, { status: 'uncleared' }, { status: state }),
      ),
    ],
    balances:
      problems.length > 0
        ? []
        : [{ kind: 'account', name: account.name, after: reconciliation.clearedAfter }],
    unpredictable: [],
    notes:
      problems.length > 0
        ? problems.slice()
        : [`${marked.length} transactions until ${date} are marked as ${state}.`],
  });
}
