/** A write as a person decides about it, or as it was carried out. It is described once, and printed as text, question, dry run and view. */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { BudgetedAmount } from '../model/sums/ready-to-assign.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallResult, Freshness } from '../session/call-result.ts';
import { questionText } from './dry-run.ts';
import { listProblems, TextContext, type TextPart } from './text.ts';
import type { WriteAnswer, WritePreview } from './tool.ts';
import { moneyFormatter } from './units.ts';
import type { WriteContent } from './view-data/write-content.ts';
import { headlineOf, outcomeFields, writeFields } from './write-result.ts';

/** The fields of how a write ended (`outcomeFields`). */
export const outcomeShape = {
  outcome: writeFields.outcome,
  earlier_call: writeFields.earlier_call,
  overtaken: writeFields.overtaken,
  ready_to_assign: writeFields.ready_to_assign,
};

/** The schema of a result: the data of the write with the fields of its outcome. */
export const writtenTogether = <Shape extends z.ZodRawShape>(data: z.ZodObject<Shape>) =>
  z.object({ ...data.shape, ...outcomeShape });

export interface WriteReport {
  /** Matches the schema of the tool, with amounts in milliunits. It replaces the fields of how the write ended. */
  readonly data: JsonObject;
  /** The changes, before and after it, the balances, and what is to be noticed. */
  lines(context: TextContext): readonly TextPart[];
  heading?(context: TextContext): readonly TextPart[];
  /** The first line of an outcome. By default that it is written. Empty if nothing had to be. */
  readonly headline?: string;
  /** The subject of the question, if that is not the title of the tool. */
  readonly asked?: string;
  readonly view?: () => WriteContent;
  /** The amounts that it budgets: what is left to assign follows from them. */
  readonly budgeted?: readonly BudgetedAmount[];
}

/** The answer about a write that was carried out. */
export const writtenAnswer = (result: CallResult<JsonObject>, report: WriteReport): WriteAnswer => {
  const { data, lines, heading, headline = headlineOf(result), view, budgeted } = report;
  return {
    freshness: result.freshness,
    ...(view && { view }),
    ...(budgeted && { budgeted }),
    format: (context) => ({
      data: { ...outcomeFields(result), ...data },
      ...(heading && { heading: heading(context) }),
      lines: [headline, ...lines(context)],
    }),
  };
};

interface Preview {
  readonly freshness: Freshness;
  /** The facts that a person decides by. */
  readonly facts: JsonObject;
  /** Why it would be refused. */
  readonly problems: readonly string[];
}

/** The answer about a write that was not sent. */
export const previewOf = (
  { budget }: BudgetCall,
  { title }: { readonly title: string },
  { freshness, facts, problems }: Preview,
  { data, lines, heading, view, budgeted, asked = title }: WriteReport,
): WritePreview => ({
  freshness,
  problems,
  facts,
  ...(view && { view }),
  ...(budgeted && { budgeted }),
  question(shown) {
    // Ids mean nothing to a person.
    const context = new TextContext(moneyFormatter(budget?.currency_format ?? null), { names: new Map() });
    return questionText({ title: asked }, budget, shown, lines(context));
  },
  format: (context) => ({
    data: { ...data, outcome: 'dry_run', ...(problems.length > 0 && { problems }) },
    ...(heading && { heading: heading(context) }),
    lines: [
      'Dry run: this call wrote nothing.',
      problems.length > 0 && `It would be refused: ${listProblems(problems)}.`,
      ...lines(context),
    ],
  }),
});
