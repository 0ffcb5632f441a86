/**
 * Eight server programs of one user that share a state and a token, and a service program that allows 200 requests an hour.
 * Each host asks all the time. What is expected of their requests is in `problemsOf`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { type Called, connectLegacy, type Host, program } from './hosts.helper.ts';

const PROGRAMS = 8;
const LIMIT = 200;
const RESERVE = 20;
const WRITES = 6;
const REFUSALS = 3;

export interface AskingOptions {
  /** At least. All go on until every write is made, and until each program that syncs was refused several times. */
  readonly seconds: number;
  /** How often each host asks. */
  readonly everyMs: number;
  /** Each `sync` costs a request. Most `questions` are answered from the cache. */
  readonly asking: 'sync' | 'questions';
}

export interface Exchange {
  /** Such as `GET /v1/budgets`. */
  readonly route: string;
  readonly status: number;
}

export interface Asked {
  readonly exchanges: readonly Exchange[];
  /** For each program: the answers, the refusals because of the hour's requests, and the loads and syncs of the budget. */
  readonly answered: readonly number[];
  readonly refused: readonly number[];
  readonly synced: readonly number[];
  readonly writes: number;
  /** Results that were expected in no case. */
  readonly failures: readonly string[];
  /** From the first question to the last. */
  readonly elapsedMs: number;
}

/** Runs the programs for that time. */
export async function askByEightPrograms(options: AskingOptions): Promise<Asked> {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-programs-'));
  const service = await startService();
  const exchanges: Exchange[] = [];
  const proxy = await startProxy(service.app_url, (exchange) => exchanges.push(exchange));
  const env = {
    BUDGET_MCP_BASE_URL: `${proxy.url}/v1`,
    BUDGET_MCP_TOKEN: service.access_token,
    BUDGET_MCP_NO_STATE: 'false',
    BUDGET_MCP_STATE_DIR: join(directory, 'state'),
  };
  const hosts: Host[] = [];
  try {
    for (let program = 0; program < PROGRAMS; program += 1)
      hosts.push(await connectLegacy({ args: ['serve'], env }));
    return { exchanges, ...(await ask(hosts, options)) };
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
    proxy.close();
    service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const accounts = z.object({ accounts: z.array(z.object({ id: z.string() })).min(1) });
const status = z.object({
  cache: z.object({ syncs: z.number(), loads: z.number() }),
  state: z.object({ shared: z.literal(true) }),
});

async function ask(
  hosts: readonly Host[],
  { seconds, everyMs, asking }: AskingOptions,
): Promise<Omit<Asked, 'exchanges'>> {
  const answered = hosts.map(() => 0);
  const refused = hosts.map(() => 0);
  const failures: string[] = [];
  let writes = 0;
  const [account_id] = accounts
    .parse((await hosts[0]?.call('list_accounts'))?.structured)
    .accounts.map(({ id }) => id);
  const begunAt = performance.now();
  const endsAt = begunAt + seconds * 1_000;
  let nextWriteAt = begunAt;

  const record = (who: number, { isError, text }: Called) => {
    if (!isError) answered[who] = (answered[who] ?? 0) + 1;
    else if (text.includes('The next request')) refused[who] = (refused[who] ?? 0) + 1;
    else failures.push(text);
  };
  const isEnough = (who: number) =>
    writes >= WRITES && (asking === 'questions' || (refused[who] ?? 0) >= REFUSALS);
  /** One write after the other, each by another program. */
  async function writeIfDue(host: Host, who: number): Promise<void> {
    if (writes >= WRITES || who !== writes % PROGRAMS || performance.now() < nextWriteAt) return;
    nextWriteAt += (seconds * 1_000) / WRITES;
    const transaction = { account_id, date: 'today', amount: -1 - writes, payee_name: 'Corner Bakery' };
    const { isError, text } = await host.call('create_transactions', { transactions: [transaction] });
    if (isError) failures.push(text);
    writes += 1;
  }

  await Promise.all(
    hosts.map(async (host, who) => {
      for (let asked = 0; performance.now() < endsAt || !isEnough(who); asked += 1) {
        const startedAt = performance.now();
        if (asking === 'sync') record(who, await host.call('refresh_budget'));
        else record(who, await host.call(questions[asked % questions.length] ?? ''));
        await writeIfDue(host, who);
        await setTimeout(Math.max(everyMs - (performance.now() - startedAt), 0));
      }
    }),
  );
  const elapsedMs = performance.now() - begunAt;
  const synced: number[] = [];
  for (const host of hosts) {
    const { cache } = status.parse((await host.call('get_status')).structured);
    synced.push(cache.syncs + cache.loads);
  }
  return { answered, refused, synced, writes, failures, elapsedMs };
}

const questions = ['list_accounts', 'list_transactions', 'list_categories', 'list_payees', 'get_user'];

/** What is wrong with the requests of such a run. */
export function problemsOf(
  { exchanges, answered, refused, synced, writes, failures, elapsedMs }: Asked,
  { asking }: AskingOptions,
): string[] {
  const problems = failures.map((text) => `failed: ${text}`);
  const expect = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(problem);
  };
  const refusals = exchanges.filter(({ status }) => status === 429).length;
  const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + each, 0);
  const others = exchanges.filter(({ route }) => /\/v1\/(budgets|user)$/.test(route)).length;
  const reads = sum(synced) + others;
  expect(refusals === 0, `${refusals} responses have status 429`);
  expect(exchanges.length <= LIMIT, `${exchanges.length} requests were sent`);
  // The first read after a write may use the reserve, so that its program sees the change.
  expect(reads <= LIMIT - RESERVE + writes, `${reads} reads were sent`);
  if (asking === 'sync') {
    expect(reads >= 0.9 * (LIMIT - RESERVE) - 2 * writes, `only ${reads} reads were sent`);
    // A program that asks while another one syncs gets its answer from that, and sends nothing.
    const least = sum(answered) / PROGRAMS / 2;
    expect(Math.min(...answered) >= least, `the programs got ${answered} answers, with ${synced} syncs`);
  } else {
    expect(Math.max(...refused) === 0, `${refused} questions were refused`);
    expect(Math.min(...answered) > 0, `the programs answered ${answered} questions`);
    // The list of budgets, the user and a load, then at most a delta each five seconds, and a write has up to four. Programs
    // that ask at the same moment may send the same request.
    const most = 3 + elapsedMs / 5_000 + 4 * writes + PROGRAMS;
    expect(exchanges.length <= most, `${exchanges.length} requests were sent, ${most} should be enough`);
  }
  return problems;
}

const greeting = z.object({ app_url: z.string(), access_token: z.string() });

async function startService() {
  const args = ['service', '--transactions', '500', '--rate-limit', String(LIMIT)];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return {
    ...greeting.parse(JSON.parse(String(line))),
    stop: () => {
      child.kill();
    },
  };
}

/** Passes requests on to the service. */
async function startProxy(origin: string, onResponse: (exchange: Exchange) => void) {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = request(origin + url, { method, headers: { ...headers, connection: 'close' } });
    onward.on('error', (error) => outgoing.destroy(error));
    onward.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      onResponse({ route: `${method} ${url}`, status });
      outgoing.writeHead(status, { ...response.headers, connection: 'close' });
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
