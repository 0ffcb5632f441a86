import { spawn } from 'node:child_process';
import { cp, rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Arrivals } from '../arrivals.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

const callResult = z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) });

test('a program whose files are replaced while it runs says so, and continues when they are back', async () => {
  const directory = await temporaryDirectory();
  await cp(new URL('../../dist', import.meta.url), directory, { recursive: true });
  // As in the package: Node 20.18 does not find out by itself that a file is an ES module.
  await writeFile(`${directory}/package.json`, '{"type":"module"}');
  const env = { BUDGET_MCP_BASE_URL: 'http://127.0.0.1:9/v1', BUDGET_MCP_TOKEN: 'any' };
  const server = spawn(process.execPath, [`${directory}/main.js`], { env });
  onTestFinished(() => void server.kill());
  const lines = new Arrivals<string>();
  createInterface({ input: server.stdout }).on('line', lines.add);
  const ask = async (id: number, method: string, params: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse(await lines.next());
  };
  const accounts = async (id: number) =>
    callResult.parse(await ask(id, 'tools/call', { name: 'list_accounts', arguments: {} })).result.content[0]
      ?.text;
  const clientInfo = { name: 'raw', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await rename(`${directory}/chunks`, `${directory}/elsewhere`);
  expect(await accounts(2)).toMatch(/files of this server were replaced.*restart/);
  await rename(`${directory}/elsewhere`, `${directory}/chunks`);
  expect(await accounts(3)).toContain('The service cannot be reached');
});
