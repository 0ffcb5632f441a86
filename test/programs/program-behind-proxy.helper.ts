/** Starts the built program with a real host, and a proxy that injects faults between the program and the service. */
import { expect, onTestFinished } from 'vitest';
import type { ServiceOptions } from '../../src/service/server.ts';
import { type Fault, NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { connectLegacy, connectModern } from '../hosts.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { LaggingCopy } from '../lagging-copy.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { SteeredClock } from './steered-clock.helper.ts';

const TRANSACTIONS = 60;

export interface ProgramOptions {
  readonly transport?: 'stdio' | 'http';
  readonly args?: readonly string[];
  readonly service?: Partial<ServiceOptions>;
  /** Replaces the body of a response. */
  readonly alter?: (request: { readonly method: string; readonly path: string }, body: string) => string;
}

export async function startProgram({
  transport = 'stdio',
  args = [],
  service: options,
  // Altered bodies are not compressed. The program would decompress them in another thread, which the clock cannot see.
  alter = (_, body) => body,
}: ProgramOptions = {}) {
  const service = await startTestService({ transactions: TRANSACTIONS, rateLimit: 200, ...options });
  onTestFinished(() => service.close());
  const clock = await SteeredClock.start(service.clock);
  /** Faults for the next writes, and for the next reads of a budget. */
  const faults = { writes: [] as Fault[], reads: [] as Fault[] };
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    plan: ({ method, path }) => {
      if (path === '/v1/budgets') return NO_FAULT;
      return (method === 'GET' ? faults.reads : faults.writes).shift() ?? NO_FAULT;
    },
    clock,
    timeoutMs: 40_000,
    alter,
    copy: await LaggingCopy.start(service.clock, TRANSACTIONS),
  });
  const env = {
    ...clock.env,
    BUDGET_MCP_BASE_URL: `${proxy.url}/v1`,
    BUDGET_MCP_TOKEN: service.accessToken,
    BUDGET_MCP_BUDGET: service.user.ledgers[0]?.id ?? '',
  };
  const host = await (transport === 'stdio'
    ? connectLegacy({ args: ['serve', ...args], env })
    : connectModern({ http: await serveHttp(args, env) }));
  onTestFinished(() => host.close());
  // With its first request the program loads undici, and the clock cannot wait for that.
  await host.call('get_user');
  const [ledger = expect.unreachable()] = service.user.ledgers;
  const account = (name: string) =>
    ledger.accounts().find((each) => each.name === name) ?? expect.unreachable();
  const category = (name: string) =>
    ledger
      .categoryGroups()
      .flatMap(({ categories }) => categories)
      .find((each) => each.name === name) ?? expect.unreachable();
  const coffee = { account_id: account('Wallet').id, date: '2026-11-21', amount: -4.5, payee_name: 'Bakery' };
  const entries = () =>
    ledger
      .transactions(undefined)
      .filter(({ account_id, amount }) => account_id === coffee.account_id && amount === -4_500);
  const before = entries().length;
  const call = (...args: Parameters<typeof host.call>) => clock.passing(host.call(...args));
  return {
    host,
    /** Calls a tool, and advances the clock while the program waits. */
    call,
    clock,
    service,
    ledger,
    faults,
    proxy,
    account,
    category,
    coffee,
    logCoffee: () => call('create_transactions', { transactions: [coffee] }),
    /** The number of new coffees in the ledger. */
    coffees: () => entries().length - before,
    /** The number of write requests that were sent. */
    sent: () => proxy.exchanges.filter(({ method }) => method !== 'GET').length,
  };
}

export type StartedProgram = Awaited<ReturnType<typeof startProgram>>;

async function serveHttp(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = await startHttpProgram(args, env);
  onTestFinished(async () => {
    await program.stop();
  });
  return program;
}
