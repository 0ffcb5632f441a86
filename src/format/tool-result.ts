/**
 * An answer as a model gets it: structured content in currency units, and text that says the same in few tokens. What
 * every answer has stands here: the budget, how fresh it is, a notice. It asks nothing and decides nothing about budgets.
 */
import { z } from 'zod';
import type { Freshness } from '../client/freshness.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Row } from './paging.ts';
import { type FormattedText, joinParts, joinWords, quote, TextContext, word } from './text.ts';
import { moneyFormatter, valuesToUnits } from './units.ts';

export interface ToolResult {
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

/** What every answer has beside its data. */
export interface Envelope {
  /** The budget that it is about. */
  readonly budget?: BudgetSummary | undefined;
  readonly freshness?: Freshness | undefined;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
}

export const freshnessFields = z.object({
  as_of: z.string(),
  source: z.string(),
  requests_left: z.number(),
  stale_reason: z.string().optional(),
  sign_in_ends: z.string().optional(),
});

export interface FormattedAnswer extends FormattedText {
  /** By the tool's output schema, amounts in milliunits. */
  readonly data: Row;
}

/** `output` is the schema of the data that `format` gives. */
export function formatToolResult(
  output: z.ZodObject,
  { budget, freshness, notice }: Envelope,
  format: (context: TextContext) => FormattedAnswer,
): ToolResult {
  const context = new TextContext(moneyFormatter(budget?.currency_format ?? null));
  const { data, heading = [], lines } = format(context);
  const subject = budget && `Budget ${quote(budget.name)} (${word(currencyOf(budget) ?? 'no currency')})`;
  return {
    structured: {
      ...structuredData(output, data, budget),
      ...(freshness && { freshness }),
      ...(notice !== undefined && { notice }),
    },
    text: [
      joinParts(subject, ...heading),
      ...lines,
      ...context.legend,
      joinWords(freshness && formatFreshness(freshness), notice),
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

/** Data in currency units, with the budget that it is about. */
export function structuredData(
  output: z.ZodObject,
  data: Row,
  budget: BudgetSummary | undefined,
): Record<string, unknown> {
  const units = valuesToUnits(output, data);
  return { ...units, ...(budget && { budget: budgetHeadOf(budget, units['budget']) }) };
}

/** An export is itself a budget, and knows its name and currency better than a list can. */
function budgetHeadOf(budget: BudgetSummary, exported: unknown): Row {
  const { id, name } = budget;
  const head = { id, name, currency: currencyOf(budget) };
  const whole = exportHead.safeParse(exported);
  return whole.success ? { ...head, ...whole.data, currency: currencyOf(whole.data) } : head;
}

const exportHead = z.looseObject({ currency_format: z.object({ iso_code: z.string() }).loose().nullable() });

/** How old an answer is, in words. */
function formatFreshness({ as_of, source, requests_left, stale_reason, sign_in_ends }: Freshness): string {
  const late = stale_reason === undefined ? '' : ` It is older than it should be: ${stale_reason}`;
  const end =
    sign_in_ends === undefined ? '' : ` The sign-in ends at ${sign_in_ends}; the user can renew it.`;
  return `As of ${as_of}, from the ${source}; ${requests_left} requests left.${late}${end}`;
}

const currencyOf = ({ currency_format }: { currency_format: { iso_code: string } | null }) =>
  currency_format?.iso_code ?? null;
