/** The program as a process: how it ends, and what it says then. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../src/platform/clock.ts';
import { type Service, startService } from '../src/service/server.ts';
import { temporaryDirectory } from './auth/temporary-directory.ts';
import { program } from './hosts.ts';
import { serveHttp } from './local-server.ts';

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  /** Settles once it has said that on stderr; fails where it has ended before. */
  const saying = async (text: string) => {
    while (!said.includes(text))
      await Promise.race([
        once(child.stderr, 'data'),
        ended.then((how) => Promise.reject(new Error(`It ended with ${how}, and had said: ${said}`))),
      ]);
  };
  return { child, ended, saying, said: () => said };
}

/** In front of a service: it holds back every answer to a POST until it is let go. */
async function startHoldingBack(service: Service) {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const proxy = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url, headers } = request;
    const { status, body } = await fetch(`${service.appUrl}${url}`, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    }).then(async (answer) => ({ status: answer.status, body: await answer.text() }));
    if (method === 'POST') {
      arrive();
      await held;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  return { baseUrl: `${proxy.url}/v1`, arrived, letGo: () => letGo() };
}

const tell = ({ stdin }: ChildProcessWithoutNullStreams, message: object) =>
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

describe('whoever reads the output and stops', () => {
  test.each([
    ['ends the server, which sees a write under way through', []],
    ['may ask it to stop as well, which hurries nothing', ['SIGTERM'] as const],
  ])('%s', async (_, signals) => {
    const service = await startService({ clock: systemClock, transactions: 10 });
    onTestFinished(() => service.close());
    const { baseUrl, arrived, letGo } = await startHoldingBack(service);
    const { child, ended, saying, said } = start(
      ['--base-url', baseUrl, '--confirm', 'none', '--log-level', 'debug'],
      { BUDGET_MCP_TOKEN: service.accessToken },
    );
    const [ledger] = service.user.ledgers;
    const account = ledger?.detail().accounts[0];
    const coffee = { account_id: account?.id, date: new Date().toISOString().slice(0, 10), amount: -4.5 };
    tell(child, {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    tell(child, {
      id: 2,
      method: 'tools/call',
      params: { name: 'create_transactions', arguments: { transactions: [coffee] } },
    });
    await arrived;
    child.stdout.destroy();
    tell(child, { id: 3, method: 'ping' });
    await saying('EPIPE');
    for (const signal of signals) child.kill(signal);
    letGo();
    expect(await ended).toEqual([0, null]);
    const lines = said().trimEnd().split('\n');
    expect(lines.map((line) => z.looseObject({}).parse(JSON.parse(line)))).toContainEqual(
      expect.objectContaining({ route: 'POST /budgets/{budget_id}/transactions', outcome: 201 }),
    );
  });

  test('ends the demo, which has nothing to complain of', async () => {
    const { child, ended, said } = start(['demo']);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toEqual([0, null]);
    expect(said()).toBe('');
  });
});

describe('a command that fails', () => {
  test('says what to do where that was to be expected', async () => {
    const { ended, said } = start(['service', '--port', '65536']);
    expect(await ended).toEqual([1, null]);
    expect(said()).toBe(
      'budget-mcp: --port must be a whole number, from 0 to 65535. Correct the setting and start again.\n',
    );
  });

  test('shows its stack where it is a bug', async () => {
    const bug = "process.stdout.write = () => { throw new TypeError('This is a bug.'); }";
    const { ended, said } = start(['service', '--transactions', '10'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    });
    expect(await ended).toEqual([1, null]);
    expect(said()).toMatch(/^budget-mcp: TypeError: This is a bug\.\n +at .*\n +at /);
  });
});

test('without a home nothing is written to the folder that the program happens to be started in', async () => {
  const cwd = await temporaryDirectory();
  const args = ['login', '--insecure-storage', '--base-url', 'http://127.0.0.1:9/v1'];
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { HOME: '' } });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdin.end('a-token\n');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toContain('HOME and XDG_DATA_HOME have to be absolute paths');
  expect(await readdir(cwd)).toEqual([]);
});
