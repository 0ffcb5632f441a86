/**
 * Measures results from a cached budget through a real MCP client, compared with a constant tool of the bare SDK, and with a
 * shared store on another machine compared with none.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { connectTo, type Host, startHost } from './host.ts';
import { inTurns, type Times } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row } from './table.ts';

const DISTANCE_MS = 5;
/** Three requests to the store, one after the other. */
const MAX_DISTANT_MS = 20;

export async function warmAnswers(service: ServiceProcess): Promise<Row[]> {
  const { budget } = await service.export();
  const dates = budget.transactions.map(({ date }) => date).toSorted();
  const since_date = dates[Math.floor(dates.length / 10)] ?? '';
  const category_id = budget.categories.find(({ activity }) => activity !== 0)?.id ?? '';

  // The manual clock stands still, so that the cache does not become stale.
  const clock = new ManualClock(systemClock.now());
  const options = { clock, cacheBytes: 256 * 2 ** 20 };
  const host = await startHost(service, options);
  const distantHost = await startHost(service, {
    ...options,
    memory: new SharedMemory(),
    distanceMs: DISTANCE_MS,
  });
  const hosts = [host, distantHost];
  for (const each of hosts) {
    await each.call('list_accounts', {});
    await each.call('list_accounts', {});
  }
  const requests = () => hosts.map(({ spent }) => spent.requests).join();
  const warm = requests();
  const calls = [
    { name: 'list_accounts', args: {}, what: '`list_accounts`', limit: 1 },
    { name: 'get_category', args: { category_id }, what: '`get_category`', limit: 1 },
    {
      name: 'list_transactions',
      args: { since_date, limit: 50 },
      what: `\`list_transactions\`, 50 of the newest nine tenths of ${count(budget.transactions.length)}`,
      limit: 10,
    },
  ];
  const rows: Row[] = [];
  for (const call of calls) rows.push(await compare(host, call));
  for (const call of calls) rows.push(await compareDistant(distantHost, host, call));
  if (requests() !== warm) throw new Error('A result did not come from the cache.');
  for (const each of hosts) await each.close();
  return rows;
}

interface Call {
  readonly name: string;
  readonly args: JsonObject;
  readonly what: string;
  /** In milliseconds. */
  readonly limit: number;
}

async function compareDistant(distantHost: Host, host: Host, { name, args, what }: Call): Promise<Row> {
  const times = await inTurns(
    { distant: () => distantHost.call(name, args), near: () => host.call(name, args) },
    { rounds: 60, warmUp: 10 },
  );
  const above = times('distant').median - times('near').median;
  return {
    what: `the same with a shared store ${DISTANCE_MS} ms away: ${what}`,
    measured: `${ms(above)} above it: ${formatTimes(times('distant'))}`,
    beside: `without a shared store: ${formatTimes(times('near'))}`,
    target: `under ${MAX_DISTANT_MS} ms above it`,
    met: above < MAX_DISTANT_MS,
  };
}

async function compare(host: Host, { name, args, what, limit }: Call): Promise<Row> {
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
