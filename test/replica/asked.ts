/** A ledger behind the real service, and the operations asked of it: its HTTP, with or without a connection. */
import type { z } from 'zod';
import { decodeResponse, encodeRequest } from '../../src/client/codec.ts';
import type { HttpRequest, HttpResponse } from '../../src/client/http-sender.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Export } from '../../src/replica/entities.ts';
import { Access } from '../../src/service/access.ts';
import { createApp } from '../../src/service/app.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { OAuth } from '../../src/service/oauth.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { ManualClock } from '../manual-clock.ts';
import { START } from '../service/ledger/random-changes.ts';

export type Input = Readonly<Record<string, unknown>>;

export interface Asked {
  /** `data` of an operation's answer, or the `BudgetError` that it amounts to. */
  data<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input?: Input,
  ): Promise<z.output<z.ZodObject<Output>>>;
  /** The budget as a whole, or what has changed of it since. */
  export(since?: number): Promise<Export>;
}

interface Way {
  readonly baseUrl: string;
  readonly token: string;
  readonly budgetId: string;
  send(request: HttpRequest): Promise<HttpResponse>;
}

export function askedBy({ baseUrl, token, budgetId, send }: Way): Asked {
  const ask = (operation: Operation, input: Input, since?: number) => {
    const { headers, ...request } = encodeRequest(
      operation,
      { ...input, budget_id: budgetId },
      baseUrl,
      since,
    );
    return send({ ...request, headers: { ...headers, authorization: `Bearer ${token}` } });
  };
  return {
    data: async (operation, input = {}) => decodeResponse(operation, await ask(operation, input)),
    export: async (since) => decodeResponse(getBudget, await ask(getBudget, {}, since)),
  };
}

/** The service without a connection, which is quick enough for tens of thousands of questions. */
export function asked(ledger: Ledger): Asked {
  const clock = new ManualClock(START);
  const access = new Access(clock);
  const app = createApp({
    clock,
    access,
    oauth: new OAuth({ access, clock, accessTokenSeconds: 7_200 }),
    rateLimit: new RateLimit(Number.POSITIVE_INFINITY, clock),
    maxTransactions: 1_000_000,
    isInMaintenance: () => false,
    reportError: (error) => {
      throw error;
    },
  });
  return askedBy({
    baseUrl: 'http://127.0.0.1/v1',
    token: access.issueToken(access.addUser([ledger])),
    budgetId: ledger.id,
    send: async ({ url, headers }) => {
      const response = await app.request(url, { headers });
      return { status: response.status, headers: {}, body: await response.text() };
    },
  });
}

/** Every operation that a replica answers. */
export const answerable = operations.filter((operation) => operation.readLocally);

/** By parameter, the ids that there are in a budget. */
export function idsOf({ budget }: Export): Readonly<Record<string, readonly string[]>> {
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return {
    account_id: ids(budget.accounts),
    category_id: ids(budget.categories),
    payee_id: ids(budget.payees),
    payee_location_id: ids(budget.payee_locations),
    month: [...budget.months.map(({ month }) => month), 'current'],
    transaction_id: ids(budget.transactions),
    scheduled_transaction_id: ids(budget.scheduled_transactions),
  };
}

/** Every question that can be asked with an operation, of what there is and of what there is not. */
export function questionsOf(
  operation: Operation,
  ids: Readonly<Record<string, readonly string[]>>,
  filter: Input,
): Input[] {
  const names = Object.keys(operation.input.shape);
  const inPath = names.filter((name) => name in ids);
  const filters = names.includes('since_date') ? [filter] : [{}];
  return inPath.reduce<Input[]>(
    (inputs, name) =>
      inputs.flatMap((input) =>
        [...(ids[name] ?? []), name === 'month' ? '1999-01-01' : 'nothing'].map((id) => ({
          ...input,
          [name]: id,
        })),
      ),
    filters,
  );
}
