/**
 * Measures the requests of a conversation: twelve turns of five concurrent calls, a minute apart, with every kind of read
 * in turn. Another app changes the budget between the turns. The same calls go to a server without a cache, whose results
 * are the expected ones.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { operations } from '../../src/operations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { JsonObject } from '../../src/platform/json.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { type Budget, changeElsewhere } from './changes-elsewhere.ts';
import { type CallResult, type Host, startHost } from './host.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, type Row, size } from './table.ts';

const TURNS = 12;
const CALLS = 5;
const TURN_MS = 60_000;

const reads = operations.filter(({ kind }) => kind === 'read');
const readOf = (call: number) => reads[call % reads.length];

export async function conversation(service: ServiceProcess): Promise<Row[]> {
  const clock = new ManualClock(systemClock.now());
  const cached = await startHost(service, { clock, cacheBytes: 256 * 2 ** 20, structured: true });
  const uncached = await startHost(service, { clock, cacheBytes: 0, structured: true });
  let correct = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { budget } = await service.export();
    const calls = Array.from({ length: CALLS }, (_, i) => toolCall(turn * CALLS + i, budget));
    const callAll = (host: Host) => Promise.all(calls.map(({ name, args }) => host.call(name, args)));
    const [results, expected] = [await callAll(cached), await callAll(uncached)];
    for (const [i, { name, args }] of calls.entries()) {
      if (isSameData(dataOf(results[i]), dataOf(expected[i]))) correct += 1;
      else process.stderr.write(`${name} ${JSON.stringify(args)} differs in turn ${turn + 1}\n`);
    }
    await changeElsewhere(service, budget, turn);
    clock.advance(TURN_MS);
  }
  await Promise.all([cached.close(), uncached.close()]);
  const calls = TURNS * CALLS;
  // Exports lack money movements, and the budget has changed in every turn.
  const movements = Array.from({ length: calls }, (_, call) => readOf(call)?.isCachedByKnowledge).filter(
    Boolean,
  );
  // The list of budgets, the user, one load, and a delta in each of the other turns.
  const target = TURNS + 2 + movements.length;
  return [
    {
      what: `a conversation of ${TURNS} turns of ${CALLS} concurrent calls of every kind of read, with changes in between`,
      measured: formatCost(cached.spent),
      beside: `without a cache: ${formatCost(uncached.spent)}`,
      target: `at most ${target} requests, ${movements.length} of them for money movements`,
      met: cached.spent.requests <= target,
    },
    {
      what: 'its results that equal those of the service at that moment',
      measured: `${correct} of ${calls}`,
      beside: '',
      target: 'all',
      met: correct === calls,
    },
  ];
}

const formatCost = ({ requests, bytes }: { requests: number; bytes: number }) =>
  `${count(requests)} requests, ${size(bytes)}`;

interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** Calls every kind of read in turn, each time with other ids. */
function toolCall(call: number, budget: Budget): ToolCall {
  const at = <T>(list: readonly T[]) => list[(call * 7) % list.length];
  const entities: Readonly<Record<string, readonly { readonly id: string }[]>> = {
    account_id: budget.accounts,
    category_id: budget.categories,
    payee_id: budget.payees,
    payee_location_id: budget.payee_locations,
    transaction_id: budget.transactions,
    scheduled_transaction_id: budget.scheduled_transactions,
  };
  const { name = '', input } = readOf(call) ?? {};
  const args = Object.keys(input?.shape ?? {}).flatMap((parameter) => {
    if (parameter === 'month') return [[parameter, 'current']];
    const rows = entities[parameter];
    return rows ? [[parameter, at(rows)?.id]] : [];
  });
  return { name, args: Object.fromEntries(args) };
}

const fields = z.record(z.string(), z.unknown());

/**
 * The data without its freshness. Pages differ in length, since a page is cut by the length of its text: the rows that both
 * have are compared, and the totals. Texts differ, because ids can only be abbreviated in a cached
 * budget.
 */
function dataOf(result: CallResult | undefined): Record<string, unknown> {
  const { freshness: _, ...data } = fields.parse(result?.structuredContent);
  return data;
}

const pageSchema = z.object({ page: z.object({ total: z.number(), sum: z.number().optional() }).optional() });

function isSameData(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  if (!isDeepStrictEqual(pageSchema.parse(one), pageSchema.parse(other))) return false;
  return Object.keys({ ...one, ...other }).every((name) => {
    const [a, b] = [one[name], other[name]];
    if (name === 'page') return true;
    if (!Array.isArray(a) || !Array.isArray(b)) return isDeepStrictEqual(a, b);
    const length = Math.min(a.length, b.length);
    return isDeepStrictEqual(a.slice(0, length), b.slice(0, length)) && (length > 0 || a.length === b.length);
  });
}
