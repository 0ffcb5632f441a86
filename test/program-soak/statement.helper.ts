/** What an answer says about a write. Only this file depends on the wording of the tools. */
import type { Called } from '../hosts.helper.ts';

export interface Statement {
  /** `not written`: by this call. Nothing is said of earlier equal ones. */
  readonly outcome: 'written' | 'not written' | 'unknown';
  /** It says that there may be a second one. */
  readonly namesSecond: boolean;
  /** It says that it is the outcome of an earlier call, and that something was written since. */
  readonly saysOvertaken: boolean;
  readonly text: string;
}

const NOT_WRITTEN = /^This call changed nothing\./;
/** These words count where the answer does not say of something that it is not known. */
const PERHAPS_NOT_WRITTEN = /nothing was sent|was not (?:made|written|carried out)/i;
const UNKNOWN = /not known|get_status shows the outcome|may have been|in part/i;
const OVERTAKEN = /The same things were written since then/;
const SECOND = /may be a second one|look for a second one|entered twice/i;

/** `answer` is the reason where the host got none. */
export function statementOf(answer: Called | Error): Statement {
  const says = { namesSecond: false, saysOvertaken: false };
  if (answer instanceof Error) return { ...says, outcome: 'unknown', text: answer.message };
  const { text, isError } = answer;
  if (isError) return { ...says, outcome: failureIn(text), text };
  return { outcome: 'written', namesSecond: SECOND.test(text), saysOvertaken: OVERTAKEN.test(text), text };
}

function failureIn(text: string): Statement['outcome'] {
  if (NOT_WRITTEN.test(text)) return 'not written';
  return PERHAPS_NOT_WRITTEN.test(text) && !UNKNOWN.test(text) ? 'not written' : 'unknown';
}
