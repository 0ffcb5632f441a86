/** A client that writes to the embedded service through a proxy which causes planned faults. */
import { expect, onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import type { InterfaceVersion } from '../../src/service/interface-version.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { type Fault, NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { LaggingCopy } from '../lagging-copy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { inPassingTime, WatchedSender } from './passing-time.helper.ts';

const TIMEOUT_MS = 40_000;
const TRANSACTIONS = 60;

export async function startWriting(
  options: Partial<BudgetClientOptions> = {},
  ofService: { readonly version?: InterfaceVersion } = {},
) {
  const service = await startTestService({ transactions: TRANSACTIONS, ...ofService });
  onTestFinished(() => service.close());
  const { clock } = service;
  const wire = new ManualClock(clock.now());
  /** The faults of the next writes, and of the next reads of a budget. */
  const faults = { writes: [] as Fault[], reads: [] as Fault[] };
  /** What happens just before the next writes arrive at the proxy, such as a change by another user. */
  const beforeWrites: (() => void)[] = [];
  /** What the proxy returns instead of the service's response. */
  const altering = { answer: (_path: string, body: string) => body };
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    plan: ({ method, path }) => {
      if (path === '/v1/budgets') return NO_FAULT;
      if (method !== 'GET') beforeWrites.shift()?.();
      return (method === 'GET' ? faults.reads : faults.writes).shift() ?? NO_FAULT;
    },
    clock: wire,
    timeoutMs: TIMEOUT_MS,
    alter: ({ path }, body) => altering.answer(path, body),
    copy: await LaggingCopy.start(clock, TRANSACTIONS),
  });
  const sender = new WatchedSender({ clock: wire, timeoutMs: TIMEOUT_MS });
  onTestFinished(() => sender.close());
  const ledger = service.user.ledgers[0] ?? expect.unreachable();
  const fixed = fixedTokenProvider({ baseUrl: `${proxy.url}/v1`, token: service.accessToken });
  let signIns = 1;
  const client = new BudgetClient({
    tokens: {
      ...fixed,
      credential: async (signal) => ({ ...(await fixed.credential(signal)), signIn: `sign-in ${signIns}` }),
    },
    sender,
    clock,
    rateBudget: () => new RateBudget({ clock, limit: 100_000 }),
    budget: ledger.id,
    ...options,
  });
  const account_id = ledger.accounts().find(({ name }) => name === 'Wallet')?.id ?? '';
  const coffee = { account_id, date: '2026-11-21', amount: -4_500, payee_name: 'Corner Bakery' };
  const passing = <T>(work: Promise<T>) => inPassingTime(work, { clock, sender });
  /** Lets this time pass, with everything that is due in it. */
  const pass = (milliseconds: number) => passing(clock.sleep(milliseconds));
  const start = (signal?: AbortSignal, caller?: string, amount = coffee.amount) =>
    client.begin({ signal, caller }).write(createTransactions, { transactions: [{ ...coffee, amount }] });
  const log = (...call: Parameters<typeof start>) => passing(start(...call));
  const entries = (amount = coffee.amount) =>
    ledger.transactions(undefined).filter((row) => row.amount === amount && row.account_id === account_id);
  const before = entries().length;
  /** The number of coffees in the ledger. */
  const coffees = () => entries().length - before;
  /** As if a token file was replaced by another one. */
  const signInAnew = () => {
    signIns += 1;
  };
  /** How often a write was sent. */
  const sent = () => proxy.exchanges.filter(({ method }) => method !== 'GET').length;
  return {
    client,
    service,
    ledger,
    clock,
    sender,
    faults,
    beforeWrites,
    altering,
    coffee,
    start,
    log,
    passing,
    pass,
    coffees,
    sent,
    signInAnew,
  };
}
