/** The outcome and the preview of a write that consists of several operations, for the tools that make one of them. */
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { BudgetedAmount } from '../model/sums/ready-to-assign.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallResult, Freshness, WriteResult } from '../session/call-result.ts';
import { questionText } from './dry-run.ts';
import { TextContext, type TextPart } from './text.ts';
import type { WriteAnswer, WritePreview } from './tool.ts';
import { moneyFormatter } from './units.ts';
import type { WriteContent } from './view-data/write-content.ts';
import { headlineOf, outcomeFields, writeFields } from './write-result.ts';

/** The schema of a result: the data of the write with the fields of its outcome. */
export const writtenTogether = <Shape extends z.ZodRawShape>(data: z.ZodObject<Shape>) =>
  z.object({ ...data.shape, ...outcomeShape });

/** The fields of how a write ended (`outcomeFields`). */
export const outcomeShape = {
  outcome: writeFields.outcome,
  earlier_call: writeFields.earlier_call,
  overtaken: writeFields.overtaken,
  ready_to_assign: writeFields.ready_to_assign,
};

/** Whether the budget had to show that one of several writes has happened. */
export const outcomeOf = (
  writes: readonly { readonly outcome?: WriteResult<unknown>['outcome'] | undefined }[],
): WriteResult<unknown>['outcome'] =>
  writes.some(({ outcome }) => outcome === 'confirmed_afterwards') ? 'confirmed_afterwards' : 'written';

/** The error of a write that follows others. `message` says what stands. */
export const partlyWritten = (error: BudgetError, message: string): BudgetError =>
  new BudgetError(error.code === 'outcome_unknown' ? 'outcome_unknown' : 'partly_written', message, {
    cause: error,
  });

/** The error of an earlier equal call that was carried out in part. Throws any other one, and that of this call itself. */
export function earlierError(error: unknown, hasBegun: boolean): BudgetError {
  if (hasBegun || !(error instanceof BudgetError) || error.code !== 'partly_written') throw error;
  return error;
}

interface Described {
  /** Matches the schema of the write, with amounts in milliunits. */
  readonly data: JsonObject;
  readonly view?: () => WriteContent;
  readonly budgeted?: readonly BudgetedAmount[];
  lines(context: TextContext): readonly TextPart[];
}

/** What a write has done. The lines follow its headline. */
export const outcomeTogether = (
  result: CallResult<JsonObject>,
  { data, lines, ...rest }: Described,
): WriteAnswer => ({
  ...rest,
  freshness: result.freshness,
  format: (context) => ({
    data: { ...data, ...outcomeFields(result) },
    lines: [headlineOf(result), ...lines(context)],
  }),
});

export interface Preview extends Described {
  readonly freshness: Freshness;
  /** What a user decides by, if that is not all of `data`. */
  readonly facts?: JsonObject;
}

/** What a write would do. The same lines are the result of a dry run and the question to the user. */
export const previewTogether = (
  { budget }: BudgetCall,
  entry: { readonly title: string },
  { data, facts = data, lines, ...rest }: Preview,
): WritePreview => ({
  ...rest,
  problems: [],
  facts,
  question: (shown) =>
    questionText(
      entry,
      budget,
      shown,
      lines(new TextContext(moneyFormatter(budget?.currency_format ?? null))),
    ),
  format: (context) => ({
    data: { ...data, outcome: 'dry_run' },
    lines: ['Dry run: this call wrote nothing.', ...lines(context)],
  }),
});
