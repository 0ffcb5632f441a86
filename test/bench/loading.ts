/**
 * Measures loading an export into a replica in turns of the event loop, compared with parsing its JSON at once, how long other
 * work waits meanwhile, and the memory of the replica.
 */

import { dateOf, systemClock } from '../../src/base/clock.ts';
import { inTurns as inTurnsOfLoop } from '../../src/base/turns.ts';
import { BudgetReplica } from '../../src/model/replica/budget-replica.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { decodeInSteps, redactionOf } from '../../src/session/http/codec.ts';
import { startHost } from './host.ts';
import { longestPause } from './pauses.ts';
import { inTurns, timesOf } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row, size } from './table.ts';

const PAUSE_ROUNDS = 5;
const MAX_PAUSE_MS = 50;

export async function loading(service: ServiceProcess): Promise<Row[]> {
  const { body, ...response } = await service.request('');
  const bytes = Buffer.from(body);
  const today = dateOf(systemClock.now());
  const redact = redactionOf(service.token);
  const load = async () => {
    const data = await inTurnsOfLoop(decodeInSteps(getBudget, { ...response, body: bytes }, { redact }));
    return BudgetReplica.loadInTurns(data, today);
  };
  const parse = () => JSON.parse(body);
  const parseBytes = () => JSON.parse(bytes.toString('utf8'));
  const times = await inTurns({ load, parse, parseBytes }, { rounds: 15, warmUp: 3 });
  const [loaded, parsed] = [times('load').median, times('parse').median];
  const pauses = await pausesOf(service, parse);

  const before = heapInUse();
  const replica = await load();
  const rows = replica.transactions.list({}).length;
  const used = heapInUse() - before;
  const ratio = loaded / parsed;
  return [
    {
      what: `loading ${count(rows)} transactions (${size(bytes.length)}), with their lists`,
      measured: `${ratio.toFixed(2)} times as long: ${ms(loaded)}`,
      beside: `\`JSON.parse\` of the same text: ${ms(parsed)}; of its bytes: ${ms(times('parseBytes').median)}`,
      target: 'at most 2 times',
      met: ratio <= 2,
    },
    {
      what: `the longest pause of the program for other calls while it loads ${count(rows)} transactions`,
      measured: ms(pauses.load),
      beside: `\`JSON.parse\` of the same: ${ms(pauses.parse)}`,
      target: `at most ${MAX_PAUSE_MS} ms`,
      met: pauses.load <= MAX_PAUSE_MS,
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

/** The medians. A load is the first answer of a new server, from the request to the service on. */
async function pausesOf(service: ServiceProcess, parse: () => unknown) {
  const pauses: { load: number; parse: number }[] = [];
  // The first round loads the modules that a request needs, and is not counted.
  for (let round = 0; round <= PAUSE_ROUNDS; round += 1) {
    const host = await startHost(service, { clock: systemClock, cacheBytes: 256 * 2 ** 20 });
    const load = await longestPause(() => host.call('list_accounts', {}));
    await host.close();
    pauses.push({ load, parse: await longestPause(async () => parse()) });
  }
  const median = (name: 'load' | 'parse') => timesOf(pauses.slice(1).map((each) => each[name])).median;
  return { load: median('load'), parse: median('parse') };
}

/** The bytes of reachable objects. */
export function heapInUse(): number {
  if (!gc) throw new Error('Start Node.js with --expose-gc.');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}
