import { expect, onTestFinished, test } from 'vitest';
import { fixedCredential } from '../../src/auth/token-provider.ts';
import type { Answer } from '../../src/client/answer.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { BudgetError } from '../../src/errors.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import { anyFault, NO_FAULT, type ProxiedExchange, startFaultyProxy } from '../faulty-proxy.ts';
import { ManualClock } from '../manual-clock.ts';
import { startTestService } from '../service/running-service.ts';
import { RandomWrites, type Write } from './random-writes.ts';
import { changedIn, isUntouched, newIn } from './seen.ts';
import { type Books, Witness } from './witness.ts';

const STEPS = 1_000;
const SEED = Number(process.env['WRITE_FAULTS_SEED'] ?? 20_261_121);
const TIMEOUT_MS = 40_000;

async function start(random: Random) {
  const service = await startTestService({ transactions: 60 });
  onTestFinished(() => service.close());
  // The sender's time passes only where the proxy lets it run out; everybody else's from step to step.
  const [wire, clock] = [new ManualClock(service.clock.now()), new ManualClock(service.clock.now())];
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    // Which budgets there are is asked before anything is written.
    plan: ({ path }) =>
      path === '/v1/budgets' || random.chance(0.6) ? NO_FAULT : anyFault(() => random.next()),
    clock: wire,
    timeoutMs: TIMEOUT_MS,
  });
  const sender = new HttpSender({ clock: wire, timeoutMs: TIMEOUT_MS });
  onTestFinished(() => sender.close());
  const budget = service.user.ledgers[0]?.id ?? '';
  const tokens = fixedCredential({ baseUrl: `${proxy.url}/v1`, token: service.accessToken });
  const rateBudget = () => new RollingRateBudget({ clock, limit: 1_000_000 });
  // Whoever waits is back at once: for how long is a matter of chance, and no seed would bring it back.
  const unhurried = { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep: async () => {} };
  const client = new BudgetClient({ tokens, sender, clock: unhurried, budget, rateBudget });
  const witness = new Witness(`${service.baseUrl}/budgets/${budget}`, service.accessToken);
  return { client, witness, clock, proxy };
}

interface Claims {
  readonly succeeded: readonly Answer<Readonly<Record<string, unknown>>>[];
  readonly failed: readonly BudgetError[];
}

async function claimsOf(calls: readonly ReturnType<Write['run']>[]): Promise<Claims> {
  const settled = await Promise.allSettled(calls);
  const failed = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  for (const error of failed) if (!(error instanceof BudgetError)) throw error;
  return { succeeded: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])), failed };
}

const isWrite = ({ method }: ProxiedExchange) => method !== 'GET';

/** The ids of what an answer says was entered: without imports, but with what an import was matched to at once. */
function claimedIds({ data }: Claims['succeeded'][number], made: readonly string[]): string[] {
  const rows = Object.values(data)
    .flat()
    .filter((row) => typeof row === 'object' && row !== null && 'id' in row);
  const isImport = (row: object) => 'import_id' in row && row.import_id !== null;
  const [imports, entered] = [true, false].map((is) =>
    rows.filter((row) => isImport(row) === is).map(({ id }) => String(id)),
  );
  const matched = new Set(imports?.filter((id) => made.includes(id)));
  return [...(entered ?? []), ...matched];
}

