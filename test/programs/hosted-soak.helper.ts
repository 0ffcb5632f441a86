/**
 * Many people at once on one hosted server: each signs in on the real pages, asks and writes a little. Every answer is compared
 * with the rows of that person at the budgeting service.
 */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Person } from '../../src/service/server.ts';
import { eras, type Host } from '../hosts.helper.ts';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';
import { OwnRows, WRITTEN } from './own-rows.helper.ts';

export interface HostedSoakOptions {
  /** The number of transactions of each person. */
  readonly sizes: readonly number[];
  readonly seconds: number;
  /** Of each person, spread over the time. */
  readonly writes: number;
  /** How long a person waits from one question to the next one. Without it the next one follows each answer. */
  readonly everyMs?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The number of transactions of a person more, who comes after a third of the time. */
  readonly late?: number;
}

/** In bytes, after garbage was collected, with the time of the processor so far. */
export interface Memory {
  readonly rss: number;
  readonly used: number;
  readonly cpuMs: number;
}

export interface HostedSoakReport {
  readonly calls: number;
  readonly writes: number;
  /** Answers that were not those of the person, and calls that failed. */
  readonly failures: readonly string[];
  readonly elapsedMs: number;
  /** The time of the processor that the server took for the calls. */
  readonly cpuMs: number;
  /** How long each sign-in, each first answer and each later answer took, in milliseconds, in ascending order. */
  readonly signInMs: readonly number[];
  readonly firstMs: readonly number[];
  readonly answerMs: readonly number[];
  /** The longest answer to others while the first question of the late person was answered, and how long that took. */
  readonly late?: { readonly othersMs: number; readonly ownMs: number };
  readonly memory: {
    readonly empty: Memory;
    readonly signedIn: Memory;
    readonly asked: Memory;
    readonly end: Memory;
  };
  readonly exitCode: number | null;
}

interface Visitor {
  readonly person: Person;
  readonly nth: number;
  readonly rows: OwnRows;
  readonly host: Host;
}

export async function runHostedSoak(options: HostedSoakOptions): Promise<HostedSoakReport> {
  const { sizes, seconds, writes, everyMs = 0, args = [], env = {}, late } = options;
  const all = late === undefined ? sizes : [...sizes, late];
  const hosted = await HostedProgram.start({
    households: all.map((transactions) => ({ transactions })),
    args: ['--confirm', 'none', ...args],
    env: { NODE_OPTIONS: `--import=${preload}`, ...env },
  });
  try {
    const failures: string[] = [];
    const [signInMs, firstMs, answerMs]: [number[], number[], number[]] = [[], [], []];
    const empty = await memoryOf(hosted);

    const accessOf = new Map<number, SignedIn>();
    for (const nth of all.keys())
      await measured(signInMs, async () => {
        accessOf.set(nth, await hosted.signIn(hosted.person(nth), { clientName: `Assistant ${nth}` }));
      });
    const signedIn = await memoryOf(hosted);

    const arrive = async (nth: number): Promise<Visitor> => {
      const person = hosted.person(nth);
      const rows = await OwnRows.read((path) => hosted.get(person, path), idsOf(person));
      const http = accessOf.get(nth)?.http;
      const [, connect] = eras[nth % 2 === 0 ? 0 : 1];
      const host = await connect({ ...(http && { http }) });
      return { person, nth, rows, host };
    };
    const visitors: Visitor[] = [];
    for (const nth of sizes.keys()) {
      const visitor = await arrive(nth);
      visitors.push(visitor);
      await measured(firstMs, () => attempt(() => ask(visitor, 0), failures, visitor));
    }
    const asked = await memoryOf(hosted);

    const cpuBefore = asked.cpuMs;
    const begin = performance.now();
    const end = begin + seconds * 1_000;
    let written = 0;
    /** The longest answer since it was set to 0. */
    let longest = 0;
    const converse = async (visitor: Visitor) => {
      // People do not ask and write at the same moment.
      const share = visitor.nth / visitors.length;
      await setTimeout(everyMs * share);
      let next = 0;
      for (let turn = visitor.nth; performance.now() < end || next < writes; turn += 1) {
        const dueAt = begin + ((next + share) * seconds * 1_000) / writes;
        const isWrite = next < writes && performance.now() >= dueAt;
        if (isWrite) next += 1;
        const ms = await measured(answerMs, () =>
          attempt(() => (isWrite ? write(visitor, next) : ask(visitor, turn)), failures, visitor),
        );
        if (isWrite) written += 1;
        longest = Math.max(longest, ms);
        await setTimeout(everyMs - ms);
      }
    };
    const arriveLate = async () => {
      if (late === undefined) return undefined;
      const visitor = await arrive(sizes.length);
      await visitors[0]?.host.call('get_status');
      longest = 0;
      const ownMs = await measured(firstMs, () => attempt(() => ask(visitor, 0), failures, visitor));
      const othersMs = longest;
      await visitor.host.close();
      return { ownMs, othersMs };
    };
    const [lateReport] = await Promise.all([arriveLate(), ...visitors.map(converse)]);
    const elapsedMs = performance.now() - begin;
    const memory = { empty, signedIn, asked, end: await memoryOf(hosted) };
    const cpuMs = memory.end.cpuMs - cpuBefore;
    for (const visitor of visitors) {
      const { person, rows } = visitor;
      await attempt(() => rows.checkService((path) => hosted.get(person, path)), failures, visitor);
      await visitor.host.close();
    }
    const exitCode = await hosted.stopProgram();
    for (const list of [signInMs, firstMs, answerMs]) list.sort((a, b) => a - b);
    return {
      calls: answerMs.length,
      writes: written,
      failures,
      elapsedMs,
      cpuMs,
      signInMs,
      firstMs,
      answerMs,
      ...(lateReport && { late: lateReport }),
      memory,
      exitCode,
    };
  } finally {
    await hosted.close();
  }
}

