/** Several processes of one sign-in, each with a client, that share a store and can be killed at any point. */

import { expect, onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, type SharedMemory } from '../../src/store/memory-store.ts';
import type {
  Change,
  LockOptions,
  Look,
  Seen,
  SharedStore,
  StoredValue,
} from '../../src/store/shared-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { type Fault, NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { enterByHand, startTestService } from '../service/running-service.helper.ts';
import { inPassingTime, WatchedSender } from './passing-time.helper.ts';

const TIMEOUT_MS = 40_000;
const TRANSACTIONS = 60;

const never = () => new Promise<never>(() => {});

/** The life of a process. Whatever it does with the outside counts as two events: before and after. */
export class Life {
  events: string[] = [];
  /** The process is killed at this event, counted from 1. */
  killAt = Number.POSITIVE_INFINITY;
  isOver = false;
  readonly #onKilled: (() => unknown)[] = [];
  #suspension: { readonly name: string; readonly end: Promise<void>; left: number } | undefined;
  #suspended: Promise<void> | undefined;

  onKilled(run: () => unknown): void {
    this.#onKilled.push(run);
  }

  kill(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const run of this.#onKilled) run();
  }

  /** Suspends the process at the `count`th event whose name begins with `name`, until the returned function is called. */
  suspendAt(name: string, count = 1): () => void {
    let goOn = () => {};
    const end = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    this.#suspension = { name, end, left: count };
    return goOn;
  }

  /** Never ends if the process is killed before, during or just after `work`. */
  async live<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    await this.#event(`before ${name}`);
    const result = await work().finally(() => (this.isOver ? never() : undefined));
    await this.#event(`after ${name}`);
    return result;
  }

  async #event(name: string): Promise<void> {
    if (this.isOver) return never();
    this.events.push(name);
    if (this.#suspension && name.startsWith(this.#suspension.name)) {
      this.#suspension.left -= 1;
      if (this.#suspension.left === 0) this.#suspended = this.#suspension.end;
    }
    await this.#suspended;
    if (this.events.length < this.killAt) return;
    this.kill();
    await never();
  }
}

const asJson = (value: StoredValue | undefined): StoredValue | undefined =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** The store of a process that can be killed. It keeps values as JSON, as a store on disk does. */
class MortalStore implements SharedStore {
  readonly processId: string;
  readonly #store: MemoryStore;
  readonly #life: Life;

  /** `leaseEnd` resolves when the others notice that the process was killed, if that is not at once. */
  constructor(store: MemoryStore, life: Life, leaseEnd: (() => Promise<void>) | undefined) {
    this.#store = store;
    this.#life = life;
    this.processId = store.processId;
    life.onKilled(async () => {
      if (leaseEnd) await leaseEnd();
      await store.close();
    });
  }

  get version(): number {
    return this.#store.version;
  }

  read(name: string): Promise<unknown> {
    return this.#life.live(`read ${name}`, () => this.#store.read(name));
  }

  look(wanted: Look): Promise<Seen> {
    return this.#life.live(`look ${wanted.records}`, () => this.#store.look(wanted));
  }

