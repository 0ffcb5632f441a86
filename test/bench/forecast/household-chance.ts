/** Chance and the calendar for invented households. The same seed gives the same chance. A day is a number since 1970. */
import type { ForecastHousehold } from './household.ts';

export type Day = number;
export type Frequency = ForecastHousehold['schedules'][number]['frequency'];

const millisecondsOfDay = 86_400_000;

export const dayOf = (date: string): Day => Date.parse(date) / millisecondsOfDay;
export const dateOf = (day: Day): string => new Date(day * millisecondsOfDay).toISOString().slice(0, 10);

export const begins = dayOf('2021-01-01');
export const ends = dayOf('2025-12-31');

export interface Parts {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly date: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

export function partsOf(day: Day): Parts {
  const date = new Date(day * millisecondsOfDay);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    date: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

/** A month over 12 is one of a later year; a day after the last of a month is its last. */
export function dayIn(year: number, month: number, date: number): Day {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Date.UTC(year, month - 1, Math.min(date, last)) / millisecondsOfDay;
}

const isWorkday = (day: Day): boolean => {
  const { month, date, weekday } = partsOf(day);
  return weekday % 6 !== 0 && !(month === 1 && date === 1) && !(month === 12 && (date === 25 || date === 26));
};

/** The day itself, or the nearest working day before (`-1`) or after it (`1`). */
export const workday = (day: Day, direction: -1 | 1): Day =>
  isWorkday(day) ? day : workday(day + direction, direction);

const monthsBetween: Partial<Record<Frequency, number>> = { monthly: 1, every3Months: 3, yearly: 12 };

/** Day number `index`, from 0, of what begins on `first`. `twiceAMonth` is `first` and 15 days later. */
export function occurrence(frequency: Frequency, first: Day, index: number): Day {
  if (frequency === 'weekly') return first + 7 * index;
  if (frequency === 'everyOtherWeek') return first + 14 * index;
  if (frequency === 'never') return index === 0 ? first : Infinity;
  const { year, month, date } = partsOf(first);
  if (frequency === 'twiceAMonth') return dayIn(year, month + Math.floor(index / 2), date + (index % 2) * 15);
  return dayIn(year, month + index * (monthsBetween[frequency] ?? 1), date);
}

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
    for (let round = 0; round < 8; round += 1) this.number();
  }

  /** From 0 to less than 1: the generator "mulberry32". */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between = (low: number, high: number): number => low + (high - low) * this.number();
  whole = (low: number, high: number): number => Math.floor(this.between(low, high + 1));
  of = (probability: number): boolean => this.number() < probability;

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Around a median: two thirds are between `median / e^spread` and `median * e^spread`. */
  around(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.number())) * Math.cos(2 * Math.PI * this.number());
    return median * Math.exp(spread * normal);
  }

  /** Mostly little more than `least`, seldom very much more. */
  heavy(least: number, most: number): number {
    return Math.min(most, least * (1 - this.number()) ** (-1 / 1.3));
  }
}
