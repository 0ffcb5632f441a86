/** What can be written in a budget, without ids that a thing gets anew when it is created again. */
import type { JsonObject } from '../../src/base/json.ts';
import type { ServiceReader } from '../model/replica/service-reader.helper.ts';

const pick = (row: JsonObject, ...fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));

const sorted = (rows: readonly JsonObject[]) => rows.map((row) => JSON.stringify(row)).sort();

const goals = ['goal_target', 'goal_target_date', 'goal_needs_whole_amount'];
const line = ['amount', 'payee_id', 'category_id', 'memo'];
const entry = [...line, 'account_id', 'flag_color'];

export async function writableState(service: ServiceReader) {
  const { budget } = await service.export();
  const legs = (id: string) =>
    sorted(
      budget.subtransactions.filter((leg) => leg.transaction_id === id).map((leg) => pick(leg, ...line)),
    );
  return {
    accounts: budget.accounts.map((row) => pick(row, 'id', 'balance', 'cleared_balance')),
    groups: budget.category_groups.map((row) => pick(row, 'id', 'name')),
    categories: budget.categories.map((row) =>
      pick(row, 'id', 'name', 'note', 'category_group_id', ...goals),
    ),
    months: budget.months.map(({ month, categories }) => ({
      month,
      budgeted: categories.filter(({ budgeted }) => budgeted !== 0).map((row) => pick(row, 'id', 'budgeted')),
    })),
    transactions: sorted(
      budget.transactions.map((row) => ({
        ...pick(row, ...entry, 'date', 'cleared', 'approved'),
        legs: legs(row.id),
      })),
    ),
    scheduled: sorted(
      budget.scheduled_transactions.map((row) => pick(row, ...entry, 'date_next', 'frequency')),
    ),
    payees: new Map(budget.payees.map(({ id, name }) => [id, name])),
  };
}

type WritableState = Awaited<ReturnType<typeof writableState>>;

/** The state without payees that are not `known`: no write can delete those that it created. */
export const withoutNewPayees = ({ payees, ...rest }: WritableState, known: WritableState['payees']) => ({
  ...rest,
  payees: new Map([...payees].filter(([id]) => known.has(id))),
});
