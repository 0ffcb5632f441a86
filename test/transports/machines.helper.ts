/**
 * Several machines that answer for the same sign-in, each with a connection to Redis, a client, an endpoint and an address
 * of its own, beside one real budgeting service.
 */

import { onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import type { ConfirmPolicy } from '../../src/operations/consent.ts';
import { startService } from '../../src/service/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { createAccess } from '../../src/transports/http/access.ts';
import { createSingleEndpoint } from '../../src/transports/http/endpoint.ts';
import { serveHttp } from '../../src/transports/http.ts';
import { callOperation } from '../call-operation.helper.ts';
import { openRedisStore, startRedis } from '../store/redis.helper.ts';

export interface SentRequest {
  readonly machine: number;
  readonly method: string;
  readonly body: string;
  /** Whether the whole response has arrived, or its connection has ended. */
  hasEnded: boolean;
}

export interface MachineOptions {
  readonly confirm?: ConfirmPolicy;
  readonly maxSessions?: number;
  /** Without a cache, each change is read from the service. */
  readonly cacheBytes?: number;
}

export type Machines = Awaited<ReturnType<typeof startMachines>>;

export async function startMachines(count: number, options: MachineOptions = {}) {
  const { confirm = 'none', maxSessions, cacheBytes = 2 ** 26 } = options;
  const redis = await startRedis();
  const service = await startService({ clock: systemClock, rateLimit: 100_000, transactions: 200 });
  onTestFinished(() => service.close());
  const { baseUrl, accessToken: token } = service;
  const errors: Error[] = [];

  const startMachine = async () => {
    const { store, redis: connection } = await openRedisStore({ url: redis.url });
    const { clock } = connection;
    const sender = new HttpSender({ clock });
    const client = new BudgetClient({
      tokens: fixedTokenProvider({ baseUrl, token }),
      sender,
      clock,
      rateBudget: (shared) => new RateBudget({ clock, store: shared }),
      cacheBytes,
      store: async () => store,
    });
    const openStore = async () => store;
    const log = {
      error: ({ err }: { err?: unknown }) => errors.push(err instanceof Error ? err : new Error()),
    };
    const deps = { client, clock, log, version: '0.0.0', confirm, openStore };
    const shared = createSharedState(deps);
    const onBug = (error: Error) => errors.push(error);
    const entry = createSingleEndpoint({
      createServer: (caller) => createServer(deps, shared, caller),
      subscriptions: shared.subscriptions,
      onToolListChanged: (listener) => client.onAvailabilityChanged(listener),
      access: createAccess({ host: '127.0.0.1' }),
      clock,
      onError: onBug,
      onBug,
      ...(maxSessions !== undefined && { maxSessions }),
    });
    const serving = await serveHttp({ host: '127.0.0.1', port: 0, entry, clock, onBug });
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= (async () => {
        await serving.close();
        client.close();
        await client.writesSettled();
        await store.close();
        await connection.close();
        await sender.close();
      })();
      return closing;
    };
    onTestFinished(close);
    return { url: serving.url, client, store, close };
  };

  const machines = await Promise.all(Array.from({ length: count }, startMachine));
  let last = 0;
  /** Which machine has got each request. */
  const requests: SentRequest[] = [];
  const fetchAt = async (machine: number, init: RequestInit | undefined): Promise<Response> => {
    const url = machines[machine]?.url;
    if (url === undefined) throw new Error(`There is no machine ${machine}.`);
    const { method = 'GET', body } = init ?? {};
    const request = { machine, method, body: typeof body === 'string' ? body : '', hasEnded: false };
    requests.push(request);
    const response = await fetch(url, init);
    const ended = () => {
      request.hasEnded = true;
    };
    void response.clone().text().then(ended, ended);
    return response;
  };
  const [first] = machines;
  const { data } = (first && (await callOperation(first.client, listBudgets, {}))) ?? {};
  const [budget] = data?.budgets ?? [];
  if (!first || !budget) throw new Error('There is no machine or no budget.');
  return {
    redis,
    service,
    errors,
    machines,
    requests,
    startMachine,
    uri: (path: string) => `budget://v1/budgets/${budget.id}/${path}`,
    /** A host whose requests go to the machines in turn. */
    inTurn: {
      url: first.url,
      fetch: (_: string | URL, init?: RequestInit) => {
        last = (last + 1) % machines.length;
        return fetchAt(last, init);
      },
    },
    /** A host whose requests go where `route` says, by the method of HTTP and the message. */
    routed: (route: (method: string, body: string) => number) => ({
      url: first.url,
      fetch: (_: string | URL, init?: RequestInit) =>
        fetchAt(route(init?.method ?? 'GET', typeof init?.body === 'string' ? init.body : ''), init),
    }),
  };
}
