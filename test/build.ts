import { execFileSync } from 'node:child_process';

/** Builds the program, because some tests start the built program. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
