/** What the view of `forecast` draws. */

import { shownName } from '../../answers/view-texts.ts';
import type { BalanceForecast } from '../../model/sums/balance-forecast.ts';
import type { Forecast } from './forecast-answer.ts';
import type { ForecastContent } from './forecast-content.ts';

/** `forecast` is that of all accounts together. */
export function forecastContent(
  { today, until, total, accounts = [], categories = [] }: Forecast,
  forecast?: BalanceForecast,
): ForecastContent {
  const shown = ({ name, balance, certain, likely }: NonNullable<Forecast['total']>) => ({
    name: name === null ? null : shownName(name),
    balance,
    certain,
    likely: likely && { balance: likely.middle, low: likely.low, high: likely.high, lowest: likely.lowest },
  });
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
    categories: categories.map(({ name, left, months }) => ({ name: shownName(name), left, months })),
  };
}
