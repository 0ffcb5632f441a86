/**
 * Formats the result of a tool: a text in few tokens, and the same as structured content in currency units.
 * Adds the fields that every result has: the budget, the freshness and a notice.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { Freshness } from '../session/call-result.ts';
import {
  type FormattedText,
  joinParts,
  joinWords,
  present,
  quote,
  sizeOf,
  TextContext,
  type TextOptions,
  word,
} from './text.ts';
import { plainAmounts, valuesToUnits } from './units.ts';

export interface ToolResult {
  readonly text: string;
  /** The same as structured content, for programs. It is made on request, because most hosts get the text only. */
  data(): JsonObject;
  /** The data of the view, for hosts that show views. Missing if the tool has none. */
  readonly view?: () => Promise<JsonObject>;
}

/** The fields that every result has in addition to its data. Without `room`, as for a resource, its length is not limited. */
export interface Envelope extends Pick<TextOptions, 'lookup' | 'room'> {
  /** The budget of the call. */
  readonly budget?: BudgetSummary | undefined;
  readonly freshness?: Freshness | undefined;
  /** The ignored arguments, in words. */
  readonly notes?: readonly string[];
  /** What stands behind the freshness: that the data is invented, or which other budgets there are. */
  readonly notice?: string | undefined;
}

export const freshnessFields = z.object({
  as_of: z.string(),
  source: z.string(),
  requests_left: z.number(),
  stale_reason: z.string().optional(),
  sign_in_ends: z.string().optional(),
  clock: z.string().optional(),
});

export interface FormattedAnswer extends FormattedText {
  /** Matches the tool's output schema, with amounts in milliunits. */
  readonly data: JsonObject;
}

/** `output` is the schema of the data that `format` returns. */
export function formatToolResult(
  output: z.ZodObject,
  { budget, freshness, lookup, notes = [], notice, room }: Envelope,
  format: (context: TextContext) => FormattedAnswer,
): ToolResult {
  const context = new TextContext(plainAmounts(budget?.currency_format ?? null), { lookup, room });
  const { data, heading = [], lines } = format(context);
  const subject = budget && `Budget ${quote(budget.name)} (${word(currencyOf(budget) ?? 'no currency')})`;
  const body = present(lines);
  return {
    data() {
      const complete = {
        ...structuredData(output, data, budget),
        ...(freshness && { freshness }),
        ...(notes.length > 0 && { notes }),
        ...(notice !== undefined && { notice }),
      };
      return room ? cutData(complete) : complete;
    },
    text: present([
      joinParts(subject, ...heading),
      ...(room ? cutLines(body) : body),
      ...notes,
      joinWords(freshness && formatFreshness(freshness), notice),
    ]).join('\n'),
  };
}

/** The data in currency units, with id, name and currency of the budget. */
function structuredData(
  output: z.ZodObject,
  data: JsonObject,
  budget: BudgetSummary | undefined,
): JsonObject {
  const units = valuesToUnits(output, data);
  if (!budget) return units;
  const { id, name } = budget;
  // An export has its own name, which is newer than the one in the list of budgets.
  const { budget: exported } = units;
  const head = { id, name, currency: currencyOf(budget), ...(isJsonObject(exported) && exported) };
  return { ...units, budget: head };
}

function formatFreshness(freshness: Freshness): string {
  const { as_of, source, requests_left, stale_reason, sign_in_ends, clock } = freshness;
  const stale = stale_reason === undefined ? '' : ` It is older than it should be: ${stale_reason}`;
  const ending =
    sign_in_ends === undefined ? '' : ` The sign-in ends at ${sign_in_ends}; the user can renew it.`;
  const line = `As of ${as_of}, from the ${source}; ${requests_left} requests left.${stale}${ending}`;
  return joinWords(line, clock);
}

const currencyOf = ({ currency_format }: { currency_format: { iso_code: string } | null }) =>
  currency_format?.iso_code ?? null;

/** About 10,000 tokens of text. */
export const MAX_BYTES = 24_000;
/** About 10,000 tokens of structured content, in which names repeat. */
export const MAX_JSON_BYTES = 31_000;

/** The first lines, if all of them have more bytes than an answer may have. The last line then says so. */
export function cutLines(lines: readonly string[], max = MAX_BYTES): readonly string[] {
  const single = lines.flatMap((line) => line.split('\n'));
  let left = max;
  for (const [index, line] of single.entries()) {
    left -= sizeOf(line);
    if (left < 0)
      return [...single.slice(0, index), `Too long: ${single.length - index} lines were left out here.`];
  }
  return lines;
}

const MAX_CHARACTERS = 2_000;

/**
 * Structured content that fits an answer. If it is too long, all its lists are cut to the same number of entries, down in steps
 * until it fits. `cut` then has the true length of each list, and of each long text, by its path.
 */
export function cutData(data: JsonObject): JsonObject {
  if (fitsJson(data)) return data;
  for (let max = longestList(data); ; max = Math.floor(max * 0.9)) {
    const cut: Record<string, number> = {};
    const shown = { ...cutLists(data, max, cut), cut };
    if (max <= 1 || fitsJson(shown)) return shown;
  }
}

const fitsJson = (data: JsonObject) => sizeOf(JSON.stringify(data)) <= MAX_JSON_BYTES;

function longestList(value: unknown): number {
  const inner = isJsonObject(value) ? Object.values(value) : Array.isArray(value) ? value : [];
  return Math.max(Array.isArray(value) ? value.length : 0, ...inner.map(longestList));
}

/** Notes in `cut` the true lengths of what it cuts. */
function cutLists(data: JsonObject, max: number, cut: Record<string, number>): JsonObject {
  const cutValue = (value: unknown, path: string): unknown => {
    if (typeof value === 'string' && value.length > MAX_CHARACTERS) {
      cut[path] = value.length;
      return `${value.slice(0, MAX_CHARACTERS)}…`;
    }
    if (Array.isArray(value)) {
      if (value.length > max) cut[path] = value.length;
      return value.slice(0, max).map((each, index) => cutValue(each, `${path}.${index}`));
    }
    return isJsonObject(value) ? cutFields(value, `${path}.`) : value;
  };
  const cutFields = (object: JsonObject, prefix: string): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, cutValue(value, prefix + name)]));
  return cutFields(data, '');
}
