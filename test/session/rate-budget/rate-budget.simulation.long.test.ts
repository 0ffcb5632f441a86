/** Rate budget and freshness together, over days of calls. SHOW_RATE_TABLE=1 prints the results. */
import { afterAll, describe, expect, it } from 'vitest';
import { DAY, HOUR, type Outcome, type Pattern, SECOND, seeded, simulate } from '../simulated-day.helper.ts';

const every = (interval: number, until = DAY, from = 0) =>
  Array.from({ length: Math.ceil((until - from) / interval) }, (_, i) => from + i * interval);

/** Turns of 1 to 8 calls. Turns start `from` to `to` seconds after each other, calls up to `spacing` after the one before. */
function chat(spacing: number, [from, to]: readonly [number, number] = [20, 120]): Pattern['turns'] {
  const random = seeded(1);
  const turns: number[][] = [];
  for (let at = 0; at < DAY; at += Math.round((from + random() * (to - from)) * SECOND)) {
    const calls = [at];
    for (let further = Math.floor(random() * 8), next = at; further > 0; further -= 1) {
      next += Math.round(random() * spacing);
      calls.push(next);
    }
    turns.push(calls);
  }
  return turns;
}

const oneASecond = (until = DAY) => every(SECOND, until).map((at) => [at]);
const inBursts = [0, 8, 8.75].flatMap((hour) =>
  every(SECOND / 2, (hour + 0.25) * HOUR, hour * HOUR).map((at) => [at]),
);
/** Half of the limit is used by another process. */
const evenHalf = every(36 * SECOND, DAY, 18 * SECOND);
const burstingHalf = every(HOUR).flatMap((at) => every(SECOND, at + 100 * SECOND, at));

const outcomes: [name: string, outcome: Outcome][] = [];
async function day(name: string, pattern: Pattern): Promise<Outcome> {
  const outcome = await simulate(pattern);
  outcomes.push([name, outcome]);
  return outcome;
}

describe('alone, with or without X-Rate-Limit', () => {
  const chats: [string, Pattern][] = [
    ['chat, calls at once', { turns: chat(0) }],
    ['chat, calls one by one', { turns: chat(2 * SECOND) }],
    ['chat, no header', { turns: chat(2 * SECOND), header: false }],
  ];
  it.each(chats)(
    'without other processes the first call of every turn gets data at most 5 s old: %s',
    async (name, pattern) => {
      const { oldestFirst, readsInAnHour, tooMany, withNothingLeft } = await day(name, pattern);
      expect(oldestFirst).toBeLessThanOrEqual(5 * SECOND);
      expect(readsInAnHour).toBeLessThanOrEqual(180);
      expect({ tooMany, withNothingLeft }).toEqual({ tooMany: 0, withNothingLeft: 0 });
    },
  );

  const busy: [string, Pattern][] = [
    ['one call a second', { turns: oneASecond() }],
    ['one call a second, no header', { turns: oneASecond(DAY / 4), header: false }],
    ['three bursts', { turns: inBursts }],
    ['chat, a turn every 20 s', { turns: chat(2 * SECOND, [20, 20]) }],
  ];
  it.each(busy)(
    'without other processes no result is older than 30 s and some requests are always left: %s',
    async (name, pattern) => {
      const { oldest, readsInAnHour, tooMany, withNothingLeft } = await day(name, pattern);
      expect(oldest).toBeLessThanOrEqual(30 * SECOND);
      expect(readsInAnHour).toBeLessThanOrEqual(180);
      expect({ tooMany, withNothingLeft }).toEqual({ tooMany: 0, withNothingLeft: 0 });
    },
  );

  const troubled: [string, Pattern][] = [
    [
      'one call a second, a write a minute',
      { turns: oneASecond(DAY / 4), writes: every(60 * SECOND, DAY / 4) },
    ],
    ['one call a second, 5 % of answers lost', { turns: oneASecond(DAY / 4), lost: 0.05 }],
  ];
  it.each(troubled)(
    'without other processes no result is older than 60 s when responses are lost: %s',
    async (name, pattern) => {
      const { oldest, readsInAnHour, tooMany, refusedWrites } = await day(name, pattern);
      expect(oldest).toBeLessThanOrEqual(60 * SECOND);
      expect(readsInAnHour).toBeLessThanOrEqual(180);
      expect({ tooMany, refusedWrites }).toEqual({ tooMany: 0, refusedWrites: 0 });
    },
  );
});

describe('beside a process that uses half of the limit', () => {
  const withHeader: [string, Pattern, lateTurns: number][] = [
    ['chat, calls at once, half elsewhere', { turns: chat(0), others: evenHalf }, 0],
    ['chat, calls one by one, half elsewhere', { turns: chat(2 * SECOND), others: evenHalf }, 0.02],
    [
      'chat, calls one by one, half elsewhere in bursts',
      { turns: chat(2 * SECOND), others: burstingHalf },
      0.02,
    ],
  ];
  it.each(withHeader)(
    'beside another process hardly any turn gets data more than 5 s old: %s',
    async (name, pattern, allowed) => {
      const { lateTurns, tooMany, withNothingLeft } = await day(name, pattern);
      expect(lateTurns).toBeLessThanOrEqual(allowed);
      expect({ tooMany, withNothingLeft }).toEqual({ tooMany: 0, withNothingLeft: 0 });
    },
  );

  const greedy: [string, Pattern][] = [
    ['one call a second, half elsewhere', { turns: oneASecond(), others: evenHalf }],
    ['one call a second, half elsewhere in bursts', { turns: oneASecond(DAY / 4), others: burstingHalf }],
  ];
  it.each(greedy)('beside another process X-Rate-Limit prevents every 429: %s', async (name, pattern) => {
    const { tooMany, oldest, readsInAnHour } = await day(name, pattern);
    expect(tooMany).toBe(0);
    expect(readsInAnHour).toBeLessThanOrEqual(180);
    expect(oldest).toBeLessThanOrEqual(10 * 60 * SECOND);
  });

  const blind: [string, Pattern][] = [
    ['chat, half elsewhere, no header', { turns: chat(2 * SECOND), others: evenHalf, header: false }],
    [
      'one call a second, half elsewhere, no header',
      { turns: oneASecond(), others: evenHalf, header: false },
    ],
  ];
  it.each(blind)(
    'without X-Rate-Limit there are at most ten 429s per hour, including those of probes: %s',
    async (name, pattern) => {
      const { tooMany, readsInAnHour } = await day(name, pattern);
      expect(tooMany).toBeLessThanOrEqual(240);
      expect(readsInAnHour).toBeLessThanOrEqual(180);
    },
  );
});

afterAll(() => {
  if (!process.env['SHOW_RATE_TABLE']) return;
  const seconds = (milliseconds: number) => (milliseconds / SECOND).toFixed(1);
  const lines = outcomes.map(([name, outcome]) =>
    [
      name,
      outcome.calls,
      outcome.syncs,
      outcome.readsInAnHour,
      outcome.tooMany,
      outcome.withNothingLeft,
      (outcome.lateTurns * 100).toFixed(1),
      seconds(outcome.oldestFirst),
      seconds(outcome.oldest),
      seconds(outcome.median),
    ].join(' | '),
  );
  const head =
    'pattern | calls | syncs | reads/h at most | 429s | none left | late turns, % | oldest first, s | oldest, s | median, s';
  process.stdout.write(`${[head, ...lines].join('\n')}\n`);
});
