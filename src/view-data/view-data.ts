/**
 * The data that a view draws, as a tool result has it in its `_meta`, where a model does not read it. The server parses it
 * with these schemas. The views import the types only. Amounts are in milliunits, names have no invisible characters.
 */
import { z } from 'zod';
import { monthContent } from './month-content.ts';
import { reportContent } from './report-content.ts';
import { transactionsContent } from './transactions-content.ts';
import { VIEW_DATA_VERSION } from './version.ts';
import { writeContent } from './write-content.ts';

/** How the budget writes amounts (docs/interface.md, Budget). */
const moneyFormat = z.object({
  decimal_digits: z.int(),
  decimal_separator: z.string(),
  symbol_first: z.boolean(),
  group_separator: z.string(),
  currency_symbol: z.string(),
  display_symbol: z.boolean(),
});

export type MoneyFormat = z.output<typeof moneyFormat>;

export const viewContent = z.discriminatedUnion('kind', [
  reportContent,
  monthContent,
  transactionsContent,
  writeContent,
]);

export type ViewContent = z.output<typeof viewContent>;
export type ViewKind = ViewContent['kind'];
export type ContentOf<Kind extends ViewKind> = Extract<ViewContent, { kind: Kind }>;

export const viewData = z.object({
  version: z.literal(VIEW_DATA_VERSION),
  budget: z.object({ id: z.string(), name: z.string(), money: moneyFormat.nullable() }),
  /** When the budget was read, and why it is older than it should be. */
  as_of: z.string(),
  stale_reason: z.string().optional(),
  /** Such as that the data is invented. */
  notice: z.string().optional(),
  content: viewContent,
});

export type ViewData = z.output<typeof viewData>;
