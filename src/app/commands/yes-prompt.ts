/** Asks a person at a terminal for a yes or no. */
import { once } from 'node:events';
import type { Terminal } from './secret-prompt.ts';

/** False also if the person ends the input, or presses Ctrl-C. */
export async function promptYes(message: string, { stdin, stderr, signal }: Terminal): Promise<boolean> {
  if (signal.aborted) return false;
  const { confirm } = await import('@clack/prompts');
  const answered = new AbortController();
  const answering = confirm({
    message,
    input: stdin,
    output: stderr,
    signal: AbortSignal.any([signal, answered.signal]),
  });
  // Ctrl-D ends the input without an answer. An answer ends it too, but the promise of the answer resolves first.
  const answer = await Promise.race([answering, once(stdin, 'pause').then(() => false)]);
  answered.abort();
  return answer === true;
}
