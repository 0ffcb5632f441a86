/** A client of the example household, and the simulations of its writes. */

import { expect, onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { type Books, Witness } from '../session/service-observer.helper.ts';

export const NOWHERE = '11111111-1111-4111-8111-111111111111';
export const TODAY = '2026-11-21';

export async function start() {
  const service = await startTestService({ transactions: 60 });
  onTestFinished(() => service.close());
  const { clock } = service;
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const budget_id = service.user.ledgers[0]?.id ?? '';
  const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
  const rateBudget = () => new RateBudget({ clock, limit: 100_000 });
  const client = new BudgetClient({ tokens, sender, clock, budget: budget_id, rateBudget });
  const witness = new Witness(`${service.baseUrl}/budgets/${budget_id}`, service.accessToken);
  const books = await witness.look();
  const knowledge = () => service.user.ledgers[0]?.knowledge;

  /** Simulates a write, and checks that nothing was written. */
  const simulate = async (operation: Operation, input: Readonly<Record<string, unknown>>) => {
    const before = knowledge();
    const preview = await client.begin().simulate(operation, operation.input.parse({ budget_id, ...input }));
    expect(knowledge()).toBe(before);
    return preview;
  };
  /** The predicted change of each account and category, by name. */
  const changes = async (operation: Operation, input: Readonly<Record<string, unknown>>) => {
    const { problems, balanceChanges } = await simulate(operation, input);
    expect(problems).toEqual([]);
    return Object.fromEntries(
      balanceChanges.map((each) => [each.name, each.balanceAfter - each.balanceBefore]),
    );
  };
  const enter = async (row: Readonly<Record<string, unknown>>) => {
    const input = createTransactions.input.parse({ transactions: [row] });
    const { data } = await callOperation(client, createTransactions, input);
    return data.transaction?.id ?? '';
  };
  /** The predicted change of each balance, by name. Then writes, and checks that exactly these balances change. */
  const comesTrue = async (operation: Operation, input: Readonly<Record<string, unknown>>) => {
    const before = balancesOf(await witness.look());
    const { problems, balanceChanges } = await simulate(operation, input);
    expect(problems).toEqual([]);
    await callOperation(client, operation, operation.input.parse({ budget_id, ...input }));
    const then = balanceChanges.map(({ id, balanceAfter }) => [id, balanceAfter] as const);
    expect(balancesOf(await witness.look())).toEqual(new Map([...before, ...then]));
    return Object.fromEntries(
      balanceChanges.map((each) => [each.name, each.balanceAfter - each.balanceBefore]),
    );
  };
  return { books, budget_id, client, witness, simulate, changes, comesTrue, enter };
}

/** Accounts, and categories except those that the service fills itself. */
function balancesOf({ accounts, categories }: Books) {
  const own = [...categories.values()].filter(
    ({ category_group_name: group }) =>
      group !== 'Internal Master Category' && group !== 'Credit Card Payments',
  );
  return new Map([...accounts.values(), ...own].map(({ id, balance }) => [id, balance]));
}

export const idIn = (rows: Books['accounts' | 'categories'], name: string) =>
  [...rows.values()].find((row) => row['name'] === name)?.id ?? '';

export type Started = Awaited<ReturnType<typeof start>>;

export function spending({ books }: Started, fields: Readonly<Record<string, unknown>> = {}) {
  const category_id = idIn(books.categories, 'Groceries');
  return {
    account_id: idIn(books.accounts, 'Checking'),
    date: TODAY,
    amount: -10_000,
    category_id,
    ...fields,
  };
}

export const transferTo = ({ books }: Started, name: string) =>
  books.accounts.get(idIn(books.accounts, name))?.['transfer_payee_id'];
