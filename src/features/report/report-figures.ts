/** The figures of a report: its totals, periods and rows, of which the largest are shown. */
import { createHash } from 'node:crypto';
import { ofUnknownType } from '../../answers/left-out.ts';
import type { TextContext } from '../../answers/text.ts';
import { BudgetError, invalidInput } from '../../base/errors.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { budgetedBy, isBudgeted } from './budgeted-categories.ts';
import { cashFlow, type FlowQuery } from './cash-flow.ts';
import { type Flow, NONE } from './counted-categories.ts';
import { groupingOf } from './groupings.ts';
import { netWorth, type Worth } from './net-worth.ts';
import type { Period, Range } from './periods.ts';
import { rowLine } from './report-answer.ts';
import type { Report, ReportRow, Totals } from './report-schema.ts';

export interface FiguresQuery extends Omit<FlowQuery, 'flow'> {
  readonly of: Report['of'];
}

/** The totals of the whole range and of each period, and all rows, largest first. */
export type Figures = Totals &
  Pick<
    Report,
    'change' | 'to_tracking_accounts' | 'refunds' | 'is_income_unknown' | 'left_out' | 'periods' | 'rows'
  >;

/** Throws `invalid_input` for amounts that cannot be added exactly. */
export function figuresOf(replica: BudgetReplica, periods: readonly Period[], query: FiguresQuery): Figures {
  if (query.of === 'net_worth') return worthFigures(replica, periods, query);
  if (query.of === 'both') return differenceFigures(replica, periods, query);
  return flowFigures(replica, periods, query.of, query);
}

function checkExact(isExact: boolean): void {
  if (isExact) return;
  throw invalidInput('The amounts are too large to be added exactly. Choose a shorter range.');
}

function worthFigures(
  replica: BudgetReplica,
  periods: readonly Period[],
  { by, account }: FiguresQuery,
): Figures {
  const worth = netWorth(replica, periods, account);
  checkExact(worth.isExact);
  const totals = ({ owned, owed }: Worth) => ({ total: owned - owed, owned, owed });
  const ends = worth.periods.map(totals);
  const last = ends.at(-1) ?? totals(worth.before);
  return {
    ...last,
    change: last.total - totals(worth.before).total,
    periods: ends.map((end, index) => ({ period: periods[index]?.name ?? '', ...end })),
    rows:
      by === 'account'
        ? worth.accounts.map(({ id, balances }) => ({
            id,
            name: replica.accounts.get(id).name,
            total: balances.at(-1) ?? 0,
            amounts: [...balances],
          }))
        : [],
  };
}

const add = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

function differenceFigures(replica: BudgetReplica, periods: readonly Period[], query: FiguresQuery): Figures {
  const income = flowFigures(replica, periods, 'income', query);
  const spending = flowFigures(replica, periods, 'spending', query);
  const difference = (earned: number, spent: number) => {
    checkExact(Number.isSafeInteger(earned - spent));
    return { total: earned - spent, income: earned, spending: spent };
  };
  return {
    ...difference(income.total, spending.total),
    ...balancePartsOf(income),
    ...(income.is_income_unknown && { is_income_unknown: true }),
    ...(income.left_out && { left_out: income.left_out }),
    to_tracking_accounts: spending.to_tracking_accounts,
    periods: income.periods.map(({ period, ...earned }, index) => ({
      period,
      ...difference(earned.total, spending.periods[index]?.total ?? 0),
      ...balancePartsOf(earned),
    })),
    rows: [],
  };
}

function flowFigures(
  replica: BudgetReplica,
  periods: readonly Period[],
  flow: Flow,
  query: FiguresQuery,
): Figures {
  const sums = cashFlow(replica, periods, { ...query, flow });
  checkExact(sums.isExact);
  const range = { since: periods[0]?.since ?? '', until: periods.at(-1)?.until ?? '' };
  const hasBudget = flow === 'spending' && query.category !== undefined && isBudgeted(replica, range, query);
  const budgetIn = (each: Range) =>
    hasBudget && budgetedBy(replica, each, { ...query, by: 'none' }).get(NONE);
  const rows = sums.rows.map(({ id, amount, amounts, transactions }) => ({
    id,
    name: rowName(replica, query.by, id),
    total: amount,
    transactions,
    amounts: [...amounts],
  }));
  return {
    ...budgetIn(range),
    total: add(sums.periods.map(({ amount }) => amount)),
    transactions: add(sums.periods.map(({ transactions }) => transactions)),
    ...(flow === 'spending' && { to_tracking_accounts: sums.tracking, refunds: sums.refunds }),
    ...balancePartsOf({
      starting_balances: add(sums.periods.map((each) => each.starting_balances ?? 0)),
      adjustments: add(sums.periods.map((each) => each.adjustments ?? 0)),
    }),
    ...(sums.isIncomeUnknown && { is_income_unknown: true }),
    ...(sums.unknownAccounts.size > 0 && {
      left_out: [...sums.unknownAccounts].map((id) => ofUnknownType(replica.accounts.get(id))),
    }),
    periods: periods.map((period, index) => ({
      period: period.name,
      total: sums.periods[index]?.amount ?? 0,
      transactions: sums.periods[index]?.transactions ?? 0,
      ...balancePartsOf(sums.periods[index]),
      ...budgetIn(period),
    })),
    rows: hasBudget ? withBudget(rows, replica, range, periods.length > 1, query) : rows,
  };
}

