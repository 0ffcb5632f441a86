/** Calls by HTTP of many clients at once on warm answers, beside an empty server on the same SDK with as many tools. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { timesOf } from './rounds.ts';
import { count, ms, type Row } from './table.ts';

const CLIENTS = [1, 16, 64] as const;
const ROUNDS = 6;
/** Of one round for one server. */
const ROUND_MS = 1_000;

/** Bundled by `build.ts`. */
const emptyServer = 'node_modules/.cache/bench/empty-http-server.mjs';

export async function httpCalls(): Promise<Row[]> {
  const ours = await started(['dist/main.js', 'serve', '--http', '--port', '0', '--demo']);
  const { tools } = z.object({ tools: z.array(z.unknown()) }).parse(await ours.ask('tools/list'));
  const category = await someCategory(ours);
  const warm = () => ours.call('get_category', { category_id: category });
  const told = await warm();
  const empty = await started([emptyServer, String(tools.length), JSON.stringify(told)]);
  const constant = () => empty.call('tool_1', {});
  const rows: Row[] = [];
  try {
    for (const clients of CLIENTS) rows.push(await compared(clients, warm, constant));
  } finally {
    await Promise.all([ours.stop(), empty.stop()]);
  }
  return rows;
}

type Call = () => Promise<unknown>;

async function compared(clients: number, warm: Call, constant: Call): Promise<Row> {
  const [our, its]: [number[], number[]] = [[], []];
  await during(clients, warm);
  await during(clients, constant);
  for (let round = 0; round < ROUNDS; round += 1) {
    our.push(...(await during(clients, warm)));
    its.push(...(await during(clients, constant)));
  }
  const rate = (times: readonly number[]) => (times.length * 1_000) / (ROUNDS * ROUND_MS);
  const share = rate(our) / rate(its);
  const said = (times: readonly number[]) =>
    `${count(Math.round(rate(times)))} a second, p99 ${ms(timesOf(times).p99)}`;
  return {
    what: `warm \`get_category\` by HTTP, ${clients === 1 ? 'one client' : `${clients} clients at once`}`,
    measured: `${share.toFixed(2)} times as many calls: ${said(our)}`,
    beside: `an empty server on the same SDK with as many tools: ${said(its)}`,
    target: 'at least 0.5 times',
    met: share >= 0.5,
  };
}

/** How long each call took, in milliseconds, of clients that each ask again as soon as they are answered. */
async function during(clients: number, call: Call): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  const client = async () => {
    for (let from = performance.now(); from < end; from = performance.now()) {
      await call();
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

const someCategories = z.object({
  structuredContent: z.object({
    category_groups: z.array(z.object({ categories: z.array(z.object({ id: z.string() })) })),
  }),
});

async function someCategory({ call }: Started): Promise<string> {
  const { structuredContent } = someCategories.parse(await call('list_categories', {}));
  const [first] = structuredContent.category_groups.flatMap(({ categories }) => categories);
  return first?.id ?? '';
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const answered = z.object({ result: z.looseObject({ isError: z.literal(false).optional() }) });

interface Started {
  ask(method: string, params?: object): Promise<unknown>;
  call(name: string, args: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** A server in a process of its own, which says on stderr where it listens. */
async function started(args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  while (!said.includes('/mcp\n')) said += String((await once(child.stderr, 'data'))[0]);
  const url = /http:\S+/.exec(said)?.[0] ?? '';
  const dispatcher = new Agent({ connections: null });
  const ask = async (method: string, params: object = {}, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${method}: ${statusCode} ${text}`);
    return answered.parse(JSON.parse(text.replace(/^(?:[^d].*\n)*data: /, ''))).result;
  };
  return {
    ask,
    call: (name, args) => ask('tools/call', { name, arguments: args }, { 'mcp-name': name }),
    async stop() {
      await dispatcher.destroy();
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
