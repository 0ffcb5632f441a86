/** What the view draws of the writes that consist of several operations: a move, an undo and a reconciliation. */
import type { MovedMoney, MoveSide } from '../format/moved-money.ts';
import type { Reversals } from '../operations/operation.ts';
import type { WriteContent } from '../view-data/write-content.ts';
import type { PreparedReconciliation } from './prepare-reconciliation.ts';
import { changeOf, type NameOf, writeContent } from './write-view.ts';

type Head = Pick<WriteContent, 'title' | 'state'>;

export function moveContent(head: Head, { from, to }: MovedMoney): WriteContent {
  const sides = [from, to];
  const after = ({ left_after, left_before }: MoveSide) => left_after ?? left_before;
  return writeContent({
    ...head,
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

export function undoContent(head: Head, { reversals, leftovers }: Reversals, nameOf: NameOf): WriteContent {
  const targets = reversals.flatMap((each) => each.targets);
  return writeContent({
    ...head,
    changes: targets.map(({ label, written, earlier }) => changeOf(label, written, earlier, nameOf)),
    balances: [],
    unpredictable: [],
    notes: leftovers.map((each) => `Not as before: ${each}.`),
  });
}

export function reconciliationContent(
  title: string,
  { account, balance, date, entries, problems, reconciliation }: PreparedReconciliation,
  nameOf: NameOf,
): WriteContent {
  const { marked } = reconciliation;
  const uncleared = marked.filter(({ cleared }) => cleared === 'uncleared');
  return writeContent({
    title,
    state: problems.length > 0 ? 'refused' : 'preview',
    changes: [
      ...entries.map((entry) => changeOf(undefined, undefined, { ...entry }, nameOf)),
      ...uncleared.map(({ payee_name, date: day, amount }) =>
        changeOf({ payee_name, date: day, amount }, { status: 'uncleared' }, { status: 'reconciled' }),
      ),
    ],
    balances: problems.length > 0 ? [] : [{ kind: 'account', name: account.name, after: balance }],
    unpredictable: [],
    notes:
      problems.length > 0
        ? problems.slice()
        : [`${marked.length} transactions until ${date} are marked as reconciled.`],
  });
}
