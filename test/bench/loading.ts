/**
 * Measures loading an export into a replica, compared with parsing its JSON, the first list, which is created when it is
 * first needed, and the memory of the replica.
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
  const used = heapInUse() - before;
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
      what: 'memory per transaction, including names and lists',
      measured: `${Math.round(used / rows)} bytes`,
      beside: `estimated by the cache: ${Math.round(replica.bytes / rows)}`,
      target: 'at most 1,024 bytes',
      met: used / rows <= 1024,
    },
  ];
}

function timeOfFirstList({ transactions }: BudgetReplica): number {
  const from = performance.now();
  transactions.list({});
  return performance.now() - from;
}

/** The bytes of reachable objects. */
export function heapInUse(): number {
  if (!gc) throw new Error('Start Node.js with --expose-gc.');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}
