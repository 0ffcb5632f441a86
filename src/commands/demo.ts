/**
 * `budget-mcp demo`: what this program is, seen within seconds. It starts the real server on the embedded service, as a
 * host would, and asks it what people ask.
 */
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Clock, dateOf, systemClock } from '../clock.ts';
import { wantsColour } from '../config.ts';

interface Question {
  readonly asks: string;
  readonly tool: string;
  /** Arguments; those whose names end in `_id` are given as a person says them and looked up by the server. */
  readonly with: Readonly<Record<string, string | number>>;
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

  const client = new Client({ name: 'budget-mcp-demo', version: '1' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'inherit' }), { signal });
  try {
    say(
      '',
      style('bold', 'budget-mcp'),
      'An assistant asks, the server answers from an invented household.',
      '',
    );
    for (const question of questions(dateOf(clock.now()))) {
      const args = await lookUp(client, question.with, signal);
      const start = clock.now();
      const { content } = await client.callTool({ name: question.tool, arguments: args }, { signal });
      const took = clock.now() - start;
      say(
        style('bold', `▸ ${question.asks}`),
        style('cyan', `  ${question.tool} ${JSON.stringify(args)}`),
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
async function lookUp(
  client: Client,
  said: Question['with'],
  signal: AbortSignal,
): Promise<Question['with']> {
  const { resourceTemplates } = await client.listResourceTemplates(undefined, { signal });
  const found = Object.entries(said).map(async ([name, value]) => {
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes(`{${name}}`));
    if (!name.endsWith('_id') || !template) return [name, value] as const;
    const { completion } = await client.complete(
      { ref: { type: 'ref/resource', uri: template.uriTemplate }, argument: { name, value: String(value) } },
      { signal },
    );
    return [name, completion.values[0] ?? value] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

function excerpt(text: string, most: number): string[] {
  const lines = text.split('\n').map((line) => `  ${line}`);
  const rest = lines.length - most;
  return rest > 1 ? [...lines.slice(0, most), `  … ${rest} more lines`] : lines;
}
