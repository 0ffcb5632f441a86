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
import { count } from './table.ts';

/** The answers that a conversation most often begins with. */
const seven = [
  'list_accounts',
  'list_categories',
  'list_months',
  'get_month',
  'list_payees',
  'list_transactions',
  'list_scheduled_transactions',
];

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

/** The tables of the main rows, and of all. */
export async function tokens(transactions: number): Promise<{ readonly main: string; readonly all: string }> {
  const demo = await measureBudget({});
  const large = await measureBudget({ transactions });
  const row = (what: string, of: (measured: Measured) => number, bound: number) => {
    const missed = Math.max(of(demo), of(large)) <= bound ? '' : ' (**missed**)';
    return `| ${what} | ${count(of(demo))} | ${count(of(large))} | ${count(bound)}${missed} |`;
  };
  const table = (rows: readonly string[]) =>
    [
      `| tokens of | demo | with ${count(transactions)} transactions | at most |`,
      '| --- | --: | --: | --: |',
      ...rows,
    ].join('\n');
  const main = [
    row('the tool list: names, descriptions and inputs', ({ tools }) => tools, bounds.tools),
    row(
      'what a host with views adds: the picker of files in the tool list, and four answers with views',
      ({ addedByViews }) => addedByViews,
      bounds.views,
    ),
    row('the instructions', ({ instructions }) => instructions, bounds.instructions),
    row(
      `together: ${seven.join(', ')}`,
      ({ reads }) => seven.reduce((sum, name) => sum + (reads.get(name) ?? NaN), 0),
      bounds.sevenAnswers,
    ),
  ];
  const others = [
    ...[...demo.reads.keys()].map((name) =>
      row(`\`${name}\``, ({ reads }) => reads.get(name) ?? NaN, bounds.answer),
    ),
    ...[...demo.typical.keys()].map((what) =>
      row(what, ({ typical }) => typical.get(what) ?? NaN, bounds.answer),
    ),
  ];
  return { main: table(main), all: table([...main, ...others]) };
}

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
