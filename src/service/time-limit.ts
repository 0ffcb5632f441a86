/**
 * A request that takes longer than 30 seconds fails with 503 (docs/interface.md, Limits). The clock is read again
 * after the response, because no timer can fire while a route computes.
 */
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from './errors.ts';

const LIMIT_MS = 30_000;

export function timeLimit(clock: Clock) {
  return createMiddleware(async (_c, next) => {
    const start = clock.now();
    const finished = new AbortController();
    await Promise.race([next(), clock.sleep(LIMIT_MS, finished.signal)]).finally(() => finished.abort());
    if (clock.now() - start >= LIMIT_MS) {
      throw new ServiceError('service_unavailable', 'The request took longer than 30 seconds.');
    }
  });
}
