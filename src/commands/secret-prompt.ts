/** What a person types unseen or pipes in. It never comes from an argument, which every process of the machine can read. */
import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { bearerToken } from '../auth/bearer-token.ts';
import { BudgetError } from '../errors.ts';

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
 * Asks for it with hidden input, or takes all of stdin where that is no terminal.
 * `what` is such as "Personal access token".
 * Throws `cancelled`, or `sign_in_failed` where it cannot be one.
 */
export async function promptSecret(what: string, terminal: Terminal): Promise<string> {
  const text = terminal.stdin.isTTY ? await ask('password', what, terminal) : await piped(what, terminal);
  const problem = problemOf(text);
  if (problem !== undefined) throw new BudgetError('sign_in_failed', `${what}: ${problem}`);
  return oneWord.parse(text);
}

/**
 * Asks for something that anybody may see.
 * Throws `cancelled`, or `sign_in_failed` where there is nobody to ask.
 */
export async function promptText(what: string, option: string, terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) throw new BudgetError('sign_in_failed', `${what}: ${option} must give it.`);
  return oneWord.parse(await ask('text', what, terminal));
}

async function ask(prompt: 'password' | 'text', what: string, terminal: Terminal): Promise<string> {
  const { [prompt]: question, isCancel } = await import('@clack/prompts');
  const { stdin: input, stderr: output } = terminal;
  const over = new AbortController();
  const signal = AbortSignal.any([terminal.signal, over.signal]);
  const asked = question({ message: what, input, output, signal, validate: problemOf });
  // Ctrl-D ends the input without an answer. Every answer ends it too, but is there by then.
  const ended = once(input, 'pause').then(() => undefined);
  const answer = await Promise.race([asked, ended]);
  over.abort();
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

const cancelled = () => new BudgetError('cancelled', 'The sign-in was cancelled; nothing was kept.');
