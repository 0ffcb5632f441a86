/**
 * Assistants that write and read through whole programs, while these are killed and suspended, their token is revoked, and
 * their state is full, deleted or replaced by an older one. Everything is compared with the service.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import { startNetwork } from '../fault-soak/network.helper.ts';
import { Traffic } from '../fault-soak/timeline.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { Assistant } from './assistant.helper.ts';
import { HostedPlace } from './hosted-place.helper.ts';
import { type Finding, type Judgement, NOTHING_WRONG } from './judgement.helper.ts';
import { Line } from './line.helper.ts';
import type { Moment, Place } from './place.helper.ts';
import { StdioPlace } from './stdio-place.helper.ts';
import { Truth } from './truth.helper.ts';

/** `programs` are three on one machine with their state in files, `servers` two with one Redis. */
export const places = ['programs', 'servers'] as const;

export interface ProgramSoakOptions {
  readonly seed: number;
  readonly where: (typeof places)[number];
  /** By name. By default all of the place. */
  readonly troubles?: readonly string[];
  /** The soak ends after this time, or when each trouble has happened so often, each for at most `longestMs`. */
  readonly seconds?: number;
  readonly rounds?: number;
  readonly longestMs?: number;
}

export interface ProgramSoakReport {
  readonly found: Judgement;
  /** What was done how often. */
  readonly counts: Readonly<Record<string, number>>;
  /** How often each trouble has happened. */
  readonly troubles: Readonly<Record<string, number>>;
  /** The first findings of each kind, with what happened meanwhile. */
  readonly examples: readonly string[];
}

const ASSISTANTS = 3;
const DURATIONS_MS = [2_000, 8_000, 25_000, 60_000] as const;
/** How long assistants repeat what is not settled at the end. */
const PATIENCE_MS = 45_000;
/** For each kind of finding. */
const MOST_EXAMPLES = 3;

export async function runProgramSoak(options: ProgramSoakOptions): Promise<ProgramSoakReport> {
  const soak = new ProgramSoak(options);
  const publicUrl = await unusedUrl();
  const redirectUris = ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path);
  const truth = await Truth.start(() => soak.line.committed(), redirectUris);
  const { service } = truth;
  const network = await startNetwork({
    origin: service.appUrl,
    copies: [],
    plan: soak.line,
    clock: systemClock,
    traffic: new Traffic(),
    onExchange: (exchange) => soak.log(exchange.slice('2026-11-23T00:00:00.000Z '.length)),
  });
  const directory = await mkdtemp(join(tmpdir(), 'program-soak-'));
  const placeOptions = { directory, service, baseUrl: `${network.url}/v1`, publicUrl };
  const place = await (options.where === 'programs' ? StdioPlace : HostedPlace).start(placeOptions);
  try {
    return await soak.run(place, truth);
  } finally {
    await place.close();
    await network.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

class ProgramSoak {
  readonly line: Line;
  readonly #options: ProgramSoakOptions;
  readonly #random: Random;
  #assistants: readonly Assistant[] = [];
  readonly #events: { readonly at: number; readonly line: string }[] = [];
  readonly #start = performance.now();
  readonly #judgement = { ...NOTHING_WRONG };
  readonly #troubles: Record<string, number> = {};
  readonly #examples = new Map<Finding, string[]>();

  constructor(options: ProgramSoakOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.line = new Line(this.#random, (request) =>
      this.#assistants.map((each) => each.windowOf(request)).find((window) => window !== undefined),
    );
  }

  log(text: string): void {
    const at = performance.now();
    this.#events.push({ at, line: `${((at - this.#start) / 1_000).toFixed(1)} s ${text}` });
  }

  async run(place: Place, truth: Truth): Promise<ProgramSoakReport> {
    const { seed } = this.#options;
    this.#assistants = Array.from(
      { length: ASSISTANTS },
      (_, nth) =>
        new Assistant({
          nth,
          random: new Random(seed + nth + 1),
          place,
          truth,
          longestPauseMs: 1_500,
          log: (text) => this.log(text),
          onFinding: (...finding) => this.#found(...finding),
        }),
    );
    const working = Promise.all(this.#assistants.map((assistant) => assistant.work(() => this.line.isCalm)));
    await Promise.race([working, this.#disturb(place)]);
    this.line.isCalm = true;
    for (const assistant of this.#assistants) assistant.limitPatience(PATIENCE_MS);
    await working;
    for (const assistant of this.#assistants) assistant.judge();
    const counts: Record<string, number> = {};
    for (const [name, count] of this.#assistants.flatMap((assistant) => Object.entries(assistant.counts)))
      counts[name] = (counts[name] ?? 0) + count;
    const examples = [...this.#examples.values()].flat();
    return { found: this.#judgement, counts, troubles: this.#troubles, examples };
  }

  /** One trouble after the other, each in the middle of a write. */
  async #disturb(place: Place): Promise<void> {
    const { seconds = Number.POSITIVE_INFINITY, rounds = Number.POSITIVE_INFINITY } = this.#options;
    const until = performance.now() + seconds * 1_000;
    const names = this.#options.troubles ?? Object.keys(place.troubles);
    for (let round = 0; round < rounds && performance.now() < until; round += 1) {
      const left = [...names];
      while (left.length > 0 && performance.now() < until) {
        const [name = ''] = left.splice(this.#random.integer(0, left.length - 1), 1);
        await this.#happen(name, place, until);
        await setTimeout(this.#random.integer(200, 2_000));
      }
    }
  }

  async #happen(name: string, { troubles }: Place, until: number): Promise<void> {
    const { longestMs = Number.POSITIVE_INFINITY } = this.#options;
    const trouble = troubles[name];
    if (!trouble) return;
    const durationMs = Math.min(this.#random.pick(DURATIONS_MS), longestMs);
    await trouble.prepare?.();
    const moment = await this.#nextWrite(until);
    if (!moment) return;
    this.log(`--- ${name} in a write of program ${moment.window}`);
    this.#troubles[name] = (this.#troubles[name] ?? 0) + 1;
    try {
      await trouble.begin(moment);
      if (trouble.end) await setTimeout(durationMs);
    } finally {
      await trouble.end?.();
      this.log(`--- end of ${name}`);
    }
  }

  /** Undefined if there is none until then. */
  async #nextWrite(until: number): Promise<Moment | undefined> {
    const ending = new AbortController();
    const write = new Promise<Moment | undefined>((resolve) => {
      this.line.arm(resolve);
      if (Number.isFinite(until))
        setTimeout(until - performance.now(), undefined, { signal: ending.signal }).then(resolve, () => {});
    });
    return write.finally(() => {
      ending.abort();
      this.line.arm(undefined);
    });
  }

  #found(finding: Finding, count: number, what: string, since: number): void {
    this.#judgement[finding] += count;
    const examples = this.#examples.get(finding) ?? [];
    this.#examples.set(finding, examples);
    if (examples.length >= MOST_EXAMPLES) return;
    const [, id = ''] = /"(?:memo|transaction_id|id)":"([^"]+)"/.exec(what) ?? [];
    const lines = this.#events.filter(
      (event) => event.line.includes(id) || (event.at >= since - 5_000 && event.line.includes('---')),
    );
    examples.push(
      [`${finding}: ${what}`, ...lines.slice(0, 40).map((event) => `    ${event.line}`)].join('\n'),
    );
  }
}
