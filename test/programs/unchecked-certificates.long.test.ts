/** The program with NODE_TLS_REJECT_UNAUTHORIZED=0, and a service with a self-signed certificate. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../certificate.helper.ts';
import { newHome } from '../home.helper.ts';
import { connectLegacy, program } from '../hosts.helper.ts';

/** Records the requests. It answers like a service without budgets. */
async function startSelfSigned(host: string) {
  const seen: string[] = [];
  const server = createServer(await selfSigned(), ({ headers }, response) => {
    seen.push(String(headers.authorization));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: { budgets: [], default_budget: null } }));
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { seen, baseUrl: `https://${host}:${address.port}/v1` };
}

// Otherwise Node.js warns of it on the standard error of the tests.
const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_OPTIONS: '--no-warnings' };

async function listBudgets(env: Readonly<Record<string, string>>) {
  const host = await connectLegacy({ args: ['serve'], env: { BUDGET_MCP_TOKEN: 'SECRET-token', ...env } });
  onTestFinished(() => host.close());
  return host.call('list_budgets');
}

// macOS has no address 127.0.0.2.
test.skipIf(process.platform === 'darwin')(
  'no token is sent to another machine whose certificate is not checked',
  async () => {
    // For the program, every address of 127.0.0.0/8 except 127.0.0.1 is another machine.
    const { seen, baseUrl } = await startSelfSigned('127.0.0.2');
    const { isError, text } = await listBudgets({ ...unchecked, BUDGET_MCP_BASE_URL: baseUrl });
    expect(seen).toEqual([]);
    expect(isError).toBe(true);
    expect(text).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0 turns off.*NODE_EXTRA_CA_CERTS/);
  },
);

test('a service on this machine may have a certificate that is not checked', async () => {
  const { seen, baseUrl } = await startSelfSigned('127.0.0.1');
  const { isError } = await listBudgets({ ...unchecked, BUDGET_MCP_BASE_URL: baseUrl });
  expect({ seen, isError }).toEqual({ seen: ['Bearer SECRET-token'], isError: false });
});

test('login refuses an unchecked certificate before it asks for a token', async () => {
  const login = ['login', '--base-url', 'https://api.example.com/v1', '--insecure-storage'];
  const env = { PATH: process.env['PATH'], ...(await newHome()), ...unchecked };
  // Its input stays open, so the test would hang if the program waited for a token.
  const failed = promisify(execFile)(process.execPath, [program, ...login], { env, timeout: 20_000 });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates'),
  });
});
