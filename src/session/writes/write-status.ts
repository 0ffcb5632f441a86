/** A pending write as a caller reads about it. */
import type { PendingWrite } from './pending-write.ts';

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

export const statusOf = (write: PendingWrite): WriteStatus => ({
  tool: write.call.tool,
  budget_id: write.call.budgetId,
  called_at: write.calledAt,
  state: stateOf(write),
  ...(write.isAdopted && { earlier_run: true }),
});

export function stateOf({ state, result }: Pick<PendingWrite, 'state' | 'result'>): WriteState {
  if (state === 'planned') return 'waiting';
  if (state === 'lost') return 'being_looked_for';
  if (!result) return 'sent';
  if (result.outcome) return 'written';
  const { code } = result.error ?? {};
  if (code === 'partly_written') return 'partly_written';
  return code === 'outcome_unknown' ? 'unknown' : 'not_written';
}
