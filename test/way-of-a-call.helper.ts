/**
 * Prints, as JSON, which files of `src/` a call of each kind has run, found by V8's precise coverage: a warm read, a cold
 * read and a write, each asked of a server on standard input and output.
 */
import { Session } from 'node:inspector/promises';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import { z } from 'zod';
import { fixedTokenProvider } from '../src/auth/token-provider.ts';
import { BudgetClient } from '../src/client/budget-client.ts';
import { HttpSender } from '../src/client/http-sender.ts';
import { createServer, createSharedState } from '../src/mcp/server.ts';
import { systemClock as clock } from '../src/platform/clock.ts';
import { startService } from '../src/service/server.ts';
import { serveStdio } from '../src/transports/stdio.ts';

const root = new URL('../src/', import.meta.url).href;

const printError = (error: unknown) => void process.stderr.write(`${inspect(error)}\n`);

const service = await startService({ clock });
const sender = new HttpSender({ clock });
const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
const deps = {
  client: new BudgetClient({ tokens, sender, clock, cacheBytes: 2 ** 26 }),
  clock,
  log: { error: ({ err }: { err: unknown }) => printError(err) },
  version: '0.0.0',
  confirm: 'deletes',
} as const;
const shared = createSharedState(deps);
const input = new PassThrough();
const output = new PassThrough();
const { signal } = new AbortController();
void serveStdio(() => createServer(deps, shared), {
  clock,
  signal,
  onError: printError,
  load: async () => shared,
  input,
  output,
});

const frame = z.object({
  id: z.number().optional(),
  result: z
    .object({
      isError: z.boolean().optional(),
      content: z.unknown().optional(),
      structuredContent: z.unknown().optional(),
    })
    .optional(),
});
let waiting: (answer: z.output<typeof frame>) => void = () => {};
output.setEncoding('utf8');
output.on('data', (line: string) => {
  const answer = frame.parse(JSON.parse(line));
  if (answer.id !== undefined) waiting(answer);
});

let id = 0;
function ask(method: string, params: object) {
  id += 1;
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise<z.output<typeof frame>>((resolve) => {
    waiting = resolve;
  });
}

async function call(name: string, args: object) {
  const { result } = await ask('tools/call', { name, arguments: args });
  if (!result || result.isError) throw new Error(JSON.stringify(result));
  return result.structuredContent;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The files whose functions ran in `work`, without those that only a folder of schemas or of the platform holds. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(root))
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.slice(root.length))
    .filter((file) => !/^(service|schema|platform)\//.test(file))
    .toSorted();
}

await ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'trace', version: '0.0.0' },
});
input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
await call('list_budgets', {});
const transactions = [{ account_id: 'checking', date: '2026-11-20', amount: -1 }];
const files = {
  'cold read': await filesOf(() => call('list_accounts', {})),
  'warm read': await filesOf(() => call('list_accounts', {})),
  write: await filesOf(() => call('create_transactions', { transactions })),
};
process.stdout.write(JSON.stringify(files), () => process.exit());
