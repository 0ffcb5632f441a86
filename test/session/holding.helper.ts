/** A client with a cache, the embedded service, and a proxy between them that counts requests and can change responses. */
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { type Fault, NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { ManualClock, unhurried } from '../manual-clock.helper.ts';
import { readerOf, type ServiceReader } from '../model/replica/service-reader.helper.ts';
import { startTestService, type TestServiceOptions } from '../service/running-service.helper.ts';
import { inPassingTime, WatchedSender } from './passing-time.helper.ts';

const TIMEOUT_MS = 40_000;

/** The client's default budget is configured unless a test changes this. */
export async function startHolding(
  options: Partial<BudgetClientOptions> = {},
  serviceOptions: TestServiceOptions = {},
  isConfigured = true,
) {
  const service = await startTestService({ rateLimit: 200, transactions: 60, ...serviceOptions });
  onTestFinished(() => service.close());
  const { clock } = service;
  // The sender's time passes only where the proxy advances it.
  const wire = new ManualClock(clock.now());
  const faults: Fault[] = [];
  /** What the proxy returns instead of the service's response. */
  const altering = { answer: (_path: string, body: string) => body };
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    plan: () => faults.shift() ?? NO_FAULT,
    clock: wire,
    timeoutMs: TIMEOUT_MS,
    alter: ({ path }, body) => altering.answer(path, body),
  });
  const sender = new WatchedSender({ clock: wire, timeoutMs: TIMEOUT_MS });
  onTestFinished(() => sender.close());
  const [ledger, other] = service.user.ledgers;
  if (!ledger || !other) throw new Error('The service has two budgets.');
  const connect = (token = service.accessToken, more: Partial<BudgetClientOptions> = {}) =>
    new BudgetClient({
      tokens: fixedTokenProvider({ baseUrl: `${proxy.url}/v1`, token }),
      sender,
      // Delays before a retry end at once.
      clock: unhurried(clock),
      rateBudget: (store) => new RateBudget({ clock, store }),
      cacheBytes: 2 ** 26,
      ...(isConfigured && { budget: ledger.id }),
      ...options,
      ...more,
    });
  /** The service itself, with a token of its own and without the proxy. */
  const direct = (budgetId: string): ServiceReader =>
    readerOf({
      baseUrl: service.baseUrl,
      token: service.access.issueToken(service.user),
      budgetId,
      send: (request) => sender.send(request),
    });
  /** The paths requested since the last call, relative to the budget or the root. */
  let seen = 0;
  const asked = () => {
    const paths = proxy.exchanges.slice(seen).map(({ path }) => path.replace('/v1/', ''));
    seen = proxy.exchanges.length;
    return paths.map((path) => path.replace(`budgets/${ledger.id}`, 'home'));
  };
  const passing = <T>(work: Promise<T>) => inPassingTime(work, { clock, sender });
  return {
    client: connect(),
    connect,
    service,
    ledger,
    other,
    clock,
    faults,
    altering,
    direct,
    asked,
    passing,
  };
}

/** A client that has read its budget, so that it is cached. */
export async function startWarm(
  ask: (client: BudgetClient) => Promise<unknown>,
  options: Partial<BudgetClientOptions> = {},
  isConfigured = true,
  serviceOptions: TestServiceOptions = {},
) {
  const started = await startHolding(options, serviceOptions, isConfigured);
  await ask(started.client);
  started.asked();
  return started;
}

const exported = z.object({
  data: z.object({ server_knowledge: z.int(), budget: z.record(z.string(), z.unknown()) }),
});

/** The response of a copy of the service that has nothing newer than `knowledge`, for a client that has this already. */
export function laggingDelta(body: string, knowledge: number): string {
  const { budget } = exported.parse(JSON.parse(body)).data;
  const nothingNew = Object.fromEntries(
    Object.entries(budget).map(([name, value]) => [name, Array.isArray(value) ? [] : value]),
  );
  return JSON.stringify({ data: { server_knowledge: knowledge, budget: nothingNew } });
}

/** Whether it requests the delta of a whole budget. */
export const isDelta = (path: string) => /^\/v1\/budgets\/[^/]+\?last_knowledge/.test(path);
