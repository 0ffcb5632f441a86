/** What the view draws of a reconciliation. */
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { changeOf, type NameOf, writeContent } from '../../answers/write-view.ts';
import type { PreparedReconciliation } from './prepare-reconciliation.ts';

export function reconciliationContent(
  { account, balance, date, entries, problems, reconciliation, state }: PreparedReconciliation,
  outcome: 'preview' | 'written',
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
    state: problems.length > 0 ? 'refused' : outcome,
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
