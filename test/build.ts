import { execFileSync } from 'node:child_process';
import { buildEvaluation } from './evaluation/build.ts';

/** Builds the program and the evaluation, because some tests start them. */
export async function setup(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build:test'], { stdio: 'inherit' });
  await buildEvaluation();
}
