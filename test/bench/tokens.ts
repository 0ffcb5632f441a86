/**
 * Counts the tokens that a model reads: the tool list, the instructions, every read with its required arguments, and
 * typical answers, on the demo data and on a large budget.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { dateOf, systemClock } from '../../src/base/clock.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { startService } from '../../src/service/server.ts';
import { decodeResponse } from '../../src/session/http/codec.ts';
import { type Budget, type Call, defaultReads } from '../every-call.helper.ts';
import { type Host, startHost } from './host.ts';
import { count, type Row } from './table.ts';

/** The tokens of the text and of the structured content of an answer on the demo data. */
interface Before {
  readonly text: number;
  readonly structured: number;
}

/** Measured at commit 8587167, when every answer had both and some hosts showed only one of them. */
const before: Readonly<Record<string, Before>> = {
  list_accounts: { text: 990, structured: 2_106 },
  list_categories: { text: 2_571, structured: 7_831 },
  list_months: { text: 1_331, structured: 1_453 },
  get_month: { text: 2_539, structured: 7_426 },
  list_payees: { text: 2_661, structured: 3_517 },
  list_transactions: { text: 5_428, structured: 12_023 },
  list_scheduled_transactions: { text: 2_081, structured: 3_145 },
};
const BEFORE_TOOL_LIST = 32_943;
const BEFORE_OUTPUT_SCHEMAS = 28_200;

/** The largest numbers of tokens that are wanted. */
const bounds = {
  answer: 2_000,
  instructions: 300,
  tools: 7_300,
  views: 400,
  sevenAnswers: 9_000,
};

/** Twelve common calls. The names are in the demo budget of every size. */
const typicalCalls = (today: string): readonly (Call & { readonly what: string })[] => {
  const bought = { account_id: 'Checking', date: today, amount: -12.34, payee_name: 'Corner Bakery' };
  const create = (what: string, row: object, dry_run = false) => ({
    what,
    name: 'create_transactions',
    args: { transactions: [row], dry_run },
  });
  return [
    { what: 'the balance of an account', name: 'get_account', args: { account_id: 'Checking' } },
    { what: 'what is left in a category', name: 'get_category', args: { category_id: 'Groceries' } },
    {
      what: 'a category in a month',
      name: 'get_month_category',
      args: { month: 'current', category_id: 'Groceries' },
    },
    { what: 'the spending of this month', name: 'list_month_transactions', args: { month: 'current' } },
    {
      what: 'the ten newest of a category',
      name: 'list_category_transactions',
      args: { category_id: 'Groceries', limit: 10 },
    },
    {
      what: 'what has to be approved',
      name: 'list_transactions',
      args: { type: 'unapproved' },
    },
    create('a dry run of a purchase', { ...bought, category_id: 'Groceries' }, true),
    create('a purchase', { ...bought, category_id: 'Groceries' }),
    create('a split purchase', {
      ...bought,
      subtransactions: [
        { amount: -10, category_id: 'Groceries' },
        { amount: -2.34, category_id: 'Household Goods' },
      ],
    }),
    create('a transfer', { ...bought, payee_name: 'Transfer : Savings' }),
    {
      what: 'money for a category',
      name: 'update_month_category',
      args: { month: 'current', category_id: 'Groceries', budgeted: 432.1 },
    },
    {
      what: 'a payee with another name',
      name: 'update_payee',
      args: { payee_id: 'Corner Bakery', name: 'Bakery' },
    },
  ];
};

interface Measured {
  readonly tools: number;
  readonly instructions: number;
  readonly reads: ReadonlyMap<string, number>;
  readonly typical: ReadonlyMap<string, number>;
  /** The tokens that a model reads more if its host shows views. */
  readonly addedByViews: number;
}

