/** What the view draws of an undo. */
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { changeOf, type NameOf, titleOf, writeContent } from '../../answers/write-view.ts';
import type { Reversals } from '../../operations/reversal.ts';

export function undoContent(
  title: string,
  state: WriteContent['state'],
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
