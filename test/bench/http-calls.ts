/** Measures concurrent HTTP calls with cached results, compared with an empty server on the same SDK. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { timesOf } from './rounds.ts';
import { count, ms, type Row } from './table.ts';

const CLIENTS = [1, 16, 64] as const;
const ROUNDS = 5;
/** The duration of a round for one server. */
const ROUND_MS = 1_000;

/** Bundled by `build.ts`. */
const emptyServer = 'node_modules/.cache/bench/empty-http-server.mjs';

export async function httpCalls(): Promise<Row[]> {
  const ours = await startServer(['test/.built/main.js', 'serve', '--http', '--port', '0', '--demo']);
  const { tools } = z.object({ tools: z.array(z.unknown()) }).parse(await ours.request('tools/list'));
  const warm = () => ours.call('get_category', { category_id: 'Groceries' });
  const result = await warm();
  const empty = await startServer([emptyServer, String(tools.length), JSON.stringify(result)]);
  const constant = () => empty.call('tool_1', {});
  const rows: Row[] = [];
  try {
    for (const clients of CLIENTS) rows.push(await compare(clients, warm, constant));
  } finally {
    await Promise.all([ours.stop(), empty.stop()]);
  }
  return rows;
}

type Call = () => Promise<unknown>;

async function compare(clients: number, warm: Call, constant: Call): Promise<Row> {
  await measureRound(clients, warm);
  await measureRound(clients, constant);
  const [our, its]: [number[][], number[][]] = [[], []];
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [warmTimes, constantTimes] = [
      await measureRound(clients, warm),
      await measureRound(clients, constant),
    ];
    our.push(warmTimes);
    its.push(constantTimes);
    shares.push(warmTimes.length / constantTimes.length);
  }
  const share = timesOf(shares).median;
  const formatRate = (rounds: readonly number[][]) => {
    const rate = timesOf(rounds.map((times) => (times.length * 1_000) / ROUND_MS)).median;
    return `${count(Math.round(rate))} a second, p99 ${ms(timesOf(rounds.flat()).p99)}`;
  };
  return {
    what: `warm \`get_category\` by HTTP, ${clients === 1 ? 'one client' : `${clients} clients at once`}`,
    measured: `${share.toFixed(2)} times as many calls: ${formatRate(our)}`,
    beside: `an empty server on the same SDK with as many tools: ${formatRate(its)}`,
    target: 'at least 0.9 times',
    met: share >= 0.9,
  };
}

/** The milliseconds of each call. Each client calls again as soon as it has a result. */
async function measureRound(clients: number, call: Call): Promise<number[]> {
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

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const responseSchema = z.object({ result: z.looseObject({ isError: z.literal(false).optional() }) });

interface StartedServer {
  request(method: string, params?: object): Promise<unknown>;
  call(name: string, args: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** A server in another process. It writes its address to stderr. */
async function startServer(args: readonly string[]): Promise<StartedServer> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  let output = '';
  while (!output.includes('/mcp\n')) output += String((await once(child.stderr, 'data'))[0]);
  const url = /http:\S+/.exec(output)?.[0] ?? '';
  const dispatcher = new Agent({ connections: null });
  const send = async (method: string, params: object = {}, headers: Record<string, string> = {}) => {
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
    return responseSchema.parse(JSON.parse(text.replace(/^(?:[^d].*\n)*data: /, ''))).result;
  };
  return {
    request: (method, params) => send(method, params),
    call: (name, args) => send('tools/call', { name, arguments: args }, { 'mcp-name': name }),
    async stop() {
      await dispatcher.destroy();
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
