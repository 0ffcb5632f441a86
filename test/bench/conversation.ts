/**
 * Measures the requests of a conversation: twelve turns of five concurrent calls, a minute apart, with every kind of read
 * in turn. Another app changes the budget between the turns. The same calls go to a server without a cache, whose results
 * are the expected ones. And they go to eight processes that share a state, turn by turn to the next one.
 */
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { operations } from '../../src/operations/index.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { type Budget, changeElsewhere } from './changes-elsewhere.ts';
import { type CallResult, type Host, startHost } from './host.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, type Row, size } from './table.ts';

const TURNS = 12;
const CALLS = 5;
const TURN_MS = 60_000;
const PROCESSES = 8;
/** More than one process needs. */
const MORE_REQUESTS = 2;

const reads = operations.filter(({ kind }) => kind === 'read');
const readOf = (call: number) => reads[call % reads.length];

export async function conversation(service: ServiceProcess): Promise<Row[]> {
  const clock = new ManualClock(systemClock.now());
  const cached = await startHost(service, { clock, cacheBytes: 256 * 2 ** 20, structured: true });
  const uncached = await startHost(service, { clock, cacheBytes: 0, structured: true });
  const memory = new SharedMemory();
  const processes: Host[] = [];
  for (let process = 0; process < PROCESSES; process += 1)
    processes.push(await startHost(service, { clock, cacheBytes: 256 * 2 ** 20, structured: true, memory }));
  let [correct, correctOfEight] = [0, 0];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { budget } = await service.export();
    const calls = Array.from({ length: CALLS }, (_, i) => toolCall(turn * CALLS + i, budget));
    const callAll = (host: Host) => Promise.all(calls.map(({ name, args }) => host.call(name, args)));
    const [results, expected] = [await callAll(cached), await callAll(uncached)];
    const next = processes[turn % PROCESSES];
    const resultsOfEight = next ? await callAll(next) : [];
    for (const [i, { name, args }] of calls.entries()) {
      const isCorrect = (result?: CallResult) => isSameData(dataOf(result), dataOf(expected[i]));
      if (isCorrect(results[i])) correct += 1;
      else process.stderr.write(`${name} ${JSON.stringify(args)} differs in turn ${turn + 1}\n`);
      if (isCorrect(resultsOfEight[i])) correctOfEight += 1;
      else process.stderr.write(`${name} ${JSON.stringify(args)} differs in process ${turn % PROCESSES}\n`);
    }
    await changeElsewhere(service, budget, turn);
    clock.advance(TURN_MS);
  }
  await Promise.all([cached, uncached, ...processes].map((host) => host.close()));
  const spentByEight = {
    requests: sumOf(processes, ({ spent }) => spent.requests),
    bytes: sumOf(processes, ({ spent }) => spent.bytes),
  };
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
    {
      what: `the same conversation, each turn in the next of ${PROCESSES} processes that share a state`,
      measured: `${formatCost(spentByEight)}; ${correctOfEight} of ${calls} results equal those of the service`,
      beside: `in one process: ${formatCost(cached.spent)}`,
      target: `at most ${MORE_REQUESTS} requests more, all results equal`,
      met: spentByEight.requests <= cached.spent.requests + MORE_REQUESTS && correctOfEight === calls,
    },
  ];
}

const sumOf = <Item>(items: readonly Item[], number: (item: Item) => number) =>
  items.reduce((sum, item) => sum + number(item), 0);

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

const pageSchema = z.object({
  total: z.number(),
  sum: z.number().optional(),
});

const dataSchema = z.object({ page: pageSchema.optional() }).catchall(z.unknown());

type Data = z.output<typeof dataSchema>;

/** The data without its freshness. Texts differ, because ids can only be abbreviated in a cached budget. */
function dataOf(result: CallResult | undefined): Data {
  const { freshness: _, ...data } = dataSchema.parse(result?.structuredContent);
  return data;
}

/**
 * Pages differ in length, since a page is cut by the length of its text. The rows that both have are compared, and the
 * lengths and sums of the whole lists.
 */
function isSameData(one: Data, other: Data): boolean {
  const { page: onePage, ...oneFields } = one;
  const { page: otherPage, ...otherFields } = other;
  return onePage?.sum === otherPage?.sum && isSameValue(oneFields, otherFields);

  function isSameValue(a: unknown, b: unknown, name = ''): boolean {
    if (Array.isArray(a) && Array.isArray(b)) {
      const isSameLength = wholeLength(a, name, one) === wholeLength(b, name, other);
      const isEmpty = a.length === 0 || b.length === 0;
      return isSameLength && (!isEmpty || a.length === b.length) && haveSameRows(a, b);
    }
    if (!isJsonObject(a) || !isJsonObject(b)) return Object.is(a, b);
    return Object.keys({ ...a, ...b }).every((field) => isSameValue(a[field], b[field], field));
  }

  function haveSameRows(a: readonly unknown[], b: readonly unknown[]): boolean {
    return a.slice(0, b.length).every((row, index) => isSameValue(row, b[index]));
  }
}

/** The number of rows on all pages. The pages of a month are of its categories. */
function wholeLength(rows: readonly unknown[], name: string, { page, ...fields }: Data): number {
  const isPaged = isJsonObject(fields['month']) ? name === 'categories' : name in fields;
  return page && isPaged ? page.total : rows.length;
}
