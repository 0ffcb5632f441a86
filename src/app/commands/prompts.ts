/**
 * Asks a person at a terminal. A secret comes from a hidden prompt or from a pipe, never from an argument: every process can read
 * arguments.
 */
import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { bearerToken } from '../../auth/service-address.ts';
import { BudgetError } from '../../base/errors.ts';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

const MAX_CHARACTERS = 8_192;

const oneWord = z.string().trim().max(MAX_CHARACTERS).pipe(bearerToken);

const PROBLEM = 'It must be a single word of visible characters.';

/**
 * Asks with hidden input, or reads all of stdin if that is not a terminal.
 * `what` names the secret, such as "Personal access token". Without an input it is `kept`, if that is given.
 * Throws `cancelled`, or `sign_in_failed` if the text cannot be a secret.
 */
export async function promptSecret(what: string, terminal: Terminal, kept?: string): Promise<string> {
  const isKept = (text: string) => kept !== undefined && text.trim() === '';
  const text = terminal.stdin.isTTY
    ? await ask('password', what, terminal, isKept)
    : await piped(what, terminal, isKept);
  if (kept !== undefined && isKept(text)) return kept;
  const { data } = oneWord.safeParse(text);
  if (data === undefined) throw new BudgetError('sign_in_failed', `${what}: ${PROBLEM}`);
  return data;
}

/**
 * Asks with visible input.
 * Throws `cancelled`, or `sign_in_failed` if stdin is not a terminal.
 */
export async function promptText(what: string, option: string, terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) throw new BudgetError('sign_in_failed', `${what}: give it with ${option}.`);
  return oneWord.parse(await ask('text', what, terminal));
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Undefined if the person ends the input, or presses Ctrl-C. */
export async function promptChoice(
  message: string,
  options: readonly Choice[],
  initialValue: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  if (terminal.signal.aborted) return undefined;
  const { select } = await import('@clack/prompts');
  const answer = await answerOf(
    (io) =>
      select({ message, options: [...options], ...(initialValue !== undefined && { initialValue }), ...io }),
    terminal,
  );
  return typeof answer === 'string' ? answer : undefined;
}

/** False also if the person ends the input, or presses Ctrl-C. */
export async function promptYes(message: string, terminal: Terminal): Promise<boolean> {
  if (terminal.signal.aborted) return false;
  const { confirm } = await import('@clack/prompts');
  return (await answerOf((io) => confirm({ message, ...io }), terminal)) === true;
}

async function ask(
  prompt: 'password' | 'text',
  message: string,
  terminal: Terminal,
  isEnough = (_: string) => false,
): Promise<string> {
  const { [prompt]: question } = await import('@clack/prompts');
  const validate = (text = '') => (isEnough(text) || oneWord.safeParse(text).success ? undefined : PROBLEM);
  const answer = await answerOf((io) => question({ message, validate, ...io }), terminal);
  if (typeof answer !== 'string') throw cancelled();
  return answer;
}

/** Undefined or a symbol if the person has given none. */
async function answerOf<Answer>(
  question: (io: { input: Readable; output: Writable; signal: AbortSignal }) => Promise<Answer>,
  { stdin: input, stderr: output, signal }: Terminal,
): Promise<Answer | undefined> {
  const answered = new AbortController();
  const answering = question({ input, output, signal: AbortSignal.any([signal, answered.signal]) });
  // Ctrl-D ends the input without an answer. An answer ends it too, but the promise of the answer resolves first.
  const answer = await Promise.race([answering, once(input, 'pause').then(() => undefined)]);
  answered.abort();
  return answer;
}

async function piped(
  what: string,
  { stdin, signal }: Terminal,
  isEnough: (text: string) => boolean,
): Promise<string> {
  let text = '';
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      text += String(chunk);
      if (text.length > MAX_CHARACTERS) break;
    }
  } catch (error) {
    throw signal.aborted ? cancelled() : error;
  }
  if (text.trim() === '' && !isEnough(text))
    throw new BudgetError('sign_in_failed', `${what}: type it at a terminal, or pipe it in.`);
  return text;
}

const cancelled = () => new BudgetError('cancelled', 'The sign-in was cancelled; nothing was stored.');
