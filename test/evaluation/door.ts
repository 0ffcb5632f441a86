/**
 * `evaluate door`: a conversation for a model that works in a terminal. Each conversation is a process of its own
 * (`door-host.ts`) that listens on a socket. This side is small, so that a call starts fast.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `Usage:
  door start <task> [--arm all|mirror|first-40|search|csv] [--out FILE]   begins a conversation; a task is a name or a number
  door tools <conversation>                    the tools
  door tool <conversation> NAME                one tool
  door call <conversation> NAME 'JSON'         calls a tool and prints its answer
  door answer <conversation> 'TEXT'            answers the person, and prints what the person says next`;

export const ENDED = 'The conversation has ended.';

const folder = join(tmpdir(), `budget-mcp-door-${process.getuid?.() ?? ''}`);
const socketOf = (conversation: string) => join(folder, `${conversation}.socket`);

/** Returns what is to be printed. */
export async function door([command, ...args]: readonly string[]): Promise<string> {
  if (command === 'start') return start(args);
  const [conversation, ...others] = args;
  if (
    command === undefined ||
    !['tools', 'tool', 'call', 'answer'].includes(command) ||
    conversation === undefined
  )
    throw new Error(USAGE);
  if (!existsSync(socketOf(conversation))) return ENDED;
  const sent = request({ socketPath: socketOf(conversation), method: 'POST' });
  sent.end(JSON.stringify([command, ...others]));
  const [response] = await once(sent, 'response');
  return text(response);
}

/** Waits until the conversation is ready. It goes on in the background. */
async function start(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { arm: { type: 'string', default: 'all' }, out: { type: 'string' } },
  });
  const [task] = positionals;
  if (task === undefined) throw new Error(USAGE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const conversation = randomBytes(3).toString('hex');
  const log = join(folder, `${conversation}.log`);
  const errors = openSync(log, 'w', 0o600);
  const host = fork(
    hostProgram,
    [conversation, socketOf(conversation), task, values.arm, ...(values.out ? [values.out] : [])],
    {
      detached: true,
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    },
  );
  const greeting = await new Promise<string>((resolve, reject) => {
    host.once('message', (message) => resolve(String(message)));
    host.once('exit', () => reject(new Error(readFileSync(log, 'utf8'))));
  }).finally(() => rmSync(log));
  host.disconnect();
  host.unref();
  return greeting;
}

/** Beside this file when both are bundled. */
const hostProgram = fileURLToPath(new URL('door-host.mjs', import.meta.url));
