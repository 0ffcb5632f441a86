/**
 * Making a replica of an export, against merely reading its JSON; the lists, which are made when they are first asked
 * for; and what the replica takes of memory.
 */
import { decodeResponse } from '../../src/client/codec.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { dateOf, systemClock } from '../../src/platform/clock.ts';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { inTurns, timesOf } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row, size } from './table.ts';

export async function loading(service: ServiceProcess): Promise<Row[]> {
  const response = await service.request('');
  const today = dateOf(systemClock.now());
  const load = () => BudgetReplica.load(decodeResponse(getBudget, response), today);
  const times = await inTurns({ load, parse: () => JSON.parse(response.body) }, { rounds: 15, warmUp: 3 });
  const [loaded, parsed] = [times('load').median, times('parse').median];

  const firstLists = timesOf(Array.from({ length: 5 }, () => timeOfFirstList(load())));

  const before = heapInUse();
  const replica = load();
  const rows = replica.transactions.list({}).length;
  const held = heapInUse() - before;
  const ratio = loaded / parsed;
  return [
    {
      what: `loading ${count(rows)} transactions (${size(Buffer.byteLength(response.body))})`,
      measured: `${ratio.toFixed(2)} times as long: ${ms(loaded)}; then ${ms(firstLists.median)} for the first list`,
      beside: `\`JSON.parse\` of the same: ${ms(parsed)}`,
      target: 'at most 2 times',
      met: ratio <= 2,
    },
    {
      what: 'memory for each transaction, names and lists included',
      measured: `${Math.round(held / rows)} bytes`,
      beside: `estimated at ${Math.round(replica.bytes / rows)} when budgets are cached`,
      target: 'at most 1,024 bytes',
      met: held / rows <= 1024,
    },
  ];
}

function timeOfFirstList({ transactions }: BudgetReplica): number {
  const from = performance.now();
  transactions.list({});
  return performance.now() - from;
}

/** In bytes, of what is reachable. */
function heapInUse(): number {
  if (!gc) throw new Error('Start it with --expose-gc.');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}
