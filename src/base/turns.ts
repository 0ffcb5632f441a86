/** Long computations in steps, as generators that yield where other work may run. */
import { cancelledError } from './abort.ts';
import { yieldTurn } from './clock.ts';

/** The number of rows of a large budget that one step deals with, which takes a few milliseconds. */
const ROWS_IN_STEP = 1_000;

/** Whether a step ends after so many rows. */
export const endsStep = (rows: number): boolean => rows % ROWS_IN_STEP === 0;

/** Lets other work in the event loop run after each step. Throws `cancelled` if the signal is aborted meanwhile. */
export async function inTurns<Result>(steps: Iterator<void, Result>, signal?: AbortSignal): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await yieldTurn();
    if (signal?.aborted) throw cancelledError();
  }
}

export function atOnce<Result>(steps: Iterator<void, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
