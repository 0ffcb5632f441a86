/** How an entry of the journal is taken back, and its description in words and for the view. Sends nothing. */
import {
  counted,
  joinParts,
  joinWords,
  quote,
  type TextContext,
  type TextPart,
  word,
} from '../../answers/text.ts';
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { changeOf, namesIn, titleOf, writeContent } from '../../answers/write-view.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import type { ReferenceKind } from '../../base/schema/meaning.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { operations } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Reversal, Reversals, ReversalTarget, TakeBack } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { JournalEntry, JournalStep } from '../../session/writes/journal.ts';

const byName: ReadonlyMap<string, Operation> = new Map(operations.map((each) => [each.name, each]));

/** An operation of the journal. A journal on disk may be that of another version of this program. */
export function operationNamed(name: string): Operation {
  const found = byName.get(name);
  if (!found) throw new TypeError(`There is no operation ${name}.`);
  return found;
}

/** The write of a reversal, or the read of what is there, with its input. */
export function operationOf({ operation: name, input }: Pick<Reversal, 'operation' | 'input'>) {
  const operation = operationNamed(name);
  return { operation, input: operation.input.parse(input) };
}

/** They enter rows of a bank's file, which no model reads. */
const toolsOfBank = new Set(['enter_statement', 'apply_reconciliation']);

/** Whether an entry has entered rows of a bank, or has taken that back. `all` is the journal. */
export function isOfBank({ tool, takesBack }: JournalEntry, all: readonly JournalEntry[]): boolean {
  const takenBack = all.find(({ id }) => id === takesBack);
  return takenBack ? isOfBank(takenBack, all) : toolsOfBank.has(tool);
}

/** The last step is taken back first. With `isHidden`, what was created or deleted is hidden in texts. */
export function takeBack(
  { steps, takenBackBy }: Pick<JournalEntry, 'steps' | 'takenBackBy'>,
  isHidden = false,
): TakeBack {
  if (takenBackBy !== undefined) return { impossible: `it was taken back already, by ${takenBackBy}` };
  const reversals: Reversal[] = [];
  const leftovers = new Set<string>();
  const last = new Map<string, JsonObject>();
  if (steps.some(mayLackChange)) leftovers.add(MAY_LACK_CHANGE);
  for (const { operation, ...written } of steps.toReversed()) {
    const part = byName.get(operation)?.takeBack?.(written);
    if (!part) return { impossible: 'this version cannot take back such a write' };
    if ('impossible' in part) return part;
    reversals.push(...part.reversals.map((each) => asLeftBy(last, each)));
    for (const each of part.leftovers) leftovers.add(each);
  }
  if (reversals.length === 0 || isUnchanged(reversals)) return { impossible: 'it changed nothing' };
  return { reversals: isHidden ? reversals.map(withHiddenRows) : reversals, leftovers: [...leftovers] };
}

const withHiddenRows = (reversal: Reversal): Reversal => ({
  ...reversal,
  targets: reversal.targets.map((each) => ({ ...each, isHidden: !each.written || !each.earlier })),
});

const MAY_LACK_CHANGE =
  'just before this write something in the budget was changed elsewhere; if it was the same field, that change is lost';

/** A write raises the knowledge by one. If it rose by more, the cached budget was older than the one that was written to. */
function mayLackChange({ knowledgeBefore, data }: JournalStep): boolean {
  const knowledge = knowledgeOf(data);
  return knowledge !== undefined && knowledgeBefore !== undefined && knowledge > knowledgeBefore + 1;
}

export const targetsOf = (reversals: readonly Reversal[]): ReversalTarget[] =>
  reversals.flatMap(({ targets }) => targets);

/** Whether each thing is as it was before the first step. */
function isUnchanged(reversals: readonly Reversal[]): boolean {
  const first = new Map(targetsOf(reversals).map((target) => [keyOf(target), target]));
  return [...first.values()].every(
    ({ written, earlier }) => written && earlier && canonicalJson(written) === canonicalJson(earlier),
  );
}

const keyOf = ({ kind, label }: ReversalTarget) => `${kind} ${label['id']} ${label['month']}`;

/**
 * A reversal whose targets are as the whole entry left them, since a later step may have changed them again. `last` has
 * what later steps wrote.
 */
