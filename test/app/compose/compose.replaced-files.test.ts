import { spawn } from 'node:child_process';
import { cp, rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Arrivals } from '../../arrivals.helper.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { builtProgram } from '../../built-program.helper.ts';
import { inherited } from '../../home.helper.ts';

const answer = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })).optional() }).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** Starts a copy of the built program, whose chunks the test can move away. */
async function startCopy() {
  const directory = await temporaryDirectory();
  await cp(builtProgram, directory, { recursive: true });
  // As in the package: Node 20.18 does not find out by itself that a file is an ES module.
  await writeFile(`${directory}/package.json`, '{"type":"module"}');
  const env = { BUDGET_MCP_BASE_URL: 'http://127.0.0.1:9/v1', BUDGET_MCP_TOKEN: 'any' };
  const server = spawn(process.execPath, [`${directory}/main.js`], { env: { ...inherited, ...env } });
  onTestFinished(() => void server.kill());
  const lines = new Arrivals<string>();
  createInterface({ input: server.stdout }).on('line', lines.add);
  let id = 0;
  const ask = async (method: string, params: object) => {
    id += 1;
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer.parse(JSON.parse(await lines.next()));
  };
  const clientInfo = { name: 'raw', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return {
    ask,
    accounts: () => ask('tools/call', { name: 'list_accounts', arguments: {} }),
    moveFiles: () => rename(`${directory}/chunks`, `${directory}/elsewhere`),
    returnFiles: () => rename(`${directory}/elsewhere`, `${directory}/chunks`),
  };
}

const replaced = /files of this server were replaced.*restart/;
const textOf = ({ result }: z.output<typeof answer>) => result?.content?.[0]?.text;

test('a program whose files are replaced before it has loaded its tools says so, and continues when they are back', async () => {
  const { accounts, moveFiles, returnFiles } = await startCopy();
  await moveFiles();
  expect((await accounts()).error?.message).toMatch(replaced);
  await returnFiles();
  expect(textOf(await accounts())).toContain('The service cannot be reached');
});

test('a program whose files are replaced before its first request says so, and continues when they are back', async () => {
  const { ask, accounts, moveFiles, returnFiles } = await startCopy();
  await ask('prompts/list', {});
  await moveFiles();
  expect(textOf(await accounts())).toMatch(replaced);
  await returnFiles();
  expect(textOf(await accounts())).toContain('The service cannot be reached');
});
