/** What people at several servers met, together. */
import type { Era } from './visitor.helper.ts';

/** These tell the client what to do, or that it has to find out what has become of its call. */
const EXPECTED: ReadonlySet<string> = new Set([
  'HTTP 401',
  'HTTP 429 with Retry-After',
  'HTTP 502 with Retry-After',
  'HTTP 503 with Retry-After',
  'connection lost',
  'no answer in time',
  'not signed in: the tokens could not be renewed',
  'tool: storage_unavailable',
  'tool: outcome_unknown',
  'tool: not_written',
  'tool: rate_budget_spent',
  'tool: sign_in_busy',
]);

export class VisitorReport {
  /** How long each answer took, in milliseconds, by era. Only what was answered without an error. */
  readonly answerMs: Readonly<Record<Era, number[]>> = { '2026-07-28': [], '2025-11-25': [] };
  /** Of the answers above, those while others arrived. */
  readonly meanwhileMs: number[] = [];
  /** Of these, those for which the server needed no request to the service. */
  readonly meanwhileCachedMs: number[] = [];
  /** Small requests meanwhile from the test straight to the budgeting service, which makes the exports of those who arrive. */
  readonly serviceMs: number[] = [];
  isSomebodyArriving = false;
  readonly firstMs: number[] = [];
  readonly signInMs: number[] = [];
  /** How long each answer took after the end of the measurement. */
  readonly afterwardsMs: number[] = [];
  /** How long each person waited from the end of the disturbances for an answer to everything. */
  readonly recoveryMs: number[] = [];
  /** Failed calls, by kind. */
  readonly errors = new Map<string, number>();
  /** What must not happen. */
  readonly failures: string[] = [];
  writes = 0;
  /** Calls that repeated a write of which the outcome was not known. */
  repeats = 0;
  renewals = 0;
  /** Clients that had to connect again, because their session or stream had ended for good. */
  reconnections = 0;

  failed(nth: number, error: unknown): void {
    this.failures.push(`person ${nth}: ${String(error).slice(0, 4_000)}`);
  }

  error(nth: number, kind: string): void {
    this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
    if (!EXPECTED.has(kind)) this.failed(nth, kind);
  }
}
