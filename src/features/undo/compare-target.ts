/** How a thing that `undo` would change is now, compared with what was written and with what was there before. */
import { z } from 'zod';
import { firstOf, type TextContext } from '../../answers/text.ts';
import { BudgetError, undefinedIfNotFound } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { Reversal, ReversalSource, ReversalTarget } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import { describeReversal, describeState, describeTarget, operationOf } from './take-back.ts';

/** As the write left it, as it was before the write, or otherwise. Undefined if it was deleted. */
export type State = 'written' | 'earlier' | JsonObject | undefined;

/** Throws if it cannot be read. */
export async function stateOf(
  call: BudgetCall,
  { written, earlier, source }: ReversalTarget,
): Promise<State> {
  // Nothing can be read of a thing that the write deleted.
  if (!written || !source) return 'written';
  const current = await readIfFound(call, source);
  if (!current) return earlier ? undefined : 'earlier';
  const shown = pickFields(current, written);
  if (canonicalJson(shown) === canonicalJson(written)) return 'written';
  return earlier && canonicalJson(shown) === canonicalJson(earlier) ? 'earlier' : shown;
}

const pickFields = (row: JsonObject, fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, row[name] ?? null]));

async function readIfFound(call: BudgetCall, source: ReversalSource): Promise<JsonObject | undefined> {
  const { operation, input } = operationOf(source);
  try {
    const { data } = await call.read(operation, input);
    return source.contentOf(data);
  } catch (error) {
    return undefinedIfNotFound(error);
  }
}

/** Why a thing is not taken back, with both versions. `state` is neither as the write left it nor as it was before. */
export function describeConflict(
  target: ReversalTarget,
  state: JsonObject | undefined,
  context: TextContext,
): string {
  const thing = describeTarget(target, context);
  if (!state) return `${thing} has been deleted since`;
  const { written = {} } = target;
  const differing = Object.keys(written).filter(
    (name) => canonicalJson(written[name]) !== canonicalJson(state[name]),
  );
  if (target.isHidden) return `${thing} has been changed since: ${differing.join(', ')}`;
  const only = (fields: JsonObject) =>
    describeState(Object.fromEntries(differing.map((name) => [name, fields[name]])), context);
  return `${thing} has been changed since: this server wrote ${only(written)}, now it is ${only(state)}`;
}

const assigned = z.strictObject({ budgeted: z.number() });

/**
 * The reversal of what is budgeted in a category that was changed since to `state`: it takes back the difference, so that the
 * later change stays. Undefined for anything else.
 */
export function keepingLater(
  reversal: Reversal,
  target: ReversalTarget,
  state: JsonObject | undefined,
): Reversal | undefined {
  const [now, written, earlier] = [state, target.written, target.earlier].map(
    (each) => assigned.safeParse(each).data?.budgeted,
  );
  if (now === undefined || written === undefined || earlier === undefined) return undefined;
  const left = { budgeted: now + earlier - written };
  const input = { ...reversal.input, ...left };
  return { ...reversal, input, targets: [{ ...target, written: { budgeted: now }, earlier: left }] };
}

const MAX_CONFLICTS = 5;

/** `keeping` has those of the reversals in conflict that can keep the later change. */
export function changedElsewhere(
  conflicts: readonly string[],
  keeping: readonly Reversal[],
  context: TextContext,
): BudgetError {
  const instead = keeping.flatMap(({ targets }) => targets.map((each) => describeReversal(each, context)));
  const advice =
    keeping.length === conflicts.length
      ? `With keep_later_changes: true it takes back only the difference: ${firstOf(instead, MAX_CONFLICTS).join(', ')}.`
      : 'What is still wrong has to be changed by hand.';
  const problems = firstOf(conflicts, MAX_CONFLICTS).join('; ');
  return new BudgetError('changed_elsewhere', `${problems}. This call undid nothing. ${advice}`);
}
