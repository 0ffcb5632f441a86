/** The start of the built program, which lists its tools before it has loaded them. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/base/clock.ts';
import { catalogue } from '../../../src/features/catalogue.ts';
import { listTools } from '../../../src/mcp/tool-list.ts';
import { type Service, startService } from '../../../src/service/server.ts';
import { Arrivals } from '../../arrivals.helper.ts';
import { inherited } from '../../home.helper.ts';
import { program } from '../../hosts.helper.ts';
import { isPosix } from '../../posix.helper.ts';

/** Without a folder of statements. */
const offered = catalogue.filter(({ needsStatements }) => !needsStatements);

let service: Service;

beforeAll(async () => {
  service = await startService({ clock: systemClock, transactions: 10 });
});
afterAll(() => service.close());

const frame = z.object({
  id: z.number(),
  result: z
    .looseObject({
      tools: z.array(z.looseObject({ name: z.string() })).optional(),
      isError: z.boolean().optional(),
    })
    .optional(),
});

/** Starts the program. `send` sends requests at once, with the ids 1, 2 and so on. */
function start(args: readonly string[] = []) {
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    env: {
      ...inherited,
      BUDGET_MCP_BASE_URL: service.baseUrl,
      BUDGET_MCP_TOKEN: service.accessToken,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const lines = new Arrivals<z.output<typeof frame>>();
  createInterface({ input: child.stdout }).on('line', (line) => lines.add(frame.parse(JSON.parse(line))));
  let id = 0;
  return {
    child,
    errors,
    ended: once(child, 'close'),
    next: () => lines.next(),
    send(...messages: { readonly method: string; readonly params?: object }[]) {
      const frames = messages.map(({ method, params }) => {
        id += 1;
        return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
      });
      child.stdin.write(frames.join(''));
    },
  };
}

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const withViews = {
  ...initialize,
  params: {
    ...initialize.params,
    capabilities: {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    },
  },
};
const list = { method: 'tools/list' };
const call = { method: 'tools/call', params: { name: 'list_accounts', arguments: {} } };

test('a host that shows views is told of them in the first list and in later ones', async () => {
  const { send, next } = start();
  send(withViews, list);
  await next();
  const first = await next();
  send(call);
  await next();
  send(list);
  expect((await next()).result).toEqual(first.result);
  const report = first.result?.tools?.find(({ name }) => name === 'report');
  expect(report).toMatchObject({ _meta: { 'ui/resourceUri': 'ui://budget-mcp/report.html' } });
});

test.each([
  ['the defaults', []],
  ['read only', ['--read-only']],
  ['some toolsets', ['--toolsets', 'accounts,reports']],
  ['a time zone', ['--time-zone', 'Europe/Berlin']],
  ['no confirmation', ['--confirm', 'none']],
  ['confirmation of all writes', ['--confirm', 'writes']],
  ['structured content', ['--structured']],
])('the first list of tools is the same as a later one, with %s', async (_, args) => {
  const { send, next } = start(args);
  // The prompts are listed when everything is loaded.
  send(initialize, list, { method: 'prompts/list' }, list);
  const [, first, , later] = [await next(), await next(), await next(), await next()];
  expect(first.result?.tools?.length).toBeGreaterThan(0);
  expect(first.result?.tools).toEqual(later.result?.tools);
});

test('the list of tools that the build has prepared is the one that is made of the schemas', async () => {
  const { send, next } = start();
  send(initialize, list);
  await next();
  const { result } = await next();
  expect(result?.tools).toEqual(listTools(offered, { confirm: 'deletes', structured: false }));
});

test.each([
  ['right after the start', [initialize, call]],
  ['right after the list', [initialize, list, call]],
])('a call that comes %s is answered', async (_, messages) => {
  const { send, next } = start();
  send(...messages);
  for (const [index] of messages.entries()) {
    const answer = await next();
    expect(answer.id).toBe(index + 1);
    expect(answer).toMatchObject({ result: expect.not.objectContaining({ isError: true }) });
  }
});

test('calls that come right after the start are answered after the host has closed the pipe', async () => {
  const { child, send, next, ended, errors } = start();
  send(initialize, call, call);
  child.stdin.end();
  const answers = [await next(), await next(), await next()];
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
  for (const { result } of answers) expect(result).not.toBe(undefined);
  expect(await ended).toEqual([0, null]);
  expect(errors).toEqual([]);
});

type Stop = [string, (child: ChildProcessWithoutNullStreams) => void];
const sendsSignal: Stop = ['sends SIGTERM', (child) => child.kill('SIGTERM')];
test.each<Stop>([['closes the pipe', (child) => child.stdin.end()], ...(isPosix ? [sendsSignal] : [])])(
  'a host that %s right after the list ends the program without a message',
  async (_, stop) => {
    const { child, send, next, ended, errors } = start();
    send(initialize, list);
    await next();
    await next();
    stop(child);
    expect(await ended).toEqual([0, null]);
    expect(errors).toEqual([]);
  },
);
