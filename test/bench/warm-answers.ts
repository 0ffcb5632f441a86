/** Measures results from a cached budget through a real MCP client, compared with a constant tool of the bare SDK. */
import { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '../../src/platform/clock.ts';
import type { JsonObject } from '../../src/platform/json.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { connectTo, type Host, startHost } from './host.ts';
import { inTurns, type Times } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row } from './table.ts';

export async function warmAnswers(service: ServiceProcess): Promise<Row[]> {
  const { budget } = await service.export();
  const dates = budget.transactions.map(({ date }) => date).toSorted();
  const since_date = dates[Math.floor(dates.length / 10)] ?? '';
  const category_id = budget.categories.find(({ activity }) => activity !== 0)?.id ?? '';

  // The manual clock stands still, so that the cache does not become stale.
  const clock = new ManualClock(systemClock.now());
  const host = await startHost(service, { clock, cacheBytes: 256 * 2 ** 20 });
  await host.call('list_accounts', {});
  await host.call('list_accounts', {});
  const warm = host.spent.requests;
  const rows = [
    await compare(host, 'list_accounts', {}, { what: '`list_accounts`', limit: 1 }),
    await compare(host, 'get_category', { category_id }, { what: '`get_category`', limit: 1 }),
    await compare(
      host,
      'list_transactions',
      { since_date, limit: 50 },
      {
        what: `\`list_transactions\`, 50 of the newest nine tenths of ${count(budget.transactions.length)}`,
        limit: 10,
      },
    ),
  ];
  if (host.spent.requests !== warm) throw new Error('A result did not come from the cache.');
  await host.close();
  return rows;
}

async function compare(
  host: Host,
  name: string,
  args: JsonObject,
  { what, limit }: { readonly what: string; readonly limit: number },
): Promise<Row> {
  const { content } = await host.call(name, args);
  const server = new McpServer({ name: 'bare', version: '0.0.0' });
  server.registerTool('constant', {}, () => ({ content }));
  const bare = await connectTo(server.server);
  const times = await inTurns(
    { warm: () => host.call(name, args), bare: () => bare.callTool({ name: 'constant', arguments: {} }) },
    { rounds: 300, warmUp: 50 },
  );
  await bare.close();
  const above = times('warm').median - times('bare').median;
  return {
    what: `a warm answer: ${what}`,
    measured: `${ms(above)} above it: ${formatTimes(times('warm'))}`,
    beside: `a tool of the bare SDK that returns the same: ${formatTimes(times('bare'))}`,
    target: `under ${limit} ms above it`,
    met: above < limit,
  };
}

const formatTimes = ({ median, p99 }: Times) => `${ms(median)}, p99 ${ms(p99)}`;
