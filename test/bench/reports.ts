/**
 * Measures answers that are computed from a whole budget of ten years, compared with a plain loop over the same rows: the
 * loop adds up amounts, with the least work that finds the same lines, and formats nothing. The answer includes the lookup
 * of names in the arguments and its text. Throws if an answer has another sum than the loop.
 */
import { z } from 'zod';
import type { ReadTool } from '../../src/answers/tool.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { ToolExecutor } from '../../src/mcp/tool-executor.ts';
import { schemasOf } from '../../src/mcp/tool-schemas.ts';
import type { BudgetReplica } from '../../src/model/replica/budget-replica.ts';
import type { Transaction } from '../../src/model/replica/entities.ts';
import { linesOf } from '../../src/model/sums/lines.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { inTurns } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row } from './table.ts';

const ROUNDS = { rounds: 5, warmUp: 2 };
const LIMIT = 3;

interface Case {
  readonly what: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The sum in the structured answer, in currency units. */
  readonly sumIn: z.ZodType<number>;
  /** The same sum in milliunits. */
  plain(rows: readonly Transaction[]): number;
}

const sumOfPage = z.object({ page: z.object({ sum: z.number() }) }).transform(({ page }) => page.sum);
const total = z.object({ total: z.number() }).transform((answer) => answer.total);

function casesOf({ transactions, categories, accounts }: BudgetReplica): readonly Case[] {
  const since = transactions.list({}).at(-1)?.date;
  const onBudget = new Set(accounts.list().flatMap(({ id, on_budget }) => (on_budget ? [id] : [])));
  const cash = new Set(
    accounts
      .list()
      .flatMap(({ id, on_budget, closed, type }) =>
        on_budget && !closed && ['checking', 'savings', 'cash'].includes(type) ? [id] : [],
      ),
  );
  const own = new Set(
    categories
      .list()
      .filter(({ category_group_name }) =>
        ['Internal Master Category', 'Credit Card Payments'].includes(category_group_name ?? ''),
      )
      .map(({ id }) => id),
  );
  return [
    {
      what: 'spending by category and month',
      tool: 'report',
      args: { of: 'spending', by: 'category', monthly: true, since },
      sumIn: total,
      plain: (rows) => spendingByCategoryAndMonth(rows, onBudget, own),
    },
    {
      what: 'a search for one word',
      tool: 'find_transactions',
      args: { text: 'butcher' },
      sumIn: sumOfPage,
      plain: (rows) => sumOfLinesWith(rows, ['butcher']),
    },
    {
      what: 'a search for two words, one of them in memos',
      tool: 'find_transactions',
      args: { text: 'butcher receipt' },
      sumIn: sumOfPage,
      plain: (rows) => sumOfLinesWith(rows, ['butcher', 'receipt']),
    },
    {
      what: 'a search for words with accents',
      tool: 'find_transactions',
      args: { text: 'cafe malmo' },
      sumIn: sumOfPage,
      plain: (rows) => sumOfLinesWith(rows, ['café', 'malmö']),
    },
    {
      what: 'the balances of the next months',
      tool: 'forecast',
      args: {},
      sumIn: z
        .object({ total: z.object({ balance: z.number() }) })
        .transform((answer) => answer.total.balance),
      plain: (rows) => sumByAccountAndDay(rows, cash),
    },
  ];
}

/** Adds up each cell of the table, and then the cells. */
function spendingByCategoryAndMonth(
  rows: readonly Transaction[],
  onBudget: ReadonlySet<string>,
  ownCategories: ReadonlySet<string>,
): number {
  const cells = new Map<string, Map<string, number>>();
  for (const row of rows) {
    if (!onBudget.has(row.account_id)) continue;
    const month = row.date.slice(0, 7);
    for (const { category_id, transfer_account_id, amount } of linesOf(row)) {
      if (category_id === null && transfer_account_id !== null) continue;
      const key = category_id ?? '';
      if (ownCategories.has(key)) continue;
      const months = cells.get(key) ?? new Map<string, number>();
      cells.set(key, months);
      months.set(month, (months.get(month) ?? 0) - amount);
    }
  }
  return [...cells.values()].flatMap((months) => [...months.values()]).reduce((sum, each) => sum + each, 0);
}

