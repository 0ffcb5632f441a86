/** What a person types unseen or pipes in. It never comes from an argument, which every process of the machine can read. */
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

const MAX_CHARACTERS = 8_192;

// As RFC 6750 has tokens. The message must not repeat the value.
const oneWord = z
  .string()
  .trim()
  .max(MAX_CHARACTERS)
  .regex(/^[\x21-\x7e]+$/);

const problemOf = (text: string | undefined) =>
  oneWord.safeParse(text ?? '').success ? undefined : 'It must be a single word of visible characters.';

/**
 * Asks for it with hidden input, or takes all of stdin where that is no terminal.
 * @param what such as "Personal access token"
 * @throws BudgetError `cancelled`, or `invalid_input` where it cannot be one
 */
export async function typedSecret(what: string, terminal: Terminal): Promise<string> {
  const text = terminal.stdin.isTTY ? await ask('password', what, terminal) : await piped(what, terminal);
  const problem = problemOf(text);
  if (problem !== undefined) throw new BudgetError('invalid_input', `${what}: ${problem}`);
  return oneWord.parse(text);
}

/**
 * Asks for something that anybody may see.
 * @throws BudgetError `cancelled`, or `invalid_input` where there is nobody to ask
 */
export async function typedText(what: string, option: string, terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) throw new BudgetError('invalid_input', `${what}: ${option} must give it.`);
  return oneWord.parse(await ask('text', what, terminal));
}

async function ask(prompt: 'password' | 'text', what: string, terminal: Terminal): Promise<string> {
  const { [prompt]: question, isCancel } = await import('@clack/prompts');
  const { stdin: input, stderr: output, signal } = terminal;
  const answer = await question({ message: what, input, output, signal, validate: problemOf });
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
    throw new BudgetError('invalid_input', `${what}: type it at a terminal, or pipe it in.`);
  return text;
}

const cancelled = () => new BudgetError('cancelled', 'The sign-in was cancelled; nothing was kept.');
