/** What an answer says about a write. Only this file depends on the wording of the tools. */
import type { Called } from '../hosts.helper.ts';

export interface Statement {
  readonly outcome: 'written' | 'not written' | 'unknown';
  /** It says that there may be a second one. */
  readonly namesSecond: boolean;
  readonly text: string;
}

const NOT_WRITTEN = /nothing was (?:written|sent)|was not (?:made|written|carried out)|safe to try again/i;
const UNKNOWN = /not known|get_status shows the outcome|may have been|Read what has been changed/i;
const SECOND = /\ba second\b|second one|entered twice|look the same|could not (?:be )?look|duplicate/i;

/** `answer` is the reason where the host got none. */
export function statementOf(answer: Called | Error): Statement {
  if (answer instanceof Error) return { outcome: 'unknown', namesSecond: false, text: answer.message };
  const { text, isError } = answer;
  const namesSecond = SECOND.test(text);
  if (!isError) return { outcome: 'written', namesSecond, text };
  // A text that denies the write counts as such, also if it names another one that is not known.
  const isDenied = NOT_WRITTEN.test(text) && !UNKNOWN.test(text);
  return { outcome: isDenied ? 'not written' : 'unknown', namesSecond, text };
}