function asLeftBy(last: Map<string, JsonObject>, reversal: Reversal): Reversal {
  const targets = reversal.targets.map((target) => {
    const { written } = target;
    if (!written) return target;
    const key = keyOf(target);
    const later = Object.entries(last.get(key) ?? {}).filter(([name]) => name in written);
    const final = { ...written, ...Object.fromEntries(later) };
    last.set(key, { ...final, ...last.get(key) });
    return { ...target, written: final };
  });
  return { ...reversal, targets };
}

/** Fields that are named by the word for the thing. */
const referenceFields: Readonly<Record<string, ReferenceKind>> = {
  account_id: 'account',
  payee_id: 'payee',
  category_id: 'category',
  category_group_id: 'category_group',
};

const amounts = new Set(['amount', 'budgeted', 'goal_target']);

/** Such as `transaction 2026-11-21 -12.50 "Corner Bakery"`, or `category "Groceries" 2026-11`. */
export function describeTarget({ kind, label, isHidden }: ReversalTarget, context: TextContext): string {
  const { id, ...rest } = label;
  const { name, date, amount, payee_name, month }: JsonObject = isHidden ? {} : rest;
  return joinWords(
    kind.replaceAll('_', ' '),
    typeof name === 'string' && quote(name),
    typeof date === 'string' && word(date),
    typeof amount === 'number' && context.money(amount),
    typeof payee_name === 'string' && quote(payee_name),
    typeof month === 'string' && word(month.slice(0, 7)),
    typeof name !== 'string' && isKindWithId(kind) && typeof id === 'string' && shortId(kind, id, context),
  );
}

/** Empty for what is no longer in the budget, since no step can refer to it. */
function shortId(kind: ReferenceKind, id: string, context: TextContext): string {
  const short = context.id(kind, id);
  return short.length < id.length ? `(${short})` : '';
}

const isKindWithId = (kind: string): kind is 'transaction' | 'scheduled_transaction' =>
  kind === 'transaction' || kind === 'scheduled_transaction';

/** Each field of a state, such as `memo "lunch"`. */
export const describeState = (state: JsonObject, context: TextContext): string =>
  joinParts(...Object.entries(state).map(([field, value]) => describeField(field, value, context)));

function describeField(field: string, value: unknown, context: TextContext): string {
  const label = field.replace(/_id$/, '').replaceAll('_', ' ');
  const kind = referenceFields[field];
  if (value === null || value === undefined) return `no ${label}`;
  if (typeof value === 'boolean') return value ? label : `not ${label}`;
  if (Array.isArray(value)) return `${value.length} legs`;
  if (typeof value === 'number') return `${label} ${amounts.has(field) ? context.money(value) : value}`;
  if (kind) return `${label} ${context.reference(String(value), kind)}`;
  return `${label} ${quotedFields.has(field) ? quote(String(value)) : word(String(value))}`;
}

const quotedFields = new Set(['name', 'note', 'memo']);

export function describeReversal(target: ReversalTarget, context: TextContext): string {
  const { written, earlier } = target;
  const thing = describeTarget(target, context);
  if (!earlier) return `deletes ${thing}`;
  if (!written) return `enters again ${thing}`;
  return `sets ${thing} from ${describeState(written, context)} to ${describeState(earlier, context)}`;
}

/** What the reversals of an entry do, with hidden things as their number, their sum and their account. */
export function describeReversals(reversals: readonly Reversal[], context: TextContext): string[] {
  const targets = targetsOf(reversals);
  const hidden = targets.filter(({ isHidden }) => isHidden);
  const shown = targets.filter(({ isHidden }) => !isHidden).map((each) => describeReversal(each, context));
  const [first] = hidden;
  if (!first) return shown;
  const account = context.reference(String((first.written ?? first.earlier)?.['account_id']), 'account');
  const sum = sumOf(hidden, ({ label }) => Number(label['amount']));
  return [
    `${first.written ? 'deletes' : 'enters again'} ${counted(hidden.length, 'transaction')} of ${account}, sum ${context.money(sum)}`,
    ...shown,
  ];
}

export function undoContent(
  call: BudgetCall,
  title: string,
  state: WriteContent['state'],
  { reversals, leftovers }: Reversals,
  notes: readonly TextPart[],
): WriteContent {
  const nameOf = namesIn(call);
  const changes = targetsOf(reversals).map(({ label, written, earlier }) =>
    changeOf(label, written, earlier, nameOf),
  );
  return writeContent({
    title: titleOf(title, changes),
    state,
    changes,
    notes: [...leftovers.map((each) => `Not as before: ${each}.`), ...notes],
  });
}