/** Those that are not zero. */
const balancePartsOf = ({ starting_balances = 0, adjustments = 0 }: BalanceParts = {}): BalanceParts => ({
  ...(starting_balances !== 0 && { starting_balances }),
  ...(adjustments !== 0 && { adjustments }),
});

type BalanceParts = Pick<Totals, 'starting_balances' | 'adjustments'>;

const NOTHING = { total: 0, transactions: 0, amounts: [0] };

/** Rows of categories or groups with what was budgeted and is left; without columns also those without spending. */
function withBudget(
  rows: ReportRow[],
  replica: BudgetReplica,
  range: Range,
  isTable: boolean,
  query: FiguresQuery,
): ReportRow[] {
  const { by, category = [] } = query;
  if (!groupingOf(by).ofCategory) return rows;
  const budget = budgetedBy(replica, range, query);
  const spent = rows.map((row) => {
    const found = budget.get(row.id ?? '');
    budget.delete(row.id ?? '');
    return { ...row, ...found };
  });
  const unspent = [...budget].filter(
    ([id, { budgeted, left }]) => budgeted !== 0 || left !== 0 || category.includes(id),
  );
  if (isTable) return spent;
  return [
    ...spent,
    ...unspent.map(([id, found]) => ({ ...NOTHING, id, name: rowName(replica, by, id), ...found })),
  ];
}

function rowName(replica: BudgetReplica, by: FlowQuery['by'], id: string | null): string {
  const { nameOf, nameOfNone } = groupingOf(by);
  return id === null ? nameOfNone : (nameOf?.(replica, id) ?? id);
}

/**
 * The figures of a range, each row with its amount in the range `before`. Rows of that range alone are the last ones. What only
 * has a budget is a row if it is `named`.
 */
export function comparedFigures(now: Figures, before: Figures, named: readonly string[] = []): Figures {
  const isRow = ({ id, budgeted, transactions }: ReportRow) =>
    budgeted === undefined || transactions !== 0 || (id !== null && named.includes(id));
  const earlier = new Map(before.rows.filter(isRow).map((row) => [row.id, row]));
  const rows = now.rows.flatMap((row) => {
    const amount = earlier.get(row.id)?.total;
    return amount !== undefined || isRow(row) ? [{ ...row, before: amount ?? 0 }] : [];
  });
  for (const { id } of rows) earlier.delete(id);
  // What was budgeted and left in the earlier range says nothing about this one.
  const ended = [...earlier.values()].map(({ id, name, total }) => ({ ...NOTHING, id, name, before: total }));
  return { ...now, rows: [...rows, ...ended] };
}

const [DEFAULT_TOP, DEFAULT_TOP_WITH_COLUMNS] = [25, 10];

/** Numbers have fewer characters for each token than other text, so rows take more of the room. */
const [LIST_WEIGHT, TABLE_WEIGHT] = [2, 3];

export interface RowsQuery {
  readonly top: number | undefined;
  readonly cursor: string | undefined;
}

/**
 * The next `top` rows that an answer has room for, and the sums of those after them. A cursor is the number of the rows
 * before, with a digest of the whole report, so that it cannot be used for another one. Throws `invalid_cursor`.
 */
export function pageOfRows(
  report: Report,
  { top, cursor }: RowsQuery,
  context: TextContext,
): Pick<Report, 'rows' | 'more'> {
  const after = cursor === undefined ? 0 : positionIn(report, cursor);
  const rows = report.rows.slice(after);
  const isTable = (rows[0]?.amounts.length ?? 0) > 1;
  if (top !== undefined) context.room.extend();
  const first = rows.slice(0, top ?? (isTable ? DEFAULT_TOP_WITH_COLUMNS : DEFAULT_TOP));
  const weight = isTable ? TABLE_WEIGHT : LIST_WEIGHT;
  const left = first.findIndex(
    (row, index) => !context.room.take(rowLine(report, row, context).repeat(weight), row) && index > 0,
  );
  const fitting = left === -1 ? first.length : left;
  const rest = rows.slice(fitting);
  if (rest.length === 0) return { rows };
  return {
    rows: first.slice(0, fitting),
    more: {
      rows: rest.length,
      total: add(rest.map(({ total }) => total)),
      ...(report.versus && { before: add(rest.map(({ before = 0 }) => before)) }),
      amounts: (rest[0]?.amounts ?? []).map((_, index) =>
        add(rest.map(({ amounts }) => amounts[index] ?? 0)),
      ),
      next_cursor: cursorAt(report, after + fitting),
    },
  };
}

function positionIn(report: Report, cursor: string): number {
  const position = Number.parseInt(cursor, 10);
  if (cursor === cursorAt(report, position)) return position;
  throw new BudgetError(
    'invalid_cursor',
    'This cursor belongs to another report, or its figures have changed since. Call again without it.',
  );
}

const cursorAt = (report: Report, position: number): string =>
  `${position}-${createHash('sha256')
    .update(`${position} ${JSON.stringify(report)}`)
    .digest('hex')
    .slice(0, 8)}`;