  update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    return this.#life.live(`update ${name}`, () =>
      this.#store.update(name, (before, now) => {
        const { value, result, entries } = change(before, now);
        const added = entries?.map((entry) => ({ ...entry, value: asJson(entry.value) ?? null }));
        return { value: asJson(value), result, entries: added };
      }),
    );
  }

  append(log: string, value: StoredValue): Promise<number> {
    return this.#life.live(`append ${log}`, () => this.#store.append(log, asJson(value) ?? null));
  }

  entries(log: string, after?: number) {
    return this.#store.entries(log, after);
  }

  trim(log: string, upTo?: number): Promise<void> {
    return this.#life.live(`trim ${log}`, () => this.#store.trim(log, upTo));
  }

  lock(name: string, options: LockOptions) {
    return this.#life.live(`lock ${name}`, async () => {
      const release = await this.#store.lock(name, options);
      // A process that has ended while it waited for a lock does not get it.
      if (this.#life.isOver) await release?.();
      return release;
    });
  }

  isRunning(processId: string): Promise<boolean> {
    return this.#life.live('isRunning', () => this.#store.isRunning(processId));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** All processes send through one connection pool, so that a test knows when none waits for a response. */
class MortalSender extends HttpSender {
  readonly #sender: HttpSender;
  readonly #life: Life;

  constructor(options: ConstructorParameters<typeof HttpSender>[0], sender: HttpSender, life: Life) {
    super(options);
    this.#sender = sender;
    this.#life = life;
  }

  override exchange(...exchange: Parameters<HttpSender['exchange']>): ReturnType<HttpSender['exchange']> {
    return this.#life.live(`request ${exchange[0].method}`, () => this.#sender.exchange(...exchange));
  }
}

type ProcessOptions = Partial<Omit<BudgetClientOptions, 'clock'>> & {
  readonly clock?: ManualClock;
  /** After a kill, the process seems to run for so long, as on another machine. */
  readonly leaseMs?: number;
};

export async function startSharing() {
  const service = await startTestService({ transactions: TRANSACTIONS });
  onTestFinished(() => service.close());
  const { clock } = service;
  const wire = new ManualClock(clock.now());
  /** The faults of the next writes, and of the next reads of a budget. */
  const faults = { writes: [] as Fault[], reads: [] as Fault[] };
  /** What happens when the next writes arrive at the proxy. */
  const onWrite: (() => void)[] = [];
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    plan: ({ method, path }) => {
      if (path === '/v1/budgets') return NO_FAULT;
      if (method !== 'GET') onWrite.shift()?.();
      return (method === 'GET' ? faults.reads : faults.writes).shift() ?? NO_FAULT;
    },
    clock: wire,
    timeoutMs: TIMEOUT_MS,
  });
  const senderOptions = { clock: wire, timeoutMs: TIMEOUT_MS };
  const sender = new WatchedSender(senderOptions);
  onTestFinished(() => sender.close());
  const ledger = service.user.ledgers[0] ?? expect.unreachable();
  const account_id = ledger.accounts().find(({ name }) => name === 'Wallet')?.id ?? '';
  const coffee = { account_id, date: '2026-11-21', payee_name: 'Corner Bakery' };
  const passing = <T>(work: Promise<T>, time = clock) => inPassingTime(work, { clock: time, sender });
  const pass = (milliseconds: number) => passing(clock.sleep(milliseconds));

  /** The processes that are started with one memory share it. */
  const startProcess = (
    memory: SharedMemory,
    { clock: own = clock, leaseMs, ...options }: ProcessOptions = {},
  ) => {
    const life = new Life();
    const mortal = new MortalSender(senderOptions, sender, life);
    onTestFinished(() => mortal.close());
    const store = new MortalStore(
      new MemoryStore(own, memory),
      life,
      leaseMs === undefined ? undefined : () => clock.sleep(leaseMs),
    );
    const client = new BudgetClient({
      tokens: fixedTokenProvider({ baseUrl: `${proxy.url}/v1`, token: service.accessToken }),
      sender: mortal,
      clock: own,
      rateBudget: () => new RateBudget({ clock: own, limit: 100_000 }),
      budget: ledger.id,
      store: async () => store,
      ...options,
    });
    const start = (amount: number, { signal, caller }: { signal?: AbortSignal; caller?: string } = {}) =>
      client.begin({ signal, caller }).write(createTransactions, { transactions: [{ ...coffee, amount }] });
    const log = (...call: Parameters<typeof start>) => passing(start(...call));
    /** The states of the writes in `get_status`. */
    const states = async () => (await passing(client.status())).writes.map(({ state }) => state);
    const journal = async () => passing(client.begin().journal());
    return { client, life, store, start, log, states, journal };
  };

  /** The balance of the account of all entries, as a process answers it. */
  const balanceIn = async ({ client }: { readonly client: BudgetClient }) => {
    const { data, freshness } = await callOperation(client, listAccounts, {});
    const { balance } = data.accounts.find(({ id }) => id === account_id) ?? expect.unreachable();
    return { balance, staleReason: freshness.stale_reason };
  };
  /** As a person, or as a request that arrives late. */
  const enterCoffee = (amount: number) => enterByHand(service, ledger.id, { ...coffee, amount });
  const coffees = (amount: number) =>
    ledger.transactions(undefined).filter((row) => row.amount === amount && row.account_id === account_id);
  /** How often a write was sent. */
  const sent = () => proxy.exchanges.filter(({ method }) => method !== 'GET').length;
  const requests = () => proxy.exchanges.length;
  return {
    service,
    clock,
    faults,
    onWrite,
    ledger,
    coffee,
    passing,
    pass,
    startProcess,
    balanceIn,
    coffees,
    enterCoffee,
    sent,
    requests,
  };
}

export type Sharing = Awaited<ReturnType<typeof startSharing>>;
export type Process = ReturnType<Sharing['startProcess']>;
