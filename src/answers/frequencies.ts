/** How often a scheduled transaction repeats, in people's words. A word with two meanings is asked back. Pure. */
import { z } from 'zod';
import { frequency } from '../base/schema/fields.ts';

type Frequency = z.output<typeof frequency>;

/** Words without spaces and hyphens, and with digits for numbers. */
const others: Readonly<Partial<Record<Frequency, readonly string[]>>> = {
  never: ['once', 'onetime'],
  daily: ['everyday'],
  weekly: ['everyweek', 'onceaweek'],
  everyOtherWeek: ['fortnightly', 'everyfortnight', 'every2weeks', 'everysecondweek'],
  twiceAMonth: ['semimonthly', 'twicemonthly'],
  every4Weeks: ['4weekly'],
  monthly: ['everymonth', 'onceamonth'],
  everyOtherMonth: ['every2months', 'everysecondmonth'],
  every3Months: ['quarterly', 'everyquarter'],
  twiceAYear: ['semiannually', 'semiannual', 'halfyearly', 'every6months', 'twiceyearly'],
  yearly: ['annually', 'annual', 'everyyear', 'onceayear', 'every12months'],
  everyOtherYear: ['biennially', 'biennial', 'every2years', 'everysecondyear'],
};

const frequencies: ReadonlyMap<string, Frequency> = new Map(
  frequency.options.flatMap((name) =>
    [name.toLowerCase(), ...(others[name] ?? [])].map((each) => [each, name] as const),
  ),
);

const ambiguous: ReadonlyMap<string, string> = new Map([
  ['biweekly', 'every other week (everyOtherWeek) or twice a week (two weekly ones)'],
  ['bimonthly', 'every other month (everyOtherMonth) or twice a month (twiceAMonth)'],
  ['biannually', 'twice a year (twiceAYear) or every other year (everyOtherYear)'],
  ['biannual', 'twice a year (twiceAYear) or every other year (everyOtherYear)'],
]);

const digits: Readonly<Record<string, string>> = { two: '2', three: '3', four: '4', six: '6', twelve: '12' };

/** The form of the argument in which a host gives it. The list of tools has the service's own words only. */
export const frequencyInWords = z
  .string()
  .meta({ enum: frequency.options })
  .transform((text, context): Frequency => {
    const plain = text
      .toLowerCase()
      .replace(/\b(two|three|four|six|twelve)\b/g, (number) => digits[number] ?? number)
      .replace(/[\s_-]/g, '');
    const found = frequencies.get(plain);
    if (found !== undefined) return found;
    const meanings = ambiguous.get(plain);
    const message =
      meanings === undefined
        ? `must be one of ${frequency.options.join(', ')}`
        : `has two meanings, ${meanings}: ask the user which`;
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  });
