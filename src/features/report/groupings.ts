/** The groupings of a report: an entry for each in one table, with its id, the keys of its rows and their names. Pure. */
import { z } from 'zod';
import type { ReferenceKind } from '../../base/schema/meaning.ts';
import { WEEKDAY_NAMES } from '../../base/weekdays.ts';
import type { Category, Transaction } from '../../model/replica/entities.ts';
import type { Line } from '../../model/sums/lines.ts';

type ReferencedKind = 'category' | 'category_group' | 'payee' | 'account';

/** What the replica knows. Not its class, because the views import the ids of groupings, and read no replica. */
interface Names {
  nameOf(kind: ReferencedKind, id: string): string;
}

export interface Grouping {
  readonly id: string;
  /** The key of the row of a category. */
  readonly ofCategory?: (category: Category) => string;
  /** Returns a function that gives the key of the row of a line. Null if the line has none. Called once for each report. */
  readonly ofLine?: () => (line: Line, transaction: Transaction) => string | null;
  /** By default the key. */
  readonly nameOf?: (names: Names, key: string) => string;
  /** The name of the row of lines without a key. */
  readonly nameOfNone: string;
  /** The kind of things whose ids the keys are. */
  readonly kind?: ReferenceKind;
  /** The keys of the rows that are always there, in this order. Other rows are sorted by amount. */
  readonly keys?: readonly string[];
}

export const payeeOf = (line: Line, transaction: Transaction) => line.payee_id ?? transaction.payee_id;

/** Transactions are in the order of their days, so that each day is looked at once. */
function weekdayOfLine() {
  let day = { date: '', weekday: '' };
  return (_: Line, { date }: Transaction) => {
    if (day.date !== date) day = { date, weekday: String(new Date(date).getUTCDay() || 7) };
    return day.weekday;
  };
}

const named = (kind: ReferencedKind) => ({
  kind,
  nameOf: (names: Names, id: string) => names.nameOf(kind, id),
});

const none = { id: 'none', nameOfNone: '' } as const;

/** In the order of the list of tools. */
const table = [
  { id: 'category', ofCategory: ({ id }) => id, nameOfNone: 'Uncategorized', ...named('category') },
  {
    id: 'group',
    ofCategory: ({ category_group_id }) => category_group_id,
    nameOfNone: 'Uncategorized',
    ...named('category_group'),
  },
  { id: 'payee', ofLine: () => payeeOf, nameOfNone: 'No payee', ...named('payee') },
  {
    id: 'account',
    ofLine:
      () =>
      (_, { account_id }) =>
        account_id,
    nameOfNone: '',
    ...named('account'),
  },
  {
    id: 'weekday',
    ofLine: weekdayOfLine,
    nameOf: (_, key) => WEEKDAY_NAMES[Number(key) - 1] ?? '',
    nameOfNone: '',
    keys: WEEKDAY_NAMES.map((_, index) => String(index + 1)),
  },
  {
    id: 'flag_color',
    ofLine:
      () =>
      (_, { flag_color }) =>
        flag_color,
    nameOfNone: 'No flag',
  },
  none,
] as const satisfies readonly Grouping[];

export const groupings = z.enum(table.map(({ id }) => id));
export type GroupingId = z.output<typeof groupings>;

export const groupingOf = (by: GroupingId): Grouping => table.find(({ id }) => id === by) ?? none;
