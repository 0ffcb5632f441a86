/** How a write ended. */
import { BudgetError } from '../errors.ts';
import type { JsonObject } from '../platform/json.ts';
import type { WriteResult } from './write-result.ts';

export type AnyWriteResult = WriteResult<JsonObject>;

export interface Settlement {
  /** Present if the write was carried out. */
  readonly outcome?: AnyWriteResult;
  readonly error?: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type WriteState =
  | 'waiting'
  | 'sent'
  | 'being_looked_for'
  | 'written'
  | 'partly_written'
  | 'not_written'
  | 'unknown';

export interface WriteStatus {
  readonly tool: string;
  readonly budget_id: string;
  /** Milliseconds since the epoch. */
  readonly called_at: number;
  readonly state: WriteState;
  /** Present if the process that has sent it ended before the outcome was delivered. */
  readonly earlier_run?: true;
  /** Present if it was not written, and if that is known of every call that may equal it. */
  readonly safe_to_repeat?: true;
}

export function stateOf({
  outcome,
  error,
}: Settlement): Extract<WriteState, 'written' | 'partly_written' | 'not_written' | 'unknown'> {
  if (outcome) return 'written';
  if (!(error instanceof BudgetError)) return 'unknown';
  if (error.code === 'partly_written') return 'partly_written';
  return error.code === 'outcome_unknown' ? 'unknown' : 'not_written';
}
