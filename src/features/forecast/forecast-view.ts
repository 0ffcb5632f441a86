/** What the view of `forecast` draws. */

import { shownName } from '../../answers/view-texts.ts';
import type { BalanceForecast } from '../../model/sums/balance-forecast.ts';
import type { Balances, Forecast, ForecastContent } from './forecast-schema.ts';

/** `forecast` is that of all accounts together. */
export function forecastContent(
  { today, until, total, accounts = [], categories = [] }: Forecast,
  forecast?: BalanceForecast,
): ForecastContent {
  const shown = (row: Balances) => ({ ...row, name: row.name === null ? null : shownName(row.name) });
  const { middle, range } = forecast?.likely ?? {};
  return {
    kind: 'forecast',
    today,
    until,
    ...(total && { total: shown(total) }),
    accounts: accounts.map(shown),
    ...(forecast && {
      days: {
        certain: [...forecast.certain],
        ...(middle && { middle: [...middle] }),
        ...(range && { low: [...range.low], high: [...range.high] }),
      },
    }),
    categories: categories.map((row) => ({ ...row, name: shownName(row.name) })),
  };
}
