/** Runs the clients of this folder's package.json. They need a newer Node.js than the server. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { node22 } from '../node-22.helper.ts';

const folder = import.meta.dirname;
const execute = promisify(execFile);

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A server to start, or one that runs. */
export type Server =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string };

const outputSchema = z.object({
  tools: z.array(z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()) })),
  results: z.array(z.object({ sent: z.record(z.string(), z.unknown()), text: z.string() })),
});

export interface Run {
  readonly server: Server;
  readonly calls: readonly Call[];
  /** Every field that a call does not set is sent as null, as models do in strict mode. */
  readonly sendsNulls?: boolean;
}

/** Installs the packages if they are not there, and returns the path of a Node.js that can run them. */
export async function installClients(): Promise<string> {
  if (!existsSync(`${folder}/node_modules`))
    await execute('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], { cwd: folder });
  const { stdout } = await execute('npx', [...node22, '--', 'node', '-p', 'process.execPath']);
  return stdout.trim();
}

/** The tools as the client offers them to its model, and the result of each call as the model gets it. */
export const runClient = async (node: string, client: string, run: Run) =>
  outputSchema.parse(await runScript(node, 'run', { client, ...run }));

/** What a script of this folder writes for `input`. */
export async function runScript(node: string, name: string, input: object): Promise<unknown> {
  const ran = execute(node, [`${folder}/${name}.mjs`], { maxBuffer: 64 * 2 ** 20 });
  ran.child.stdin?.end(JSON.stringify(input));
  return JSON.parse((await ran).stdout);
}