/** The balances are what all transactions of the accounts add up to. */
function sumByAccountAndDay(rows: readonly Transaction[], accounts: ReadonlySet<string>): number {
  const days = new Map<string, number>();
  for (const { account_id, date, amount } of rows) {
    if (!accounts.has(account_id)) continue;
    const key = `${account_id} ${date}`;
    days.set(key, (days.get(key) ?? 0) + amount);
  }
  return [...days.values()].reduce((sum, each) => sum + each, 0);
}

/** Looks for each word in the payee and the memo of each line. A leg also has those of its transaction. */
function sumOfLinesWith(rows: readonly Transaction[], words: readonly string[]): number {
  let sum = 0;
  for (const row of rows) {
    const payee = row.payee_name?.toLowerCase() ?? '';
    const memo = row.memo?.toLowerCase() ?? '';
    const isInRow = (word: string) => payee.includes(word) || memo.includes(word);
    for (const line of linesOf(row)) {
      const isInLeg = (word: string) =>
        line !== row &&
        (line.payee_name?.toLowerCase().includes(word) || line.memo?.toLowerCase().includes(word));
      if (words.every((word) => isInRow(word) || isInLeg(word))) sum += line.amount;
    }
  }
  return sum;
}

export async function reports(service: ServiceProcess): Promise<Row[]> {
  const { baseUrl, token, budgetId } = service;
  // The manual clock stands still, so that the cache does not become stale.
  const clock = new ManualClock(systemClock.now());
  const sender = new HttpSender({ clock });
  const tokens = fixedTokenProvider({ baseUrl, token });
  const client = new BudgetClient({ tokens, sender, clock, cacheBytes: 256 * 2 ** 20, budget: budgetId });
  const log = { error: ({ err }: { err: unknown }) => process.stderr.write(`${err}\n`) };
  const executor = new ToolExecutor({ client, log });
  const call = client.begin({});
  const replica = (await call.replica())?.replica;
  if (!replica) throw new Error('The budget is too large for the cache.');
  const rows: Row[] = [];
  for (const each of casesOf(replica)) rows.push(await compare(executor, replica, each));
  await sender.close();
  return rows;
}

async function compare(
  executor: ToolExecutor,
  { transactions }: BudgetReplica,
  { what, tool: name, args, sumIn, plain }: Case,
): Promise<Row> {
  const tool = readTool(name);
  const all = transactions.list({});
  const answer = async () => {
    const resolved = await executor.resolve(tool, schemasOf(tool).parse(args));
    return executor.read(resolved, { structured: false });
  };
  const [sum, expected] = [sumIn.parse((await answer()).data()), plain(all) / 1000];
  if (Math.abs(sum - expected) > 1e-6)
    throw new Error(`${what}: the sum is ${sum}, but a plain loop adds up ${expected}.`);
  const times = await inTurns({ answer, plain: () => plain(all) }, ROUNDS);
  const [ours, loop] = [times('answer').median, times('plain').median];
  return {
    what: `${what}, in ${count(all.length)} transactions (\`${name}\`)`,
    measured: `${(ours / loop).toFixed(2)} times as long: ${ms(ours)}`,
    beside: `a plain loop over the same rows: ${ms(loop)}`,
    target: `at most ${LIMIT} times`,
    met: ours <= LIMIT * loop,
  };
}

function readTool(name: string): ReadTool {
  const tool = catalogue.find((each) => each.name === name);
  if (tool?.kind !== 'read') throw new Error(`The catalogue has no tool ${name} that reads.`);
  return tool;
}