async function measured(list: number[], work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  list.push(ms);
  return ms;
}

async function attempt(work: () => Promise<void>, failures: string[], { nth }: Visitor): Promise<void> {
  try {
    await work();
  } catch (error) {
    failures.push(`person ${nth}: ${String(error).slice(0, 500)}`);
  }
}

const steps: readonly ((visitor: Visitor) => Promise<void>)[] = [
  async ({ host, rows }) => rows.checkAccounts((await answered(host, 'list_accounts')).structured),
  async ({ host, rows }) => {
    const { structured, text } = await answered(host, 'list_transactions', { limit: 20 });
    rows.checkTransactions(structured, text);
  },
  async ({ host, rows }) => rows.checkPayees((await answered(host, 'list_payees')).structured),
  async ({ host, rows }) => rows.checkUser((await answered(host, 'get_user')).structured),
];

async function ask(visitor: Visitor, turn: number): Promise<void> {
  await steps[turn % steps.length]?.(visitor);
}

/** No two writes of all people have the same amount. */
async function write({ host, rows, nth }: Visitor, time: number): Promise<void> {
  const amount = -(1_000_000 + nth * 1_000 + time) * 10;
  const transaction = {
    account_id: WRITTEN.account,
    date: 'today',
    amount: amount / 1_000,
    payee_name: WRITTEN.payee,
  };
  await answered(host, 'create_transactions', { transactions: [transaction] });
  rows.note(amount, 'done');
}

const idsOf = ({ user }: Person) => ({ userId: user.id, budgetId: user.ledgers[0]?.id ?? '' });

async function answered(host: Host, name: string, args = {}) {
  const called = await host.call(name, args);
  if (called.isError) throw new Error(`${name}: ${called.text}`);
  return called;
}

/** Loaded before the program: at each signal it collects garbage, and writes how much memory is in use. */
const preload = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  process.on('SIGUSR2', () => {
    runInNewContext('gc')();
    const { user, system } = process.cpuUsage();
    const cpuMs = (user + system) / 1000;
    const { rss, heapUsed, external } = process.memoryUsage();
    process.stderr.write('memory ' + JSON.stringify({ rss, used: heapUsed + external, cpuMs }) + '\\n');
  });
`)}`;

const memorySchema = z.object({ rss: z.number(), used: z.number(), cpuMs: z.number() });

/** After garbage was collected. */
async function memoryOf({ program: { process: child, written } }: HostedProgram): Promise<Memory> {
  const before = written().length;
  child.kill('SIGUSR2');
  const line = () => /^memory (\{.*\})$/m.exec(written().slice(before))?.[1];
  while (line() === undefined && child.stderr) await once(child.stderr, 'data');
  return memorySchema.parse(JSON.parse(line() ?? ''));
}
