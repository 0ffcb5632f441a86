/** Reads a secret from a hidden prompt or from a pipe, never from an argument: every process can read arguments. */
import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { bearerToken } from '../../auth/bearer-token.ts';
import { BudgetError } from '../../base/errors.ts';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

const MAX_CHARACTERS = 8_192;

const oneWord = z.string().trim().max(MAX_CHARACTERS).pipe(bearerToken);

const problemOf = (text: string | undefined) =>
  oneWord.safeParse(text ?? '').success ? undefined : 'It must be a single word of visible characters.';

/**
 * Asks with hidden input, or reads all of stdin if that is not a terminal.
 * `what` names the secret, such as "Personal access token".
 * Throws `cancelled`, or `sign_in_failed` if the text cannot be a secret.
 */
export async function promptSecret(what: string, terminal: Terminal): Promise<string> {
  const text = terminal.stdin.isTTY ? await ask('password', what, terminal) : await piped(what, terminal);
  const problem = problemOf(text);
  if (problem !== undefined) throw new BudgetError('sign_in_failed', `${what}: ${problem}`);
  return oneWord.parse(text);
}

/**
 * Asks with visible input.
 * Throws `cancelled`, or `sign_in_failed` if stdin is not a terminal.
 */
export async function promptText(what: string, option: string, terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) throw new BudgetError('sign_in_failed', `${what}: give it with ${option}.`);
  return oneWord.parse(await ask('text', what, terminal));
}

async function ask(prompt: 'password' | 'text', what: string, terminal: Terminal): Promise<string> {
  const { [prompt]: question, isCancel } = await import('@clack/prompts');
  const { stdin: input, stderr: output } = terminal;
  const answered = new AbortController();
  const signal = AbortSignal.any([terminal.signal, answered.signal]);
  const answering = question({ message: what, input, output, signal, validate: problemOf });
  // Ctrl-D ends the input without an answer. An answer ends it too, but the promise of the answer resolves first.
  const ended = once(input, 'pause').then(() => undefined);
  const answer = await Promise.race([answering, ended]);
  answered.abort();
  if (typeof answer !== 'string' || isCancel(answer)) throw cancelled();
  return answer;
}

async function piped(what: string, { stdin, signal }: Terminal): Promise<string> {
  let text = '';
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      text += String(chunk);
      if (text.length > MAX_CHARACTERS) break;
    }
  } catch (error) {
    throw signal.aborted ? cancelled() : error;
  }
  if (text.trim() === '')
    throw new BudgetError('sign_in_failed', `${what}: type it at a terminal, or pipe it in.`);
  return text;
}

const cancelled = () => new BudgetError('cancelled', 'The sign-in was cancelled; nothing was stored.');
