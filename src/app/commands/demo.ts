/**
 * `budget-mcp demo`: shows within seconds what this program does. It starts the real server with the embedded service, as
 * a host would, and holds the conversation of the README with it: questions, a move of money, and a transaction to log.
 */
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { dayIn } from '../../base/calendar.ts';
import { systemClock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { SERVER_NAME } from '../hosts/host-table.ts';

const server = {
  command: process.execPath,
  args: [...process.execArgv, process.argv[1] ?? '', 'serve', '--demo'],
};

/** The category that lacks most, in the answer of `check_month`. */
const WORST_OVERSPENT = /^Overspent: [^:]*: "([^"]+)"/m;

export async function runDemo(out: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream: out });
  const print = (...lines: string[]) => out.write(`${lines.join('\n')}\n`);

  const client = new Client({ name: 'budget-mcp-demo', version: '1' });
  const say = (text: string) => print('', style('bold', `▸ ${text}`));

  /** Prints the whole answer, and returns it. */
  const call = async (name: string, args: JsonObject): Promise<string> => {
    print(style('cyan', `  ${name} ${JSON.stringify(args)}`));
    const { content } = await client.callTool({ name, arguments: args }, { signal });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const lines = text.split('\n');
    const source = lines.pop() ?? '';
    print(...lines.map(indented), style('dim', indented(source)));
    return text;
  };

  await client.connect(new StdioClientTransport({ ...server, stderr: 'inherit' }), { signal });
  try {
    print(
      style('bold', 'budget-mcp'),
      'An assistant (▸ is what you say) calls the tools; below each call is what it gets to read.',
    );

    say('How much is left for groceries this month?');
    await call('get_category', { category_id: 'Groceries' });

    say('What is overspent? Cover the largest part with money for the new bicycle.');
    const [, worst] = WORST_OVERSPENT.exec(await call('check_month', {})) ?? [];
    if (worst) await call('move_budgeted', { from: 'New Bicycle', to: worst });

    say('How much have I spent at Greenleaf Market this year, and how often?');
    const since = `${dayIn()(systemClock.now()).slice(0, 4)}-01`;
    await call('report', { of: 'spending', payee: 'Greenleaf Market', since });

    say('Log 4.50 for bread at the Corner Bakery, paid from checking, as groceries.');
    const bread = {
      account_id: 'Checking',
      date: 'today',
      amount: -4.5,
      payee_name: 'Corner Bakery',
      category_id: 'Groceries',
      memo: 'Bread',
    };
    await call('create_transactions', { transactions: [bread] });

    print(
      '',
      style('bold', 'Connect your assistant'),
      'Put this where it keeps its MCP servers, without "--demo" once you have signed in (`budget-mcp login`):',
      JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }),
    );
  } finally {
    await client.close();
  }
}

const indented = (line: string) => `  ${line}`;
