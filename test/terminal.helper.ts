/** Runs the built program at a pseudo-terminal, which util-linux's `script` makes. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { program } from './hosts.helper.ts';

const script = '/usr/bin/script';

/** Only on Linux: the `script` of other systems takes other arguments. */
export const hasTerminal = process.platform === 'linux' && existsSync(script);

export interface TerminalRun {
  readonly exitCode: number | null;
  readonly output: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** What the program prints, and how it ends. `typed` is what the person types. */
export async function runAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  typed = '',
): Promise<TerminalRun> {
  const command = [process.execPath, program, ...args].map(quoted).join(' ');
  const child = spawn(script, ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', SHELL: '/bin/sh', ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // The end of the input would end the terminal too, so it stays open.
  child.stdin.write(typed);
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output: output.replaceAll('\r\n', '\n') };
}
