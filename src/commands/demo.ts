/**
 * `budget-mcp demo`: what this program is, seen within seconds. It starts the real server on the embedded service, as a
 * host would, asks it what people ask, and has it log a transaction and delete it again.
 */
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { wantsColour } from '../config/load-config.ts';
import { type Clock, dateOf, systemClock } from '../platform/clock.ts';

interface Arguments {
  readonly [name: string]: string | number | readonly Arguments[];
}

interface Question {
  readonly asks: string;
  readonly tool: string;
  /** Arguments; those whose names end in `_id` are given as a person says them and looked up by the server. */
  readonly with: Arguments;
  /** How many lines of the answer are enough to see. */
  readonly lines: number;
}

function questions(today: string): readonly Question[] {
  const yearAgo = `${Number(today.slice(0, 4)) - 1}${today.slice(4, 7)}-01`;
  return [
    {
      asks: 'How much is left for groceries this month?',
      tool: 'get_category',
      with: { category_id: 'groceries' },
      lines: 3,
    },
    { asks: 'What do I own, and what do I owe?', tool: 'list_accounts', with: {}, lines: 20 },
    {
      asks: 'What did I spend at the supermarket lately?',
      tool: 'list_payee_transactions',
      with: { payee_id: 'market', since_date: yearAgo, limit: 5 },
      lines: 6,
    },
    { asks: 'Which bills are coming?', tool: 'list_scheduled_transactions', with: {}, lines: 9 },
    { asks: 'How is this month going?', tool: 'get_month', with: { month: 'current' }, lines: 10 },
    {
      asks: 'What still needs a category?',
      tool: 'list_transactions',
      with: { type: 'uncategorized' },
      lines: 6,
    },
  ];
}

/** What a person has written, and takes back. */
function errands(today: string): readonly Question[] {
  const bread = {
    account_id: 'checking',
    date: today,
    amount: -4.5,
    payee_name: 'Corner Bakery',
    category_id: 'groceries',
    memo: 'Bread and coffee',
  };
  const balance = { tool: 'get_account', with: { account_id: 'checking' }, lines: 2 };
  return [
    { asks: 'What is in my checking account?', ...balance },
    {
      asks: 'I just paid 4.50 at the Corner Bakery. Log it.',
      tool: 'create_transactions',
      with: { transactions: [bread] },
      lines: 5,
    },
    {
      asks: 'No, my sister paid. Take it out again.',
      tool: 'delete_transaction',
      with: { transaction_id: 'corner bakery bread and coffee' },
      lines: 5,
    },
  ];
}

/** What runs the server: this very program. */
const server = {
  command: process.execPath,
  args: [...process.execArgv, process.argv[1] ?? '', 'serve', '--demo'],
};

export async function runDemo(
  out: NodeJS.WritableStream & { isTTY?: boolean },
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    wantsColour(out) ? styleText(format, text) : text;
  const say = (...lines: string[]) => out.write(`${lines.join('\n')}\n`);

  const client = new Client(
    { name: 'budget-mcp-demo', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    say(...indented(params.message, '? '), style('green', '  Yes. (The demo agrees on your behalf.)'));
    return { action: 'accept', content: {} };
  });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'inherit' }), { signal });
  try {
    say(
      '',
      style('bold', 'budget-mcp'),
      'An assistant asks, the server answers from an invented household.',
      '',
    );
    const today = dateOf(clock.now());
    for (const question of [...questions(today), ...errands(today)]) {
      const args = await lookUp(client, question.with, signal);
      say(style('bold', `▸ ${question.asks}`), style('cyan', `  ${question.tool} ${JSON.stringify(args)}`));
      const start = clock.now();
      const { content } = await client.callTool({ name: question.tool, arguments: args }, { signal });
      const took = clock.now() - start;
      say(
        ...excerpt(
          content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'),
          question.lines,
        ),
        style('dim', `  ${took} ms`),
        '',
      );
    }
    say(
      style('bold', 'Connect your assistant'),
      'Put this where your assistant keeps its MCP servers; leave out --demo once you have signed in.',
      JSON.stringify({ mcpServers: { budget: server } }, null, 2),
      '',
    );
  } finally {
    await client.close();
  }
}

/** As an assistant's host would: the server completes names to ids. */
async function lookUp(client: Client, said: Arguments, signal: AbortSignal): Promise<Arguments> {
  const { resourceTemplates } = await client.listResourceTemplates(undefined, { signal });
  const find = async (name: string, value: Arguments[string] = ''): Promise<Arguments[string]> => {
    if (typeof value === 'object') return Promise.all(value.map(findAll));
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes(`{${name}}`));
    if (!name.endsWith('_id') || !template) return value;
    const { completion } = await client.complete(
      { ref: { type: 'ref/resource', uri: template.uriTemplate }, argument: { name, value: String(value) } },
      { signal },
    );
    return completion.values[0] ?? value;
  };
  const findAll = async (row: Arguments): Promise<Arguments> => {
    const found = Object.entries(row).map(async ([name, value]) => [name, await find(name, value)] as const);
    return Object.fromEntries(await Promise.all(found));
  };
  return findAll(said);
}

const indented = (text: string, mark = '') =>
  text.split('\n').map((line, at) => `  ${at === 0 ? mark : ' '.repeat(mark.length)}${line}`);

function excerpt(text: string, most: number): string[] {
  const lines = indented(text);
  const rest = lines.length - most;
  return rest > 1 ? [...lines.slice(0, most), `  … ${rest} more lines`] : lines;
}
