/** How an answer names what its sums leave out, because the service says something of it that is not known here. */
import type { Account, Category, ScheduledTransaction, Transaction } from '../model/replica/entities.ts';
import { isRhythmKnown } from '../model/sums/occurrences.ts';
import { firstOf, joinParts, quote, type TextContext, type TextPart, word } from './text.ts';
import type { LeftOut } from './view-data/left-out.ts';
import { shownName } from './view-texts.ts';

/** Those that come by the last day, and of which only the next date is known. */
export const unknownRhythms = (scheduled: readonly ScheduledTransaction[], until: string): LeftOut[] =>
  scheduled
    .filter((row) => row.date_next <= until && !isRhythmKnown(row))
    .map(({ id, payee_name, frequency, date_next }) => ({
      kind: 'scheduled_transaction',
      id,
      name: payee_name ?? 'no payee',
      field: 'repeats',
      value: frequency,
      date: date_next,
    }));

export const ofUnknownType = ({ id, name, type }: Account): LeftOut => ({
  kind: 'account',
  id,
  name,
  field: 'type',
  value: type,
});

export const ofUnknownGoal = ({ id, name, goal_type }: Category): LeftOut => ({
  kind: 'category',
  id,
  name,
  field: 'type of goal',
  value: goal_type ?? '',
});

export const ofUnknownState = ({ id, payee_name, date, cleared }: Transaction): LeftOut => ({
  kind: 'transaction',
  id,
  name: payee_name ?? 'no payee',
  field: 'cleared',
  value: cleared,
  date,
});

/** For a view. */
export const namesOf = (rows: readonly LeftOut[]): string[] =>
  rows.slice(0, MAX_NAMES).map(({ name }) => shownName(name));

const MAX_NAMES = 10;

export const leftOutLine = (rows: readonly LeftOut[], context: TextContext): TextPart =>
  rows.length > 0 &&
  `Left out of the sums, because this is not known here: ${firstOf(
    rows.map(({ kind, id, name, field, value, date }) => {
      const isNamed = kind === 'account' || kind === 'category';
      const named = isNamed ? context.withId(kind, id, name) : quote(name);
      const what = joinParts(
        `${field} ${quote(value)}`,
        date !== undefined && `${kind === 'transaction' ? 'of' : 'next'} ${word(date)}`,
        !isNamed && context.id(kind, id),
      );
      return `${isNamed ? `${kind} ` : ''}${named} (${what})`;
    }),
    MAX_NAMES,
  ).join(', ')}.`;