/** What the claims have against the books. */
function contradictions(
  write: Write,
  calls: number,
  { succeeded, failed }: Claims,
  exchanges: readonly ProxiedExchange[],
  [before, after]: readonly [Books, Books],
): string[] {
  const { made, size, isDone, touched } = write.seen(before, after);
  const writes = exchanges.filter(isWrite);
  const unknown = failed.filter(({ code }) => code === 'outcome_unknown').length;
  const deliveredTwice = writes.some(({ deliveries }) => deliveries === 2);
  const claimed = size > 0 ? succeeded.flatMap((each) => claimedIds(each, made)) : [];
  const told = succeeded.flatMap(({ twins }) => twins ?? []);
  const surplus = made.filter((id) => !claimed.includes(id));
  const untold = surplus.filter((id) => !told.includes(id));
  const untouched = isUntouched(before, after);
  // What arrived twice may have been answered by the second refusal: it exists already, it is gone.
  const echoed =
    deliveredTwice && failed.some(({ code }) => code === 'conflict' || code === 'resource_not_found');
  const isSightless = succeeded.some(({ changed }) => changed === undefined);
  const last = exchanges.at(-1);
  const strange = changedIn(before, after).filter((id) => !touched.includes(id));
  const says: readonly (readonly [boolean, string])[] = [
    [succeeded.length > 0 && !isDone, 'reported written, and is not there as it should be'],
    [!isDone && !untouched, 'half done'],
    [new Set(claimed).size < claimed.length, 'one entry stands for two'],
    [claimed.some((id) => !made.includes(id)), 'reported written what is not new'],
    [succeeded.length === 0 && unknown === 0 && !echoed && !untouched, 'reported not written, and is there'],
    [unknown === 0 && !isSightless && untold.length > 0, 'is there again, and nobody was told'],
    [surplus.length > unknown * size && !deliveredTwice, 'sent twice'],
    [told.some((id) => !surplus.includes(id)), 'told of a twin that is none'],
    [strange.length > 0, `changed something else: ${strange}`],
    [
      size === 0 && newIn(before.transactions, after.transactions).length > made.length && !touched.length,
      'made',
    ],
    [writes.length > 2 * calls, 'more than two attempts'],
    [
      unknown > 0 &&
        calls === 1 &&
        !writes.some(({ answer }) => answer === 'never') &&
        last?.isAnswered !== false,
      'unknown, though it could have been looked up',
    ],
    [
      // Nobody waits long for what a write has changed: a late one counts as none.
      isSightless &&
        !exchanges.some((each) => !isWrite(each) && (!each.isAnswered || each.answer === 'late')),
      'nothing told of what it changed, though it could have been read',
    ],
  ];
  return says.flatMap(([holds, message]) => (holds ? [message] : []));
}

test(`${STEPS} writes over a line where everything goes wrong: the budget holds what the results said`, async () => {
  const random = new Random(SEED);
  const writes = new RandomWrites(random);
  const { client, witness, clock, proxy } = await start(new Random(SEED + 1));
  const outcomes = new Map<string, number>();
  let before = await witness.lookAnew();
  for (let step = 1; step <= STEPS; step += 1) {
    clock.advance(random.pick([0, 2_000, 9_000, 60_000]));
    const write = writes.next(before);
    // Two or three equal ones at once, on purpose.
    const calls = write.name.startsWith('create') && random.chance(0.15) ? random.integer(2, 3) : 1;
    const first = proxy.exchanges.length;
    const claims = await claimsOf(Array.from({ length: calls }, () => write.run(client)));
    const exchanges = proxy.exchanges.slice(first);
    const after = await witness.look();
    const found = contradictions(write, calls, claims, exchanges, [before, after]);
    if (found.length > 0) {
      const said = [...claims.succeeded.map(({ outcome }) => outcome), ...claims.failed.map((e) => e.code)];
      const line = exchanges.map(
        ({ method, path, ...fault }) => `${method} ${path} ${JSON.stringify(fault)}`,
      );
      throw new Error(
        [
          `WRITE_FAULTS_SEED=${SEED}, step ${step}: ${found.join('; ')}`,
          `${calls} × ${write.name}`,
          said.join(),
          ...line,
        ].join('\n'),
      );
    }
    for (const { outcome } of claims.succeeded) count(outcomes, outcome ?? 'none');
    for (const { code } of claims.failed) count(outcomes, code);
    before = after;
  }
  expect(await witness.lookAnew()).toEqual(before);
  const seen = Object.fromEntries(outcomes);
  expect(Object.keys(seen)).toEqual(
    expect.arrayContaining(['written', 'confirmed_afterwards', 'not_written', 'outcome_unknown']),
  );
});

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
