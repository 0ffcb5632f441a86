/**
 * Programs that share a state, of which one is killed while they write, and a successor. What the service has is compared
 * with what the programs say.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Random } from '../../src/service/demo-data/random.ts';
import { MAX_UNDELIVERED_MS } from '../../src/session/writes/pending-write.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { type Called, connectLegacy, type Host, program } from '../hosts.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { MachineClock } from './machine-clock.helper.ts';
import { type Extent, type Kind, listed, type MarkedWrite, MarkedWrites } from './marked-writes.helper.ts';
import { type Passage, startPassingProxy } from './passing-proxy.helper.ts';
import { pidOf } from './sharing-programs.helper.ts';
import { filesOf, integrityOf } from './state-files.helper.ts';

export const KILL_POINTS = [
  'at any time',
  'the request is lost',
  'the request arrives',
  'the request arrives late',
  'before the answer',
  'after the answer',
] as const;
type KillPoint = (typeof KILL_POINTS)[number];

/** What a program says about a write. */
type Claim = 'written' | 'not written' | 'partly written' | 'unknown';

interface Call {
  readonly write: MarkedWrite;
  claim: Claim;
}

/** The longest delay of a request that the service still carries out, and some time to deliver it. */
const MAX_DELAY_MS = 25_000;
/** Most calls are over after this time, in real milliseconds. */
const MAX_CALL_MS = 120;
/** Programs start at this speed of the clock, since they need time for that. */
const REAL = 1;
const MAX_REPEATS = 100;

/**
 * The successor of a killed program does not know whether a write of several steps was complete. It says that what was
 * carried out stands.
 */
const expected: Readonly<Record<Claim, readonly Extent[]>> = {
  written: ['whole'],
  'not written': ['none'],
  'partly written': ['part', 'whole'],
  unknown: [],
};

export class KilledPrograms {
  /** How often something has happened. */
  readonly #counts = new Map<string, number>();
  readonly #random: Random;
  readonly #clock: MachineClock;
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #writes: MarkedWrites;
  readonly #calls: Call[] = [];
  readonly #late: Promise<void>[] = [];
  #onWrite: ((passage: Passage) => Promise<void>) | undefined;

