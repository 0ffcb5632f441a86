/**
 * What a conversation costs: twelve turns of five calls at once, a minute apart, every kind of read in turn, while
 * somebody else changes the budget between the turns. The same calls go to a server that holds nothing and asks the service
 * each time; what it says is what the other has to say.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { operations } from '../../src/operations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ManualClock } from '../manual-clock.ts';
import { type Budget, changeElsewhere } from './changes-elsewhere.ts';
import { type CallResult, type Host, startHost } from './host.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, type Row, size } from './table.ts';

const TURNS = 12;
const CALLS = 5;
const TURN_MS = 60_000;

const reads = operations.filter(({ kind }) => kind === 'read');

export async function conversation(service: ServiceProcess): Promise<Row[]> {
  const clock = new ManualClock(systemClock.now());
  const held = await startHost(service, { clock, cacheBytes: 256 * 2 ** 20 });
  const asked = await startHost(service, { clock, cacheBytes: 0 });
  let right = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { budget } = await service.export();
    const questions = Array.from({ length: CALLS }, (_, i) => questionOf(turn * CALLS + i, budget));
    const ask = (host: Host) => Promise.all(questions.map(({ name, args }) => host.call(name, args)));
    const [told, expected] = [await ask(held), await ask(asked)];
    for (const [i, { name, args }] of questions.entries()) {
      if (isDeepStrictEqual(saidBy(told[i]), saidBy(expected[i]))) right += 1;
      else process.stderr.write(`${name} ${JSON.stringify(args)} differs in turn ${turn + 1}\n`);
    }
    await changeElsewhere(service, budget, turn);
    clock.advance(TURN_MS);
  }
  await Promise.all([held.close(), asked.close()]);
  const calls = TURNS * CALLS;
  return [
    {
      what: `a conversation of ${TURNS} turns of ${CALLS} calls at once over every kind of read, the budget changing in between`,
      measured: spent(held.spent),
      beside: `asked each time: ${spent(asked.spent)}`,
      target: `at most ${TURNS + 2} requests`,
      met: held.spent.requests <= TURNS + 2,
    },
    {
      what: 'its answers that are what the service says at that moment',
      measured: `${right} of ${calls}`,
      beside: '',
      target: 'all',
      met: right === calls,
    },
  ];
}

const spent = ({ requests, bytes }: { requests: number; bytes: number }) =>
  `${count(requests)} requests, ${size(bytes)}`;

interface Question {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Every kind of read in turn, mixed by a step that shares no factor with their number; each time about other things. */
function questionOf(call: number, budget: Budget): Question {
  const at = <T>(list: readonly T[]) => list[(call * 7) % list.length];
  const things: Readonly<Record<string, readonly { readonly id: string }[]>> = {
    account_id: budget.accounts,
    category_id: budget.categories,
    payee_id: budget.payees,
    payee_location_id: budget.payee_locations,
    transaction_id: budget.transactions,
    scheduled_transaction_id: budget.scheduled_transactions,
  };
  const { name = '', input } = at(reads) ?? {};
  const args = Object.keys(input?.shape ?? {}).flatMap((parameter) => {
    if (parameter === 'month') return [[parameter, 'current']];
    const rows = things[parameter];
    return rows ? [[parameter, at(rows)?.id]] : [];
  });
  return { name, args: Object.fromEntries(args) };
}

const fields = z.record(z.string(), z.unknown());

/** Without when and from where it was answered, which is the last line of the text. */
function saidBy(result: CallResult | undefined): unknown {
  if (!result) return undefined;
  const { content, structuredContent } = result;
  const { freshness: _, ...data } = fields.parse(structuredContent);
  const texts = content.map((part) => (part.type === 'text' ? part.text.replace(/\n[^\n]*$/, '') : part));
  return { data, texts };
}
