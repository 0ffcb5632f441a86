/**
 * The sentence about the budget in the answer to a failed write. A host may repeat a call whose outcome it did not get. So
 * "nothing was written" stands there only if it is known of every earlier call that may equal this one, and not only of this.
 */

import { firstOf, present } from '../answers/text.ts';
import type { ErrorCode } from '../base/errors.ts';
import { describeWrite } from '../features/status/get-status.ts';
import type { EarlierCalls } from '../session/client-status.ts';

/** The messages of these errors say what is known: a part or all of it may have been written. */
const saysWhetherWritten: ReadonlySet<string> = new Set<ErrorCode>(['outcome_unknown', 'partly_written']);

/** After these errors the call is changed or confirmed, and not repeated as it is. */
const isAboutCall: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_input',
  'resource_not_found',
  'changed_elsewhere',
  'unknown_budget',
  'ambiguous_budget',
  'not_confirmed',
]);

const MAX_CALLS = 3;

export const UNCERTAIN = 'It is not known whether it was written: read the budget to find out.';

const NOT_AFTER_RESTART =
  'All of that holds until this server is restarted, since it keeps its state in memory: then read the budget first.';

/** `explanation` is that of the error with this code. */
export function describeFailedWrite(
  code: string,
  explanation: string,
  { open, gap, isInMemory }: EarlierCalls,
): string {
  if (code === 'outcome_unknown' && isInMemory) return `${explanation} ${NOT_AFTER_RESTART}`;
  if (saysWhetherWritten.has(code)) return explanation;
  // The thing may exist because an earlier equal call has written it.
  if (open.length === 0 && gap === undefined && code !== 'conflict')
    return code === 'not_written'
      ? `${explanation} The change was not made: it is safe to try again.`
      : `Nothing was written. ${explanation}`;
  return present([
    `This call changed nothing. ${explanation}`,
    open.length > 0 && 'Earlier calls that may equal this one:',
    ...firstOf(open.map(describeWrite), MAX_CALLS),
    open.length > 0 &&
      'The same call with the same arguments as one of them shows its outcome, and so does get_status.',
    gap !== undefined &&
      !isAboutCall.has(code) &&
      `It is not known whether an earlier equal call was carried out, since ${gap}: read the budget before you write it again.`,
  ]).join('\n');
}
