/**
 * Formats the result of a call for a model: structured content with the response's `data` in currency units, and
 * short text with the same information.
 */
import { z } from 'zod';
import type { CallResult, Freshness } from '../client/call-result.ts';
import type { Simulation } from '../client/simulation.ts';
import type { DisplayOptions, ToolDefinition } from '../mcp/tool-definition.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import { formatDryRun } from './dry-run.ts';
import type { Row } from './paging.ts';
import { rowFormats } from './rows.ts';
import { selectRows } from './selection.ts';
import { joinWords, quote, TextContext, word } from './text.ts';
import { moneyFormatter, toCurrencyUnits, valuesToUnits } from './units.ts';
import { formatWriteResult } from './write-result.ts';

export interface ToolResult {
  /** Conforms to the tool's `output` schema. */
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

export interface FormatOptions {
  /** The input of the operation, in milliunits. */
  readonly input: Row;
  readonly view: DisplayOptions;
  /** Text for every result, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** Present for a dry run. */
  readonly preview?: Simulation;
}

/** Throws `invalid_cursor`. */
export function formatToolResult(
  { operation }: ToolDefinition,
  result: CallResult<Row>,
  options: FormatOptions,
): ToolResult {
  const { input, view, notice, preview } = options;
  const { budget, freshness } = result;
  const { data, page, sum, summary, sections } = selectRows(operation, result, input, view);
  const units = valuesToUnits(operation.output, data);
  const context = new TextContext(moneyFormatter(budget?.currency_format ?? null));
  const subject = budget && `Budget ${quote(budget.name)} (${word(currencyOf(budget) ?? 'no currency')})`;
  const { fields, lines } = preview
    ? formatDryRun(operation, input, preview, context)
    : formatWriteResult(operation, input, result, context);
  const month = 'category' in data || 'category_groups' in data ? monthOf(input, freshness.as_of) : undefined;
  const body = sections.flatMap(([kind, value]) => formatRows(kind, value, context));
  return {
    structured: {
      ...units,
      ...(budget && { budget: budgetHeadOf(budget, units[operation.collections ?? '']) }),
      ...(page && { page: { ...page, ...(sum !== undefined && { sum: toCurrencyUnits(sum) }) } }),
      ...(month !== undefined && { month }),
      ...fields,
      freshness,
      ...(notice !== undefined && { notice }),
    },
    text: [
      [subject, month?.slice(0, 7), summary, sum !== undefined && page?.total && `sum ${context.money(sum)}`]
        .filter(Boolean)
        .join(' · '),
      ...lines.slice(0, 1),
      ...body,
      ...lines.slice(1),
      ...context.legend,
      joinWords(formatFreshness(freshness), notice),
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

/** The month of the category amounts: the requested one, or the current one (UTC). */
function monthOf({ month }: Row, as_of: string): string {
  return typeof month === 'string' && month !== 'current' ? month : `${as_of.slice(0, 7)}-01`;
}

/** The budget of a result. An export contains the budget itself, with the current name and currency. */
function budgetHeadOf(budget: BudgetSummary, exported: unknown): Row {
  const { id, name } = budget;
  const head = { id, name, currency: currencyOf(budget) };
  const exportedHead = exportHead.safeParse(exported);
  return exportedHead.success
    ? { ...head, ...exportedHead.data, currency: currencyOf(exportedHead.data) }
    : head;
}

const exportHead = z.looseObject({ currency_format: z.object({ iso_code: z.string() }).loose().nullable() });

/** The age of the data, in words. */
export function formatFreshness({
  as_of,
  source,
  requests_left,
  stale_reason,
  sign_in_ends,
}: Freshness): string {
  const staleText = stale_reason === undefined ? '' : ` It is older than it should be: ${stale_reason}`;
  const signInText =
    sign_in_ends === undefined ? '' : ` The sign-in ends at ${sign_in_ends}; the user can renew it.`;
  return `As of ${as_of}, from the ${source}; ${requests_left} requests left.${staleText}${signInText}`;
}

const currencyOf = ({ currency_format }: { currency_format: { iso_code: string } | null }) =>
  currency_format?.iso_code ?? null;

function formatRows(kind: string, value: unknown, context: TextContext): string[] {
  const format = rowFormats[kind];
  if (!format) return [];
  return Array.isArray(value) ? value.map((row) => format(row, context)) : [format(value, context)];
}
