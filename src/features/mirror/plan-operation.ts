/** Plans a write that is a single operation of the service, and formats its outcome and its preview. */

import { formatConfirmation, formatDryRun } from '../../answers/dry-run.ts';
import { monthOf, replaceReferences } from '../../answers/references/resolve-references.ts';
import { undoneInParts } from '../../answers/requests-left.ts';
import { firstOf, present, quote, type TextContext, type TextPart } from '../../answers/text.ts';
import type { PlannedWrite } from '../../answers/tool.ts';
import type { FormattedAnswer } from '../../answers/tool-result.ts';
import { type FormattedWrite, formatData, formatWriteResult } from '../../answers/write-result.ts';
import { previewContent, writtenContent } from '../../answers/write-view.ts';
import type { JsonObject } from '../../base/json.ts';
import { payeeKey } from '../../model/bookkeeping/payee-names.ts';
import type { Operation } from '../../operations/operation.ts';
import { listPayees } from '../../operations/payees.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult } from '../../session/call-result.ts';

/** `input` matches the operation's schema. */
export function planOperation(call: BudgetCall, operation: Operation, input: JsonObject): PlannedWrite {
  const { [operation.batch ?? '']: batch } = input;
  const budgeted = operation.budgeted && [operation.budgeted(input)];
  const rows = operation.kind === 'create' && Array.isArray(batch) ? batch.length : 0;
  return {
    isRepeat: () => call.isRepeated(operation, input),
    async run(mustNotSend) {
      const unknown = unknownPayees(call, operation, input);
      const result = await call.write(operation, input, mustNotSend);
      const { data, freshness, changed } = result;
      const created = namesLine('New payees', createdPayees(unknown, result));
      const now = changed && call.cachedReplica;
      const remarks = (now && operation.remarksAfter?.(now, data)) ?? [];
      const inParts = await undoneInParts(call, rows);
      const outcome = { data, today: call.today, notes: [...remarks, created, inParts] };
      return {
        freshness,
        ...(budgeted && { budgeted }),
        view: () => writtenContent(call, operation, input, result, [...remarks, created, inParts]),
        format(context) {
          const written = formatWriteResult(operation, input, result, context, call.today);
          return formattedAnswer(operation, input, outcome, written, context);
        },
      };
    },
    async simulate() {
      const simulated = await call.simulate(operation, input);
      const { current, balanceChanges, problems, freshness } = simulated;
      const unknown = unknownPayees(call, operation, input);
      const created = namesLine('It will create these payees, unless there are such', unknown);
      const notes = [created, await undoneInParts(call, rows)];
      const outcome = { data: current, today: call.today, notes };
      return {
        freshness,
        ...(budgeted && { budgeted }),
        view: () => previewContent(call, operation, input, simulated, notes),
        problems,
        facts: { current, balanceChanges },
        question: (shown) =>
          present([
            formatConfirmation(operation, input, { ...simulated, freshness: shown }, call.budget),
            ...notes,
          ]).join('\n'),
        format(context) {
          const previewed = formatDryRun(operation, input, simulated, context);
          return formattedAnswer(operation, input, outcome, previewed, context);
        },
      };
    },
  };
}

interface Outcome {
  readonly data: JsonObject;
  readonly today: string;
  readonly notes: readonly TextPart[];
}

function formattedAnswer(
  operation: Operation,
  input: JsonObject,
  { data, today, notes }: Outcome,
  { fields, headline, lines, dataLines }: FormattedWrite,
  context: TextContext,
): FormattedAnswer {
  const { month } = monthOf(operation.output, input, today);
  return {
    data: { ...data, ...(month !== undefined && { month }), ...fields },
    heading: [month?.slice(0, 7)],
    lines: [headline, ...(dataLines ?? formatData(operation, data, context)), ...lines, ...notes],
  };
}

const MAX_NAMES = 20;

const namesLine = (label: string, names: readonly string[]): TextPart =>
  names.length > 0 && `${label}: ${firstOf(names.map(quote), MAX_NAMES).join(', ')}.`;

/** The payee names in the arguments that the cached budget does not have. All of them if it is not cached. */
function unknownPayees(call: BudgetCall, { input: schema }: Operation, args: JsonObject): string[] {
  const names = new Map<string, string>();
  replaceReferences(schema, args, {
    reference: (_, text) => text,
    payee(name) {
      const key = payeeKey(name);
      if (name.trim() !== '' && !names.has(key)) names.set(key, name.trim());
      return undefined;
    },
  });
  if (names.size === 0) return [];
  const known = call.readCached(listPayees, {})?.data?.payees ?? [];
  for (const { name } of known) names.delete(payeeKey(name));
  return [...names.values()];
}

function createdPayees(unknown: readonly string[], { changed }: CallResult<JsonObject>): string[] {
  const known = new Set(changed?.payees?.flatMap(({ name, deleted }) => (deleted ? [] : [payeeKey(name)])));
  return unknown.filter((name) => known.has(payeeKey(name)));
}
