/**
 * Writes whose tokens were refused. The official clients renew the token and send the call again, in the older era also one that
 * they have given up meanwhile and replaced by another. Only the time since the call first arrived shows which it is.
 */
import { LRUCache } from 'lru-cache';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { currentHostRequest } from '../base/host-request.ts';
import { hashOf } from './derived-key.ts';
import { TOKEN_ANSWER_MS } from './unavailable.ts';

interface RefusedCall {
  readonly at: Moment;
  /** How long its client had waited by then. */
  readonly waitedMs: number;
}

/** The grant, and the session of the older era: calls of another one may have the same numbers. */
type Caller = readonly [grantId: string, session: string | null];

export const callerOf = (grantId: string, { headers }: Request): Caller => [
  grantId,
  headers.get('mcp-session-id'),
];

const MAX_CALLS = 10_000;
/** A client that is started again may use the id of an earlier call. */
const REMEMBERED_MS = 10 * 60_000;

export function refusedCalls(clock: Clock) {
  const calls = new LRUCache<string, RefusedCall>({ max: MAX_CALLS });
  const find = (name: string) => {
    const call = calls.get(name);
    return call && ageOf(clock, call.at) < REMEMBERED_MS ? call : undefined;
  };
  return {
    /** `message` is the whole call, with its id. If it was refused before, that time counts. */
    note(caller: Caller, message: unknown): void {
      const name = nameOf(caller, message);
      if (find(name)) return;
      const waitedMs = currentHostRequest()?.waitedMs() ?? 0;
      calls.set(name, { at: momentOf(clock), waitedMs });
    },
    /** Whether this is a refused call that comes back so late that its client may have given it up. Each is late only once. */
    comesBackLate(caller: Caller, message: unknown): boolean {
      const name = nameOf(caller, message);
      const call = find(name);
      calls.delete(name);
      return call !== undefined && ageOf(clock, call.at) + call.waitedMs > TOKEN_ANSWER_MS;
    },
  };
}

const nameOf = (caller: Caller, message: unknown) => hashOf(JSON.stringify([caller, message]));
