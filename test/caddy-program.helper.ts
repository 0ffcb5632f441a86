/** A real Caddy in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface CaddyProgram {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves when it has written `readyText`. Everything that it stores is in `directory`. */
export async function runCaddy(
  caddyfile: string,
  directory: string,
  readyText: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CaddyProgram> {
  const config = join(directory, 'Caddyfile');
  await writeFile(config, caddyfile);
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(caddy, 'exit');
  let written = '';
  caddy.stderr.setEncoding('utf8').on('data', (text: string) => {
    // It goes on to write, and only the beginning is needed.
    if (written.length < 100_000) written += text;
  });
  while (!written.includes(readyText)) {
    await Promise.race([once(caddy.stderr, 'data'), ended]);
    if (caddy.exitCode !== null) throw new Error(`Caddy ended: ${written}`);
  }
  return {
    pid: caddy.pid ?? 0,
    async stop() {
      // It would wait for requests in progress.
      caddy.kill('SIGKILL');
      await ended;
    },
  };
}
