/** A person with a home directory and the hosts of this folder's package.json, which need a newer Node.js. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Host } from '../../src/app/hosts/host-table.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { homeIn } from '../home.helper.ts';
import { linkedProgram } from '../linked-program.helper.ts';
import { node22 } from '../node-22.helper.ts';
import { runProgram } from '../run-program.helper.ts';

const folder = import.meta.dirname;
const execute = promisify(execFile);
const npm = (...args: string[]) => execute('npm', [...args, '--loglevel=error'], { cwd: folder });

/** These put the program of the platform, which is a package of its own, in the place of a dummy. Nothing is downloaded. */
const withInstallScripts = ['@anthropic-ai/claude-code', 'opencode-ai'];

/** Installs the hosts if they are not there, and returns the folder of a Node.js that can run them. */
export async function installHosts(): Promise<string> {
  if (!existsSync(`${folder}/node_modules`)) {
    // Not `npm ci`: it wants packages of other platforms in the lock file that are not in the registry.
    await npm('install', '--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
    await npm('rebuild', ...withInstallScripts);
  }
  const { stdout } = await execute('npx', [...node22, '--', 'node', '-p', 'process.execPath']);
  return dirname(stdout.trim());
}

export interface Person {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command of `budget-mcp`. Throws if it fails. */
  install(...args: string[]): Promise<void>;
  /** Writes the whole file of a host. */
  write(host: Host, text: string): Promise<void>;
  /** Runs a host to its end, and returns what it writes, without colors. */
  run(command: string, args: readonly string[], more?: Readonly<Record<string, string>>): Promise<string>;
}

/** The network cannot be reached, apart from this machine. */
export async function startPerson(
  node: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Person> {
  const home = await temporaryDirectory();
  const env = {
    PATH: [`${folder}/node_modules/.bin`, node, await linkedProgram(), process.env['PATH']].join(delimiter),
    ...homeIn(home),
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    NO_COLOR: '1',
    // Gemini CLI starts nothing in a directory that nobody has trusted.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    BUDGET_MCP_NO_STATE: 'true',
    ...more,
  };
  return {
    home,
    env,
    async install(...args) {
      const { exitCode, stderr } = await runProgram(['install', ...args, '--yes'], { env: homeIn(home) });
      if (exitCode !== 0) throw new Error(stderr);
    },
    async write({ files }, text) {
      const file = files({ platform: process.platform, home, env: {} }).at(-1) ?? '';
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    async run(command, args, added = {}) {
      const child = spawn(command, args, {
        cwd: home,
        env: { ...env, ...added },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const texts: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => texts.push(text));
      await once(child, 'close');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is removed
      return texts.join('').replaceAll(/\u001b\[[0-9;]*m/g, '');
    },
  };
}
