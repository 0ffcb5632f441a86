import { expect, it } from 'vitest';
import { Comparisons, MAX_COMPARISON_AGE_MS } from '../../src/client/comparisons.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const key = { caller: 'anna', budgetId: 'home', accountId: 'giro' };
const comparison = (date: string, texts: readonly string[] = []) => ({
  date,
  transactions: [],
  rows: texts.map((text) => ({ date, amount: -1, text })),
  missing: [],
});

it('remembers the last comparison of each account, for each caller and budget', () => {
  const comparisons = new Comparisons(new ManualClock('2026-11-21T12:00:00Z'));
  comparisons.set(key, comparison('2026-11-01'));
  comparisons.set(key, comparison('2026-11-02'));
  expect(comparisons.get(key)).toEqual(comparison('2026-11-02'));
  for (const other of [{ caller: 'ben' }, { budgetId: 'other' }, { accountId: 'savings' }])
    expect(comparisons.get({ ...key, ...other })).toBeUndefined();
});

it('forgets a comparison after an hour', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const comparisons = new Comparisons(clock);
  comparisons.set(key, comparison('2026-11-01'));
  clock.advance(MAX_COMPARISON_AGE_MS - 1);
  expect(comparisons.get(key)).toBeDefined();
  clock.advance(1);
  expect(comparisons.get(key)).toBeUndefined();
});

it('forgets the comparison that was used least recently if there are too many', () => {
  const comparisons = new Comparisons(new ManualClock('2026-11-21T12:00:00Z'));
  const large = comparison('2026-11-01', Array(1_000).fill('x'.repeat(500)));
  const keys = Array.from({ length: 20 }, (_, index) => ({ ...key, accountId: `account ${index}` }));
  for (const each of keys) {
    comparisons.set(each, large);
    comparisons.get({ ...key, accountId: 'account 0' });
  }
  const kept = keys.filter((each) => comparisons.get(each)).map(({ accountId }) => accountId);
  expect(kept).toContain('account 0');
  expect(kept).toContain('account 19');
  expect(kept).not.toContain('account 1');
});
