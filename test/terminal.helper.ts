/** Runs the built program at a pseudo-terminal, which util-linux's `script` makes. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { program } from './hosts.helper.ts';

const script = '/usr/bin/script';

/** Only on Linux: the `script` of other systems takes other arguments. */
export const hasTerminal = process.platform === 'linux' && existsSync(script);

/** Whether a program that gets no variables of a session finds no keychain. */
export const hasNoKeychain = process.platform === 'linux';

export interface TerminalRun {
  readonly exitCode: number | null;
  readonly output: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** What the program prints, and how it ends. The person types each `text` when `to` has been printed after the answer before. */
export async function runAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  ...answers: readonly { readonly to: string; readonly text: string }[]
): Promise<TerminalRun> {
  // Otherwise the terminal has no columns, and questions are printed as one letter on each line.
  const command = `stty cols 200; exec ${[process.execPath, program, ...args].map(quoted).join(' ')}`;
  const child = spawn(script, ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', SHELL: '/bin/sh', ...env },
  });
  let output = '';
  let answered = 0;
  const open = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const [next] = open;
    if (!next || !output.slice(answered).includes(next.to)) return;
    answered = output.length;
    open.shift();
    // The end of the input would end the terminal too, so it stays open.
    child.stdin.write(next.text);
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output: output.replaceAll('\r\n', '\n') };
}
