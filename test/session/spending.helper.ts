/** Helpers for tests of the rate budget: a new rate budget, and responses of the service. */
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { failureOf } from './sending.helper.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const start = Date.parse('2026-11-21T12:00:00Z');

export const withCount = (count: number, limit = 200) => ({
  status: 200,
  headers: { 'x-rate-limit': `${count}/${limit}` },
});
export const silent = { status: 200, headers: {} };
export const tooMany = { status: 429, headers: {} };

export function fresh(options: { limit?: number; reserve?: number } = {}) {
  const clock = new ManualClock(start);
  const rateBudget = new RateBudget({ clock, ...options });
  /** Sends requests one second after the other, all with the same response. */
  const spend = async (times: number, effect: 'read' | 'write' = 'read', response = silent) => {
    for (let i = 0; i < times; i += 1) {
      const attempt = await rateBudget.take(effect);
      clock.advance(SECOND);
      await attempt.answered(response);
    }
  };
  const refused = (effect: 'read' | 'write') => failureOf(rateBudget.take(effect));
  return { clock, rateBudget, spend, refused };
}
