/** Changes of the budget by another app: writes of every kind, in turn, by plain HTTP. */
import type { BudgetExport } from '../../src/base/schema/budget.ts';
import type { ServiceProcess } from './service-process.ts';

export type Budget = BudgetExport['budget'];

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Creates a transaction with a new payee, and makes one more change. */
export async function changeElsewhere(service: ServiceProcess, budget: Budget, turn: number): Promise<void> {
  const kind = kinds[turn % kinds.length];
  for (const { method, path, body } of [newTransaction(budget, turn), ...(kind ? [kind(budget, turn)] : [])])
    await service.request(path, { method, body });
}

const today = ({ months }: Budget) =>
  months
    .map(({ month }) => month)
    .toSorted()
    .at(-2) ?? '';

function newTransaction(budget: Budget, turn: number): Write {
  const account_id = budget.accounts.find(({ closed, on_budget }) => on_budget && !closed)?.id;
  const category_id = budget.categories.at(turn)?.id;
  const transaction = { account_id, category_id, date: today(budget), amount: -1000 * (turn + 1) };
  const body = { transaction: { ...transaction, payee_name: `Market stall ${turn}` } };
  return { method: 'POST', path: '/transactions', body };
}

const kinds: readonly ((budget: Budget, turn: number) => Write)[] = [
  ({ transactions }, turn) => ({
    method: 'PATCH',
    path: '/transactions',
    body: {
      transactions: transactions.slice(turn, turn + 10).map(({ id }) => ({ id, memo: `Turn ${turn}` })),
    },
  }),
  ({ transactions }, turn) => ({ method: 'DELETE', path: `/transactions/${transactions.at(-turn)?.id}` }),
  ({ categories }, turn) => ({
    method: 'PATCH',
    path: `/months/current/categories/${categories.at(turn)?.id}`,
    body: { category: { budgeted: 1000 * turn } },
  }),
  ({ payees }, turn) => ({
    method: 'PATCH',
    path: `/payees/${payees.filter((payee) => payee.transfer_account_id === null).at(turn)?.id}`,
    body: { payee: { name: `Renamed in turn ${turn}` } },
  }),
  ({ categories }, turn) => ({
    method: 'PATCH',
    path: `/categories/${categories.at(turn)?.id}`,
    body: { category: { note: `Turn ${turn}` } },
  }),
  ({ scheduled_transactions }) => ({
    method: 'DELETE',
    path: `/scheduled_transactions/${scheduled_transactions.at(-1)?.id}`,
  }),
];
