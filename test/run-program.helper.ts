/** Runs the built program to its end, without a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from './home.helper.ts';
import { program } from './hosts.helper.ts';

export interface ProgramRun {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runProgram(
  args: readonly string[],
  { input = '', env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ProgramRun> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...inherited, ...env },
  });
  child.stdin.end(input);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...texts };
}
