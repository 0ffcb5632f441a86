/** The answer to a failed write. It speaks of its own call, and names the earlier ones that may equal it. */
import { firstOf, present } from '../answers/text.ts';
import type { ErrorCode } from '../base/errors.ts';
import { describeWrite } from '../features/status/get-status.ts';
import type { WriteStatus } from '../session/writes/pending-write.ts';

/** The messages of these errors say what is known: a part or all of it may have been written. */
const saysWhetherWritten: ReadonlySet<string> = new Set<ErrorCode>(['outcome_unknown', 'partly_written']);

const MAX_CALLS = 3;

export const UNCERTAIN = 'It is not known whether it was written: read the budget to find out.';

/** `explanation` is that of the error with this code. `earlier` are the calls that may have been carried out, or may still be. */
export function describeFailedWrite(
  code: string,
  explanation: string,
  earlier: readonly WriteStatus[],
): string {
  if (saysWhetherWritten.has(code)) return explanation;
  return present([
    `This call changed nothing. ${explanation}`,
    earlier.length > 0 && 'Earlier calls that may equal this one:',
    ...firstOf(earlier.map(describeWrite), MAX_CALLS),
    earlier.length > 0 &&
      'The same call with the same arguments as one of them shows its outcome, and so does get_status.',
  ]).join('\n');
}
