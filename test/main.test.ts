/** The program as a process: how it ends, and its output. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../src/base/clock.ts';
import { type Service, startService } from '../src/service/server.ts';
import { temporaryDirectory } from './auth/temporary-directory.helper.ts';
import { inherited } from './home.helper.ts';
import { program, withoutState } from './hosts.helper.ts';
import { serveHttp } from './local-server.helper.ts';
import { isPosix } from './posix.helper.ts';

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...inherited, ...withoutState, ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  /** Resolves when stderr contains the text. Rejects if the process ends before. */
  const printed = async (text: string) => {
    while (!output.includes(text))
      await Promise.race([
        once(child.stderr, 'data'),
        ended.then((how) => Promise.reject(new Error(`It ended with ${how}. Its output was: ${output}`))),
      ]);
  };
  return { child, ended, printed, output: () => output };
}

/** A proxy in front of a service that delays every response to a POST until the test releases it. */
async function startDelayingProxy(service: Service) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
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
      await released;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  return { baseUrl: `${proxy.url}/v1`, arrived, release: () => release() };
}

const send = ({ stdin }: ChildProcessWithoutNullStreams, message: object) =>
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

describe('a reader that stops reading the output', () => {
  test.each<NodeJS.Signals | 'no signal'>(['no signal', ...(isPosix ? ['SIGTERM' as const] : [])])(
    'the server ends after the write in progress if its reader stops reading and sends %s',
    async (signal) => {
      const service = await startService({ clock: systemClock, transactions: 10 });
      onTestFinished(() => service.close());
      const { baseUrl, arrived, release } = await startDelayingProxy(service);
      const { child, ended, printed, output } = start(
        ['--base-url', baseUrl, '--confirm', 'none', '--log-level', 'debug'],
        { BUDGET_MCP_TOKEN: service.accessToken },
      );
      const [ledger] = service.user.ledgers;
      const account = ledger?.detail().accounts[0];
      const coffee = { account_id: account?.id, date: new Date().toISOString().slice(0, 10), amount: -4.5 };
      send(child, {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        },
      });
      send(child, {
        id: 2,
        method: 'tools/call',
        params: { name: 'create_transactions', arguments: { budget_id: ledger?.id, transactions: [coffee] } },
      });
      await arrived;
      child.stdout.destroy();
      send(child, { id: 3, method: 'ping' });
      await printed('EPIPE');
      if (signal !== 'no signal') child.kill(signal);
      release();
      expect(await ended).toEqual([0, null]);
      const lines = output().trimEnd().split('\n');
      expect(lines.map((line) => z.looseObject({}).parse(JSON.parse(line)))).toContainEqual(
        expect.objectContaining({ route: 'POST /budgets/{budget_id}/transactions', outcome: 201 }),
      );
    },
  );

  test('a reader that stops reading ends the demo without an error message', async () => {
    const { child, ended, output } = start(['demo']);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toEqual([0, null]);
    expect(output()).toBe('');
  });
});

describe('a command that fails', () => {
  test('a command that fails with an expected error says what to do', async () => {
    const { ended, output } = start(['service', '--port', '65536']);
    expect(await ended).toEqual([1, null]);
    expect(output()).toBe(
      'budget-mcp: --port must be a whole number, from 0 to 65535. Correct the setting and start again.\n',
    );
  });

  test('a command that fails because of a bug shows the stack', async () => {
    const bug = "process.stdout.write = () => { throw new TypeError('This is a bug.'); }";
    const { ended, output } = start(['service', '--transactions', '10'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    });
    expect(await ended).toEqual([1, null]);
    expect(output()).toMatch(/^budget-mcp: TypeError: This is a bug\.\n +at .*\n +at /);
  });
});

test.runIf(isPosix)('without a home directory nothing is written to the current directory', async () => {
  const cwd = await temporaryDirectory();
  const args = ['login', '--insecure-storage', '--base-url', 'http://127.0.0.1:9/v1'];
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { HOME: '' } });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.end('a-token\n');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(output).toContain('HOME and XDG_DATA_HOME have to be absolute paths');
  expect(await readdir(cwd)).toEqual([]);
});
