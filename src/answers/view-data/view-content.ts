/** What the data of all views have in common. */
import { z } from 'zod';

/** One for each page in `views/`. */
export type ViewKind = 'report' | 'month' | 'transactions' | 'write' | 'forecast' | 'statements';

/** What a view draws. Each feature has a schema of its own. */
export interface ViewContent {
  readonly kind: ViewKind;
}

/** How the budget writes amounts (docs/interface.md, Budget). */
export const moneyFormat = z.object({
  decimal_digits: z.int(),
  decimal_separator: z.string(),
  symbol_first: z.boolean(),
  group_separator: z.string(),
  currency_symbol: z.string(),
  display_symbol: z.boolean(),
});

export type MoneyFormat = z.output<typeof moneyFormat>;
