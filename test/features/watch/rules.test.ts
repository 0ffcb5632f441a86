import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRule, eventIdOf } from '../../../src/features/watch/rules.ts';
import type { Observation, WatchEvent, WatchScope } from '../../../src/features/watch/watch-event.ts';
import { findEvent } from '../../../src/features/watch/watch-events.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { RuleState } from '../../../src/session/watches.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

const observation = (key: string): Observation => ({
  key,
  amount: 1,
  message: key,
  next: { tool: 'get_status', arguments: {} },
});

const replica = BudgetReplica.load(await directReader(smallLedger()).export(), '2026-11-20');
const scopeOf = (day: number): WatchScope => ({
  replica,
  today: `2026-11-${String(day).padStart(2, '0')}`,
  money: String,
});

const ruleOf = (keys: readonly string[], isCombined = false): Pick<WatchEvent, 'observe' | 'combine'> => ({
  observe: () => keys.map(observation),
  ...(isCombined && { combine: (all) => observation(all.map(({ key }) => key).join()) }),
});

interface Check {
  readonly day: number;
  readonly keys: readonly string[];
}

/** Checks of one watch, in the order of time. */
const checks = fc
  .array(fc.record({ later: fc.integer({ min: 0, max: 1 }), keys: fc.subarray([...'abcdef']) }), {
    minLength: 2,
    maxLength: 30,
  })
  .map((all) => {
    let day = 1;
    return all.map(({ later, keys }): Check => {
      day = Math.min(day + later, 28);
      return { day, keys };
    });
  });

/** What each check of a watch reports. */
function run(all: readonly Check[], isCombined = false) {
  let state: RuleState | undefined;
  return all.map(({ day, keys }) => {
    const checked = checkRule(ruleOf(keys, isCombined), {}, scopeOf(day), state);
    state = checked.state;
    return { day, news: checked.news.map(({ key }) => key), state };
  });
}

describe('the rule of a watch', () => {
  it('what was true when the watch began is not new', () => {
    fc.assert(
      fc.property(checks, (all) => {
        expect(run(all)[0]?.news).toEqual([]);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('the same is new at most once a day', () => {
    fc.assert(
      fc.property(checks, (all) => {
        const reported = run(all).flatMap(({ day, news }) => news.map((key) => `${day} ${key}`));
        expect(reported).toEqual([...new Set(reported)]);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('only what was not true at the check before is new, and all of it unless it was new on this day', () => {
    fc.assert(
      fc.property(checks, (all) => {
        const found = run(all);
        for (const [at, { day, news }] of found.entries()) {
          if (at === 0) continue;
          const before = new Set(all[at - 1]?.keys);
          const today = found.slice(0, at).filter((each) => each.day === day);
          const reported = new Set(today.flatMap((each) => each.news));
          expect(news).toEqual(all[at]?.keys.filter((key) => !before.has(key) && !reported.has(key)));
        }
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('a second check of the same budget on the same day finds nothing', () => {
    fc.assert(
      fc.property(checks, fc.boolean(), (all, isCombined) => {
        const twice = run(
          all.flatMap((each) => [each, each]),
          isCombined,
        );
        for (const [at, { news }] of twice.entries()) if (at % 2 === 1) expect(news).toEqual([]);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('what is combined comes at most once a day, and what stays true is in one of them', () => {
    fc.assert(
      fc.property(checks, (all) => {
        const [first] = all;
        // On the last day everything is there, and then a day later.
        const last = all.at(-1)?.day ?? 1;
        const keys = [...'abcdef'];
        const found = run([...all, { day: last, keys }, { day: last + 1, keys }], true);
        const days = found.filter(({ news }) => news.length > 0).map(({ day }) => day);
        expect(days).toEqual([...new Set(days)]);
        const reported = new Set(found.flatMap(({ news }) => news.flatMap((each) => each.split(','))));
        for (const key of keys) expect(reported.has(key) || first?.keys.includes(key)).toBe(true);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('of much that is new at once, ten are reported, and the rest never', () => {
    const keys = Array.from({ length: 25 }, (_, at) => `key ${at}`);
    const begin = checkRule(ruleOf([]), {}, scopeOf(1));
    const many = checkRule(ruleOf(keys), {}, scopeOf(1), begin.state);
    expect([many.news.length, many.isTruncated]).toEqual([10, true]);
    const next = checkRule(ruleOf(keys), {}, scopeOf(2), many.state);
    expect([next.news.length, next.isTruncated]).toEqual([0, false]);
  });

  it('a clock that is set back makes no new day', () => {
    const found = run([
      { day: 5, keys: [] },
      { day: 5, keys: ['a'] },
      { day: 5, keys: [] },
      { day: 4, keys: ['a'] },
    ]);
    expect(found.map(({ news }) => news)).toEqual([[], ['a'], [], []]);
  });

  it('a clock that was weeks ahead does not keep back what is new after it was set back', () => {
    const found = run([
      { day: 25, keys: [] },
      { day: 25, keys: ['a'] },
      { day: 5, keys: [] },
      { day: 5, keys: ['a'] },
    ]);
    expect(found.map(({ news }) => news)).toEqual([[], ['a'], [], ['a']]);
  });
});

describe('the id of an occurrence', () => {
  const daily = findEvent('category_overspent');
  const once = findEvent('large_transaction');
  if (!daily || !once) throw new Error('These events exist.');

  it('is the same for the same watch, matter and day', () => {
    const [one, other] = [1, 2].map(() => eventIdOf('sub', daily, observation('a'), '2026-11-20'));
    expect(one).toBe(other);
    expect(one).toMatch(/^evt_[\w-]{32}$/);
  });

  it('differs by watch, by matter and, for what can begin again, by day', () => {
    const ids = [
      eventIdOf('sub', daily, observation('a'), '2026-11-20'),
      eventIdOf('sub', daily, observation('a'), '2026-11-21'),
      eventIdOf('sub', daily, observation('b'), '2026-11-20'),
      eventIdOf('other', daily, observation('a'), '2026-11-20'),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('of a transaction does not depend on the day', () => {
    const [one, other] = ['20', '21'].map((day) =>
      eventIdOf('sub', once, observation('a'), `2026-11-${day}`),
    );
    expect(one).toBe(other);
  });
});
