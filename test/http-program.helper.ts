/** The program as an HTTP server in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from './home.helper.ts';
import { program, withoutState } from './hosts.helper.ts';

export interface HttpProgram {
  /** `http://127.0.0.1:PORT/mcp` */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Its output on standard error. */
  readonly written: () => string;
  /** Stops it and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `serve --http` on a free port and resolves once it listens. */
export async function startHttpProgram(
  args: readonly string[] = ['--demo'],
  env: Readonly<Record<string, string>> = {},
  built = program,
): Promise<HttpProgram> {
  const child = spawn(process.execPath, [built, 'serve', '--http', '--port', '0', ...args], {
    env: { BUDGET_MCP_STRUCTURED: 'true', ...inherited, ...withoutState, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const listening = () => /listens on (http:\/\/\S+?:(\d+)\/mcp)\n/.exec(text);
  while (!listening() && child.exitCode === null) await Promise.race([once(child.stderr, 'data'), ended]);
  const [, url = '', port = ''] = listening() ?? [];
  if (url === '') throw new Error(`The program ended: ${text}`);
  return {
    url,
    port: Number(port),
    process: child,
    written: () => text,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}
