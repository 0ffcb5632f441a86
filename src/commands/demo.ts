/**
 * `budget-mcp demo`: shows within seconds what this program does. It starts the real server with the embedded service, as
 * a host would, asks it typical questions, and lets it log a transaction and delete it again.
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
  readonly text: string;
  readonly tool: string;
  /** Values of names that end in `_id` are given in words. The server completes them to ids. */
  readonly args: Arguments;
  /** How many lines of the answer are shown. */
  readonly lines: number;
}

function questions(today: string): readonly Question[] {
  const yearAgo = `${Number(today.slice(0, 4)) - 1}${today.slice(4, 7)}-01`;
  return [
    {
      text: 'How much is left for groceries this month?',
      tool: 'get_category',
      args: { category_id: 'groceries' },
      lines: 3,
    },
    { text: 'What do I own, and what do I owe?', tool: 'list_accounts', args: {}, lines: 20 },
    {
      text: 'What did I spend at the supermarket lately?',
      tool: 'list_payee_transactions',
      args: { payee_id: 'market', since_date: yearAgo, limit: 5 },
      lines: 6,
    },
    { text: 'Which bills are coming?', tool: 'list_scheduled_transactions', args: {}, lines: 9 },
    { text: 'How is this month going?', tool: 'get_month', args: { month: 'current' }, lines: 10 },
    {
      text: 'What still needs a category?',
      tool: 'list_transactions',
      args: { type: 'uncategorized' },
      lines: 6,
    },
  ];
}

/** A transaction that is logged and deleted again. */
function writes(today: string): readonly Question[] {
  const bread = {
    account_id: 'checking',
    date: today,
    amount: -4.5,
    payee_name: 'Corner Bakery',
    category_id: 'groceries',
    memo: 'Bread and coffee',
  };
  const balance = { tool: 'get_account', args: { account_id: 'checking' }, lines: 2 };
  return [
    { text: 'What is in my checking account?', ...balance },
    {
      text: 'I just paid 4.50 at the Corner Bakery. Log it.',
      tool: 'create_transactions',
      args: { transactions: [bread] },
      lines: 5,
    },
    {
      text: 'No, my sister paid. Take it out again.',
      tool: 'delete_transaction',
      args: { transaction_id: 'corner bakery bread and coffee' },
      lines: 5,
    },
  ];
}

/** The command that runs this program as a server. */
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
  const print = (...lines: string[]) => out.write(`${lines.join('\n')}\n`);

  const client = new Client(
    { name: 'budget-mcp-demo', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    print(...indented(params.message, '? '), style('green', '  Yes. (The demo agrees on your behalf.)'));
    return { action: 'accept', content: {} };
  });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'inherit' }), { signal });
  try {
    print(
      '',
      style('bold', 'budget-mcp'),
      'An assistant asks, the server answers from an invented household.',
      '',
    );
    const today = dateOf(clock.now());
    for (const question of [...questions(today), ...writes(today)]) {
      const args = await completeIds(client, question.args, signal);
      print(style('bold', `▸ ${question.text}`), style('cyan', `  ${question.tool} ${JSON.stringify(args)}`));
      const start = clock.now();
      const { content } = await client.callTool({ name: question.tool, arguments: args }, { signal });
      const took = clock.now() - start;
      print(
        ...excerpt(
          content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'),
          question.lines,
        ),
        style('dim', `  ${took} ms`),
        '',
      );
    }
    print(
      style('bold', 'Connect your assistant'),
      'Put this where your assistant keeps its MCP servers; leave out --demo once you have signed in.',
      JSON.stringify({ mcpServers: { budget: server } }, null, 2),
      '',
    );
  } finally {
    await client.close();
  }
}

/** Completes names to ids by the server's completions, as a host would. */
async function completeIds(client: Client, args: Arguments, signal: AbortSignal): Promise<Arguments> {
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
  return findAll(args);
}

const indented = (text: string, mark = '') =>
  text.split('\n').map((line, at) => `  ${at === 0 ? mark : ' '.repeat(mark.length)}${line}`);

function excerpt(text: string, most: number): string[] {
  const lines = indented(text);
  const rest = lines.length - most;
  return rest > 1 ? [...lines.slice(0, most), `  … ${rest} more lines`] : lines;
}