/** `main` are the rows that say most. */
export async function tokens(
  transactions: number,
): Promise<{ readonly main: readonly Row[]; readonly others: readonly Row[] }> {
  const demo = await measureBudget({});
  const large = await measureBudget({ transactions });
  const row = (what: string, of: (measured: Measured) => number, target: number, then = ''): Row => ({
    what,
    measured: `${count(of(demo))} tokens; with ${count(transactions)} transactions ${count(of(large))}`,
    beside: then,
    target: `at most ${count(target)}`,
    met: Math.max(of(demo), of(large)) <= target,
  });
  const sumOf = (values: Iterable<number>) => [...values].reduce((sum, each) => sum + each, 0);
  const ofSeven = ({ reads }: Measured) => sumOf(Object.keys(before).map((name) => reads.get(name) ?? NaN));
  const main = [
    row(
      'the tool list: names, descriptions and inputs',
      ({ tools }) => tools,
      bounds.tools,
      `before: ${count(BEFORE_TOOL_LIST)}, of which output schemas ${count(BEFORE_OUTPUT_SCHEMAS)}`,
    ),
    {
      what: 'what a host with views adds: the tool list with the picker of files, and four answers with views',
      measured: `${count(demo.addedByViews)} tokens; with ${count(transactions)} transactions ${count(large.addedByViews)}`,
      beside: 'the same for a host without views',
      target: `at most ${count(bounds.views)}`,
      met: Math.max(demo.addedByViews, large.addedByViews) <= bounds.views,
    },
    row('the instructions', ({ instructions }) => instructions, bounds.instructions),
    row(
      `together: ${Object.keys(before).join(', ')}`,
      ofSeven,
      bounds.sevenAnswers,
      formatBefore({
        text: sumOf(Object.values(before).map(({ text }) => text)),
        structured: sumOf(Object.values(before).map(({ structured }) => structured)),
      }),
    ),
  ];
  const others = [
    ...[...demo.reads.keys()].map((name) =>
      row(
        `\`${name}\` as it is by default`,
        ({ reads }) => reads.get(name) ?? NaN,
        bounds.answer,
        formatBefore(before[name]),
      ),
    ),
    ...[...demo.typical.keys()].map((what) =>
      row(`a typical answer: ${what}`, ({ typical }) => typical.get(what) ?? NaN, bounds.answer),
    ),
  ];
  return { main, others };
}

const formatBefore = (measured: Before | undefined) =>
  measured ? `before: text ${count(measured.text)}, structured ${count(measured.structured)}` : '';

async function measureBudget(size: { readonly transactions?: number }): Promise<Measured> {
  const clock = systemClock;
  const service = await startService({ clock, rateLimit: 1_000_000, ...size });
  const budgetId = service.user.ledgers[0]?.id ?? '';
  const { baseUrl, accessToken: token } = service;
  const options = { clock, cacheBytes: 256 * 2 ** 20 };
  const host = await startHost({ baseUrl, token, budgetId }, options);
  const hostWithViews = await startHost({ baseUrl, token, budgetId }, { ...options, views: true });
  try {
    const { tools } = await host.client.listTools();
    const budget = await exportOf(`${baseUrl}/budgets/${budgetId}`, token);
    const reads = new Map<string, number>();
    for (const call of defaultReads(budget)) reads.set(call.name, await tokensOf(host, call));
    const typical = new Map<string, number>();
    for (const { what, ...call } of typicalCalls(dateOf(clock.now())))
      typical.set(what, await tokensOf(host, call));
    const inputs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return {
      tools: countTokens(JSON.stringify(inputs)),
      instructions: countTokens(host.client.getInstructions() ?? ''),
      reads,
      typical,
      addedByViews: (await tokensWithViews(hostWithViews)) - (await tokensWithViews(host)),
    };
  } finally {
    await host.close();
    await hostWithViews.close();
    await service.close();
  }
}

const callsWithViews: readonly Call[] = [
  { name: 'report', args: { of: 'spending', by: 'category' } },
  { name: 'check_month', args: {} },
  { name: 'find_transactions', args: {} },
  { name: 'move_budgeted', args: { from: 'Emergency Fund', to: 'Hobbies', amount: 1, dry_run: true } },
];

/** The tokens of what hosts pass to a model: everything except `_meta`, and except the time of an answer. */
async function tokensWithViews({ client, call }: Host): Promise<number> {
  const { tools } = await client.listTools();
  const texts = [JSON.stringify(tools.map(({ _meta, ...tool }) => tool))];
  for (const { name, args } of callsWithViews) {
    const { _meta, ...result } = await call(name, args);
    texts.push(JSON.stringify(result).replace(/As of .*? requests left\./, ''));
  }
  return countTokens(texts.join('\n'));
}

async function exportOf(url: string, token: string): Promise<Budget> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return decodeResponse(getBudget, { status: response.status, headers: {}, body: await response.text() })
    .budget;
}

async function tokensOf(host: Host, { name, args }: Call): Promise<number> {
  const { content } = await host.call(name, args);
  return countTokens(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
}
