/** Sends operations to the embedded service of a ledger, over HTTP or directly to its app. */
import type { z } from 'zod';
import type { Export } from '../../../src/model/replica/entities.ts';
import { getBudget } from '../../../src/operations/budgets.ts';
import { operations } from '../../../src/operations/index.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { Access } from '../../../src/service/access.ts';
import { createApp } from '../../../src/service/app.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { OAuth } from '../../../src/service/oauth.ts';
import { RateLimit } from '../../../src/service/rate-limit.ts';
import { decodeResponse, encodeRequest } from '../../../src/session/http/codec.ts';
import type { HttpRequest, HttpResponse } from '../../../src/session/http/http-sender.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { START } from '../../service/ledger/random-changes.helper.ts';

export type Input = Readonly<Record<string, unknown>>;

export interface ServiceReader {
  /** The `data` of the response to an operation. Throws the `BudgetError` of an error response. */
  data<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input?: Input,
  ): Promise<z.output<z.ZodObject<Output>>>;
  /** The whole budget, or its changes since a knowledge. */
  export(since?: number): Promise<Export>;
}

interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  readonly budgetId: string;
  send(request: HttpRequest): Promise<HttpResponse>;
}

export function readerOf({ baseUrl, token, budgetId, send }: Connection): ServiceReader {
  const sendOperation = (operation: Operation, input: Input, since?: number) => {
    const { headers, ...request } = encodeRequest(
      operation,
      { ...input, budget_id: budgetId },
      baseUrl,
      since,
    );
    return send({ ...request, headers: { ...headers, authorization: `Bearer ${token}` } });
  };
  return {
    data: async (operation, input = {}) => decodeResponse(operation, await sendOperation(operation, input)),
    export: async (since) => decodeResponse(getBudget, await sendOperation(getBudget, {}, since)),
  };
}

/** Calls the app of the service directly, which is fast enough for tens of thousands of requests. */
export function directReader(ledger: Ledger): ServiceReader {
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
  return readerOf({
    baseUrl: 'http://127.0.0.1/v1',
    token: access.issueToken(access.addUser([ledger])),
    budgetId: ledger.id,
    send: async ({ url, headers }) => {
      const response = await app.request(url, { headers });
      return { status: response.status, headers: {}, body: await response.text() };
    },
  });
}

/** Every operation that a replica can answer. */
export const replicaOperations = operations.filter((operation) => operation.readLocally);

/** The ids in a budget, by parameter. */
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

/** The inputs of an operation for every existing id and for an unknown one. */
export function inputsOf(
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
