/**
 * An answer as a model gets it: structured content that mirrors the response's `data` in currency units, and text that
 * says the same in few tokens. It knows shapes and words; it asks nothing and decides nothing about budgets.
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
  /** Valid by the surface's `output`. */
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

export interface FormatOptions {
  /** What the operation was asked with, in milliunits. */
  readonly input: Row;
  readonly view: DisplayOptions;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** For a dry run, in place of what a write has done. */
  readonly preview?: Simulation;
}

/** Throws `invalid_cursor`. */
export function formatToolResult(
  { operation }: ToolDefinition,
  answer: CallResult<Row>,
  options: FormatOptions,
): ToolResult {
  const { input, view, notice, preview } = options;
  const { budget, freshness } = answer;
  const { data, page, sum, summary, sections } = selectRows(operation, answer, input, view);
  const units = valuesToUnits(operation.output, data);
  const prose = new TextContext(moneyFormatter(budget?.currency_format ?? null));
  const subject = budget && `Budget ${quote(budget.name)} (${word(currencyOf(budget) ?? 'no currency')})`;
  const { fields, lines } = preview
    ? formatDryRun(operation, input, preview, prose)
    : formatWriteResult(operation, input, answer, prose);
  const month = 'category' in data || 'category_groups' in data ? monthOf(input, freshness.as_of) : undefined;
  const body = sections.flatMap(([kind, value]) => describe(kind, value, prose));
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
      [subject, month?.slice(0, 7), summary, sum !== undefined && page?.total && `sum ${prose.money(sum)}`]
        .filter(Boolean)
        .join(' · '),
      ...lines.slice(0, 1),
      ...body,
      ...lines.slice(1),
      ...prose.legend,
      joinWords(formatFreshness(freshness), notice),
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

/** The month that the amounts of categories belong to: the one that was asked for, or this one (UTC). */
function monthOf({ month }: Row, as_of: string): string {
  return typeof month === 'string' && month !== 'current' ? month : `${as_of.slice(0, 7)}-01`;
}

/** What an answer is about. An export is itself a budget, and tells its name and currency better than a list can. */
function budgetHeadOf(budget: BudgetSummary, exported: unknown): Row {
  const { id, name } = budget;
  const head = { id, name, currency: currencyOf(budget) };
  const whole = exportHead.safeParse(exported);
  return whole.success ? { ...head, ...whole.data, currency: currencyOf(whole.data) } : head;
}

const exportHead = z.looseObject({ currency_format: z.object({ iso_code: z.string() }).loose().nullable() });

/** How old an answer is, in words. */
export function formatFreshness({
  as_of,
  source,
  requests_left,
  stale_reason,
  sign_in_ends,
}: Freshness): string {
  const late = stale_reason === undefined ? '' : ` It is older than it should be: ${stale_reason}`;
  const end =
    sign_in_ends === undefined ? '' : ` The sign-in ends at ${sign_in_ends}; the user can renew it.`;
  return `As of ${as_of}, from the ${source}; ${requests_left} requests left.${late}${end}`;
}

const currencyOf = ({ currency_format }: { currency_format: { iso_code: string } | null }) =>
  currency_format?.iso_code ?? null;

function describe(kind: string, value: unknown, prose: TextContext): string[] {
  const line = rowFormats[kind];
  if (!line) return [];
  return Array.isArray(value) ? value.map((each) => line(each, prose)) : [line(value, prose)];
}
