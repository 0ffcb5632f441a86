/**
 * Finds the recurring charges among all charges of one payee:
 *
 * 1. Charges of the same amount with a rhythm are a series. Among other charges of the payee, equal amounts occur by
 *    chance. The more others there are, the longer the series has to be.
 * 2. Charges of another amount belong to a series if the days of both together have its rhythm and the amount is at most
 *    half as much again: the price has changed.
 * 3. The charges that are left are a series if they have a rhythm of four weeks or more, and nearly all amounts are
 *    between half and double of the middle one: a bill.
 *
 * Two subscriptions of different prices thus are two series, even at one payee.
 */
import { groupBy } from '../../base/group-by.ts';
import { type Rhythm, rhythmOf } from './rhythm.ts';
import { sumOf } from './sum.ts';

export interface Charge {
  readonly date: string;
  /** The date in days since the epoch. */
  readonly day: number;
  /** What was paid, in milliunits. Positive. */
  readonly amount: number;
}

export interface Series {
  readonly rhythm: Rhythm;
  /** By date, one for each day. Equal charges of a day, such as two equal subscriptions, are one of twice the amount. */
  readonly charges: readonly Charge[];
}

/** One payee has no more subscriptions. Each is compared with all other amounts of the payee. */
const MAX_SERIES = 50;
/** The largest ratio of a price after and before a change. */
const MAX_PRICE_RATIO = 1.5;
/** The same for two yearly charges, which are the only evidence of a rhythm. */
const MAX_YEARLY_RATIO = 1.25;
const MAX_YEARLY_DAYS_APART = 7;

const daysOf = (charges: readonly Charge[]) => charges.map(({ day }) => day);
const byDay = (a: Charge, b: Charge) => a.day - b.day;

/** `charges` are those of one payee, in order of their dates. */
export function findSeries(charges: readonly Charge[]): Series[] {
  const groups = groupsByAmount(charges);
  const candidates = groups.flatMap((group) => {
    const rhythm = rhythmOf(daysOf(group));
    return rhythm ? [{ rhythm, charges: group }] : [];
  });
  const others = countCharges(groups) - countCharges(candidates.map((each) => each.charges));
  const sure = candidates.filter(
    (each) => each.charges.length >= each.rhythm.enough + Math.ceil(Math.log2(1 + others)),
  );
  const unused = new Set(groups);
  const series: Series[] = [];
  for (const { rhythm, charges: group } of sure.toSorted((a, b) => b.charges.length - a.charges.length)) {
    if (series.length === MAX_SERIES) break;
    if (!unused.delete(group)) continue;
    series.push({ rhythm, charges: withOtherPrices(group, rhythm, unused, others) });
  }
  const bill = mayBeBill(countCharges([...unused]), charges)
    ? findBill([...unused].flat().sort(byDay))
    : undefined;
  return bill ? [...series, bill] : series;
}

/** `usual` is the mean of the last year if the amounts differ, and else the last one. */
export function priceOf({ rhythm, charges }: Series) {
  const amounts = charges.map(({ amount }) => amount);
  const differs = new Set(amounts).size > Math.max(2, amounts.length / 3);
  const lastYear = amounts.slice(-rhythm.per_year);
  const mean = sumOf(lastYear, (amount) => amount) / lastYear.length;
  return { differs, usual: differs ? mean : (amounts.at(-1) ?? 0) };
}

/** A bill comes at most once in three weeks, with some other charges between. Some payees have thousands of charges. */
const mayBeBill = (count: number, charges: readonly Charge[]) =>
  count <= 2 + ((charges.at(-1)?.day ?? 0) - (charges[0]?.day ?? 0)) / 16;

const countCharges = (groups: readonly (readonly Charge[])[]) =>
  groups.reduce((sum, group) => sum + group.length, 0);

/** Charges of the same amount, with one charge for each day. The largest group comes first. */
const groupsByAmount = (charges: readonly Charge[]) =>
  [...groupBy(charges, ({ amount }) => amount).values()]
    .map(oneForEachDay)
    .sort((a, b) => b.length - a.length);

/** If there are at least two on every day, they are as many subscriptions. One that was charged twice by mistake is one. */
function oneForEachDay(charges: readonly Charge[]): readonly Charge[] {
  if (charges.every(({ day }, at) => at === 0 || day !== charges[at - 1]?.day)) return charges;
  const counts = new Map<number, number>();
  for (const { day } of charges) counts.set(day, (counts.get(day) ?? 0) + 1);
  const times = Math.min(...counts.values());
  const first = new Map(charges.map((charge) => [charge.day, charge]));
  return [...first.values()].map((charge) => ({ ...charge, amount: charge.amount * times }));
}

/** Adds groups of other prices as long as one fits, and removes them from `unused`. */
function withOtherPrices(
  group: readonly Charge[],
  rhythm: Rhythm,
  unused: Set<readonly Charge[]>,
  others: number,
): readonly Charge[] {
  let charges = group;
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const other of unused) {
      // A single charge among many others fits by chance.
      if (other.length === 1 && others > group.length) continue;
      if (!isOtherPrice(charges, other)) continue;
      const together = [...charges, ...other].sort(byDay);
      if (rhythmOf(daysOf(together)) !== rhythm) continue;
      charges = together;
      unused.delete(other);
      isGrowing = true;
    }
  }
  return charges;
}

const isOtherPrice = (charges: readonly Charge[], other: readonly Charge[]) =>
  charges.some(({ amount }) => ratioOf(amount, other[0]?.amount ?? 0) <= MAX_PRICE_RATIO);

const ratioOf = (a: number, b: number) => Math.max(a, b) / Math.min(a, b);

function findBill(charges: readonly Charge[]): Series | undefined {
  const middle = charges.map(({ amount }) => amount).sort((a, b) => a - b)[charges.length >> 1] ?? 0;
  const similar = charges.filter(({ amount }) => ratioOf(amount, middle) <= 2);
  if (similar.length < charges.length * 0.8) return undefined;
  const rhythm = rhythmOf(daysOf(similar));
  if (!rhythm || similar.length < rhythm.enoughIfAmountsDiffer) return undefined;
  const [first, second] = similar;
  if (first && second && similar.length === 2) {
    const daysApart = Math.abs(second.day - first.day - rhythm.days);
    if (daysApart > MAX_YEARLY_DAYS_APART || ratioOf(first.amount, second.amount) > MAX_YEARLY_RATIO)
      return undefined;
  }
  return { rhythm, charges: similar };
}
