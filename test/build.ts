import { execFileSync } from 'node:child_process';

/** Tests that start the program start what is shipped, so it is built from what is tested. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
