/** Measures time and memory from process start to the first tool list, compared with an empty server. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { timesOf } from './rounds.ts';
import { ms, type Row, size } from './table.ts';

const ROUNDS = 5;
/** In turns. */
const STARTS_PER_ROUND = 5;

/** Bundled by `build.ts`. */
const emptyServer = 'node_modules/.cache/bench/empty-server.mjs';

export async function startUp(): Promise<Row[]> {
  const ours = ['test/.built/main.js', 'serve', '--no-state'];
  const { tools } = await start(ours);
  const empty = [emptyServer, String(tools)];
  await start(empty);
  const rounds: (readonly [our: Start, its: Start])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(ours, empty));
  const median = (quantity: (our: Start, its: Start) => number) =>
    timesOf(rounds.map(([our, its]) => quantity(our, its))).median;
  const time = median((our, its) => our.time / its.time);
  const memory = median((our, its) => our.memory / its.memory);
  const beside = `an empty server on the same SDK with ${tools} trivial tools`;
  return [
    {
      what: 'from start to the first tool list',
      measured: `${time.toFixed(2)} times as long: ${ms(median((our) => our.time))}`,
      beside: `${beside}: ${ms(median((_, its) => its.time))}`,
      target: 'at most 1.25 times',
      met: time <= 1.25,
    },
    {
      what: 'memory with the first tool list',
      measured: `${memory.toFixed(2)} times as much: ${size(median((our) => our.memory))}`,
      beside: `the same: ${size(median((_, its) => its.memory))}`,
      target: 'at most 1.15 times',
      met: memory <= 1.15,
    },
  ];
}

/** The medians of some starts of both, in turns. */
async function measureRound(ours: readonly string[], empty: readonly string[]) {
  const [our, its]: [Start[], Start[]] = [[], []];
  for (let turn = 0; turn < STARTS_PER_ROUND; turn += 1) {
    our.push(await start(ours));
    its.push(await start(empty));
  }
  return [medianStart(our), medianStart(its)] as const;
}

const medianStart = (starts: readonly Start[]) => ({
  time: timesOf(starts.map(({ time }) => time)).median,
  memory: timesOf(starts.map(({ memory }) => memory)).median,
});

interface Start {
  /** In milliseconds. */
  readonly time: number;
  /** The resident set, in bytes. */
  readonly memory: number;
}

const frames = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];
const greeting = frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join('');

const listed = z.object({ id: z.literal(2), result: z.object({ tools: z.array(z.unknown()) }) });

async function start(args: readonly string[]): Promise<Start & { readonly tools: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { BUDGET_MCP_TOKEN: 'any', BUDGET_MCP_BASE_URL: 'http://127.0.0.1:9/v1' },
  });
  child.stdin.write(greeting);
  for await (const line of createInterface(child.stdout)) {
    const answer = listed.safeParse(JSON.parse(line));
    if (!answer.success) continue;
    const time = performance.now() - from;
    const memory = await residentSet(child.pid);
    child.kill();
    await once(child, 'exit');
    return { time, memory, tools: answer.data.result.tools.length };
  }
  throw new Error(`${args.join(' ')} ended without a tool list.`);
}

async function residentSet(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}
