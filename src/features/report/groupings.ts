/** What a report has rows by: a line for each in one table, with its id, the keys of its rows and their names. Pure. */
import { WEEKDAY_NAMES } from '../../base/calendar.ts';
import type { ReferenceKind } from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Category, Transaction } from '../../model/replica/entities.ts';
import type { Line } from '../../model/sums/lines.ts';
import type { GroupingId } from './report-schema.ts';

export interface Grouping {
  readonly id: GroupingId;
  /** The key of the row of a category. */
  readonly ofCategory?: (category: Category) => string;
  /** Returns a function that gives the key of the row of a line. Null if the line has none. Called once for each report. */
  readonly ofLine?: () => (line: Line, transaction: Transaction) => string | null;
  /** By default the key. */
  readonly nameOf?: (replica: BudgetReplica, key: string) => string;
  /** The name of the row of lines without a key. */
  readonly nameOfNone: string;
  /** What the keys are ids of. */
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

const named = (kind: 'category' | 'category_group' | 'payee' | 'account') => ({
  kind,
  nameOf: (replica: BudgetReplica, id: string) => replica.nameOf(kind, id),
});

export const table = [
  { id: 'category', ofCategory: ({ id }: Category) => id, nameOfNone: 'Uncategorized', ...named('category') },
  {
    id: 'group',
    ofCategory: ({ category_group_id }: Category) => category_group_id,
    nameOfNone: 'Uncategorized',
    ...named('category_group'),
  },
  { id: 'payee', ofLine: () => payeeOf, nameOfNone: 'No payee', ...named('payee') },
  {
    id: 'account',
    ofLine:
      () =>
      (_: Line, { account_id }: Transaction) =>
        account_id,
    nameOfNone: '',
    ...named('account'),
  },
  {
    id: 'weekday',
    ofLine: weekdayOfLine,
    nameOf: (_: BudgetReplica, key: string) => WEEKDAY_NAMES[Number(key) - 1] ?? '',
    nameOfNone: '',
    keys: WEEKDAY_NAMES.map((_, index) => String(index + 1)),
  },
  {
    id: 'flag_color',
    ofLine:
      () =>
      (_: Line, { flag_color }: Transaction) =>
        flag_color,
    nameOfNone: 'No flag',
  },
  { id: 'none', nameOfNone: '' },
] satisfies readonly Grouping[];

const groupingById = new Map<GroupingId, Grouping>(table.map((each) => [each.id, each]));

/** `none` for one that is not known. */
export const groupingOf = (by: GroupingId): Grouping =>
  groupingById.get(by) ?? { id: 'none', nameOfNone: '' };
