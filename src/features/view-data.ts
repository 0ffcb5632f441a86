/**
 * The data that a view draws, as a tool result has it in its `_meta`, where a model does not read it. The server parses it
 * with these schemas. The views import the types only. Amounts are in milliunits, names have no invisible characters.
 */
import { z } from 'zod';
import { transactionsContent } from '../answers/view-data/transactions-content.ts';
import { VIEW_DATA_VERSION } from '../answers/view-data/version.ts';
import { moneyFormat } from '../answers/view-data/view-content.ts';
import { writeContent } from '../answers/view-data/write-content.ts';
import { forecastContent } from './forecast/forecast-schema.ts';
import { monthContent } from './month/month-schema.ts';
import { statementsContent } from './reconcile/statements/statements-schema.ts';
import { reportContent } from './report/report-schema.ts';

export const viewContent = z.discriminatedUnion('kind', [
  reportContent,
  monthContent,
  forecastContent,
  transactionsContent,
  writeContent,
  statementsContent,
]);

export type ViewContent = z.output<typeof viewContent>;
export type ContentOf<Kind extends ViewContent['kind']> = Extract<ViewContent, { kind: Kind }>;

export const viewData = z.object({
  version: z.literal(VIEW_DATA_VERSION),
  /** Missing in what is about no budget. */
  budget: z.object({ id: z.string(), name: z.string(), money: moneyFormat.nullable() }).optional(),
  /** When the budget was read, and why it is older than it should be. */
  as_of: z.string().optional(),
  stale_reason: z.string().optional(),
  /** Such as that the data is invented. */
  notice: z.string().optional(),
  content: viewContent,
});

export type ViewData = z.output<typeof viewData>;