  private constructor(
    random: Random,
    clock: MachineClock,
    directory: string,
    writes: MarkedWrites,
    url: string,
    token: string,
  ) {
    this.#random = random;
    this.#clock = clock;
    this.#directory = directory;
    this.#writes = writes;
    this.#env = {
      ...clock.env,
      BUDGET_MCP_BASE_URL: `${url}/v1`,
      BUDGET_MCP_TOKEN: token,
      BUDGET_MCP_NO_STATE: 'false',
    };
  }

  /** Kills programs of one sign-in one after the other. Returns how often something has happened. */
  static async run(seed: number, kills: number): Promise<ReadonlyMap<string, number>> {
    const clock = await MachineClock.start('2026-11-21T12:00:00Z');
    const service = await startTestService({ clock: clock.service, rateLimit: 90_000 });
    onTestFinished(() => service.close());
    const [ledger = expect.unreachable()] = service.user.ledgers;
    let programs: KilledPrograms | undefined;
    const url = await startPassingProxy(
      service.appUrl,
      (passage) => programs?.pass(passage) ?? passage.deliver(),
    );
    const random = new Random(seed);
    const writes = new MarkedWrites(ledger, random);
    const directory = await temporaryDirectory();
    programs = new KilledPrograms(random, clock, directory, writes, url, service.accessToken);
    await programs.#run(seed, kills);
    return programs.#counts;
  }

  async pass(passage: Passage): Promise<void> {
    const onWrite = passage.method === 'GET' ? undefined : this.#onWrite;
    await (onWrite ? onWrite(passage) : passage.deliver());
  }

  async #run(seed: number, kills: number): Promise<void> {
    let [victim, other] = await this.#clock.passing(Promise.all([this.#start(), this.#start()]), REAL);
    for (let kill = 1; kill <= kills; kill += 1) {
      const point = this.#random.pick(KILL_POINTS);
      const name = `seed ${seed}, kill ${kill}: ${point}`;
      const isLast = this.#random.chance(0.25);
      const calls = await this.#callAndKill(victim, other, point, isLast ? [victim, other] : [victim]);
      expect([name, integrityOf(this.#directory)]).toEqual([name, ['ok']]);
      victim = await this.#clock.passing(this.#start(), REAL);
      if (isLast) other = await this.#clock.passing(this.#start(), REAL);
      await this.#check(name, victim, calls);
    }
    // Nothing happens later, and nothing was set aside.
    await Promise.all(this.#late);
    for (const call of this.#calls) this.#expectExtent(call);
    expect(filesOf(this.#directory).filter((file) => file.endsWith('.unusable'))).toEqual([]);
    for (const host of [victim, other]) {
      expect((await host.call('get_status')).structured['state']).toEqual({ shared: true });
      await host.close();
    }
  }

  async #start(): Promise<Host> {
    const host = await connectLegacy({
      args: ['serve', '--state-dir', this.#directory, '--confirm', 'none'],
      env: this.#env,
    });
    onTestFinished(() => host.close());
    const { isError, text } = await host.call('list_accounts');
    expect(isError, text).toBe(false);
    return host;
  }

  async #callAndKill(
    victim: Host,
    other: Host,
    point: KillPoint,
    killed: readonly Host[],
  ): Promise<{ calls: Call[]; since: number }> {
    const kinds: Kind[] = [this.#writes.nextKind()];
    kinds.push(this.#writes.nextKind(kinds[0]));
    const prepared = kinds.map((kind) => this.#writes.prepare(kind, victim));
    const [write = expect.unreachable(), otherWrite = expect.unreachable()] = await this.#clock.passing(
      Promise.all(prepared),
      1,
    );
    // Undelivered outcomes of earlier calls are not kept for so long. All imports are equal calls.
    this.#clock.advance(MAX_UNDELIVERED_MS + 1_000);
    const since = this.#clock.now();
    const kill = () => {
      for (const host of killed) process.kill(pidOf(host), 'SIGKILL');
    };
    const victimCall: Call = { write, claim: 'unknown' };
    const otherCall: Call = { write: otherWrite, claim: 'unknown' };
    const calls = this.#random.chance(0.6) ? [victimCall, otherCall] : [victimCall];
    this.#calls.push(...calls);
    const delays = {
      real: this.#random.integer(0, MAX_CALL_MS),
      late: this.#random.integer(0, MAX_DELAY_MS),
    };
    const killing = this.#armed(write, point, kill, delays);
    const made = this.#makeCall(victim, victimCall);
    if (calls.length > 1)
      await this.#clock.passing(Promise.all([killing(made), made, this.#makeCall(other, otherCall)]));
    else await this.#clock.passing(Promise.all([killing(made), made]));
    this.#onWrite = undefined;
    this.#count(`killed: ${point}`);
    this.#count(`victim: ${write.tool}, ${victimCall.claim} at the kill, ${write.extent()}`);
    return { calls, since };
  }

  /** Returns a function that ends when the victim was killed, at the latest after its call. */
  #armed(
    write: MarkedWrite,
    point: KillPoint,
    kill: () => void,
    { real, late }: { readonly real: number; readonly late: number },
  ): (call: Promise<void>) => Promise<void> {
    let isKilled = false;
    const killOnce = () => {
      if (!isKilled) kill();
      isKilled = true;
    };
    const step = this.#random.integer(1, 2);
    let requests = 0;
    this.#onWrite = async (passage) => {
      const isMeant = write.texts.some((text) => `${passage.path} ${passage.body}`.includes(text));
      if (isMeant) requests += 1;
      if (!isMeant || (requests !== step && write.tool === 'move_budgeted') || isKilled)
        return passage.deliver();
      switch (point) {
        case 'at any time':
          return passage.deliver();
        case 'the request is lost':
          return killOnce();
        case 'the request arrives':
          killOnce();
          return passage.deliver();
        case 'the request arrives late': {
          killOnce();
          const delivered = this.#clock.service.sleep(late).then(passage.deliver);
          this.#late.push(delivered);
          return delivered;
        }
        case 'before the answer':
          await passage.deliver();
          return killOnce();
        case 'after the answer':
          await passage.deliver();
          void setTimeout(real / 2).then(killOnce);
      }
    };
    return async (call) => {
      if (point === 'at any time') await setTimeout(real);
      else await call;
      killOnce();
    };
  }

  async #makeCall(host: Host, call: Call): Promise<void> {
    const { tool, args } = call.write;
    const answer = await host.call(tool, args).catch(() => undefined);
    if (answer) this.#claimed(call, claimOf(answer));
  }

  /** What a program says must be so at that time. */
  #claimed(call: Call, claim: Claim): void {
    call.claim = claim;
    if (claim !== 'unknown') this.#expectExtent(call);
  }

  #expectExtent({ write, claim }: Call): void {
    expect(expected[claim], `${JSON.stringify(write)} is told as ${claim}`).toContain(write.extent());
  }

  async #check(
    name: string,
    host: Host,
    { calls, since }: { readonly calls: readonly Call[]; readonly since: number },
  ): Promise<void> {
    const isRepeated = this.#random.chance(0.5);
    for (const call of calls) {
      if (call.claim !== 'unknown') continue;
      const before = call.write.extent();
      await (isRepeated ? this.#repeat(host, call) : this.#watch(host, call, since));
      this.#count(`${isRepeated ? 'equal call' : 'status'}: ${before} before, ${call.claim}`);
    }
    const { writes } = {
      writes: listed(await this.#clock.passing(host.call('list_writes', { limit: 100 }))),
    };
    const tools = writes.filter(({ at }) => Date.parse(at) >= since).map(({ tool }) => tool);
    const made = calls.filter(({ write }) => write.extent() !== 'none').map(({ write }) => write.tool);
    expect([name, tools.toSorted()]).toEqual([name, made.toSorted()]);
  }

  /** Makes the equal call until its outcome is known. */
  async #repeat(host: Host, call: Call): Promise<void> {
    const { tool, args } = call.write;
    for (let time = 0; time < MAX_REPEATS; time += 1) {
      const answer = await this.#clock.passing(host.call(tool, args), 50);
      this.#claimed(call, claimOf(answer));
      if (call.claim !== 'unknown') return;
    }
    expect.unreachable('The equal call never had an outcome.');
  }

  /** Asks for the status until the outcome is known. */
  async #watch(host: Host, call: Call, since: number): Promise<void> {
    for (;;) {
      const { structured } = await this.#clock.passing(host.call('get_status'));
      const { writes, state } = statusSchema.parse(structured);
      expect(state).toEqual({ shared: true });
      const found = writes.find(
        ({ tool, called_at }) => tool === call.write.tool && Date.parse(called_at) >= since,
      );
      const told = found?.state ?? 'not_written';
      if (told !== 'sent' && told !== 'being_looked_for' && told !== 'waiting')
        return this.#claimed(call, claims[told]);
      await this.#clock.passing(this.#clock.service.sleep(500), 100);
    }
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}

const claims = {
  written: 'written',
  partly_written: 'partly written',
  not_written: 'not written',
  unknown: 'unknown',
} as const;

const statusSchema = z.object({
  writes: z.array(
    z.object({
      tool: z.string(),
      called_at: z.string(),
      state: z.enum([
        'waiting',
        'sent',
        'being_looked_for',
        'written',
        'partly_written',
        'not_written',
        'unknown',
      ]),
    }),
  ),
  state: z.object({ shared: z.boolean(), reason: z.string().optional() }),
});

function claimOf({ isError, text }: Called): Claim {
  if (!isError) return 'written';
  if (text.includes('Read what has been changed')) return 'partly written';
  // What it says of its own call leaves open what an earlier equal one has done.
  expect(text).toMatch(/get_status shows the outcome|^This call changed nothing/);
  return 'unknown';
}

/** Until when a program has opened its state and loaded the budget, in real milliseconds. */
const STARTING_MS = 1_000;

/** Starts a program and a first call, and kills it at a random time. */
export async function killWhileStarting(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  random: Random,
): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => {});
  const clientInfo = { name: 'host', version: '1' };
  const requests = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } },
  ];
  for (const request of requests) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  await setTimeout(random.integer(0, STARTING_MS));
  child.kill('SIGKILL');
  await ended;
}
