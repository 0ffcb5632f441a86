/**
 * Assistants that write and read through whole programs, while these are killed and suspended, their token is revoked, and
 * their state is full, deleted or replaced by an older one. Everything is compared with the service.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/platform/clock.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import { startNetwork } from '../fault-soak/network.helper.ts';
import { Traffic } from '../fault-soak/timeline.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { Assistant } from './assistant.helper.ts';
import { HostedPlace } from './hosted-place.helper.ts';
import { type Finding, type Judgement, NOTHING_WRONG } from './judgement.helper.ts';
import { Line } from './line.helper.ts';
import type { Moment, Place, Trouble } from './place.helper.ts';
import { StdioPlace } from './stdio-place.helper.ts';
import { Truth } from './truth.helper.ts';

/** `programs` are three on one machine with their state in files, `servers` two with one Redis behind a proxy. */
export const places = ['programs', 'servers'] as const;

export interface ProgramSoakOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly where: (typeof places)[number];
  /** By name. By default all of the place. */
  readonly troubles?: readonly string[];
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
/** How long a trouble may take. The longest is bounded by the time of the soak. */
const DURATIONS_S = [2, 8, 25, 60] as const;
/** A trouble begins without a write if there is none for so long. */
const NO_WRITE_MS = 15_000;
/** How long assistants repeat what is not settled at the end. */
const PATIENCE_MS = 45_000;
/** For each kind of finding. */
const MOST_EXAMPLES = 3;

interface Event {
  readonly at: number;
  readonly line: string;
}

export async function runProgramSoak(options: ProgramSoakOptions): Promise<ProgramSoakReport> {
  const random = new Random(options.seed);
  const line = new Line(random);
  const publicUrl = await unusedUrl();
  const redirectUris = ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path);
  const truth = await Truth.start(() => line.committed(), redirectUris);
  const { service } = truth;
  const events: Event[] = [];
  const start = performance.now();
  const log = (text: string) => {
    const at = performance.now();
    events.push({ at, line: `${((at - start) / 1_000).toFixed(1)} s ${text}` });
  };
  const network = await startNetwork({
    origin: service.appUrl,
    copies: [],
    plan: line,
    clock: systemClock,
    traffic: new Traffic(),
    onExchange: (exchange) => log(exchange.slice('2026-11-23T00:00:00.000Z '.length)),
  });
  const directory = await mkdtemp(join(tmpdir(), 'program-soak-'));
  const placeOptions = { directory, service, baseUrl: `${network.url}/v1`, assistants: ASSISTANTS };
  const place =
    options.where === 'programs'
      ? await StdioPlace.start(placeOptions)
      : await HostedPlace.start({ ...placeOptions, publicUrl });
  try {
    return await new ProgramSoak(options, { place, truth, line, random, events, log }).run();
  } finally {
    await place.close();
    await network.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Parts {
  readonly place: Place;
  readonly truth: Truth;
  readonly line: Line;
  readonly random: Random;
  readonly events: readonly Event[];
  readonly log: (text: string) => void;
}

class ProgramSoak {
  readonly #options: ProgramSoakOptions;
  readonly #parts: Parts;
  readonly #judgement = { ...NOTHING_WRONG };
  readonly #troubles: Record<string, number> = {};
  readonly #examples = new Map<Finding, string[]>();

  constructor(options: ProgramSoakOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(): Promise<ProgramSoakReport> {
    const { seed, seconds } = this.#options;
    const { place, truth, line, log } = this.#parts;
    const assistants = Array.from(
      { length: ASSISTANTS },
      (_, nth) =>
        new Assistant({
          nth,
          random: new Random(seed + nth + 1),
          place,
          truth,
          longestPauseMs: 1_500,
          log,
          onFinding: (...finding) => this.#found(...finding),
        }),
    );
    const until = performance.now() + seconds * 1_000;
    const working = assistants.map((assistant) =>
      assistant.work(() => performance.now() >= until, until + PATIENCE_MS),
    );
    await this.#disturb(until);
    line.isCalm = true;
    await Promise.all(working);
    const rows = await truth.rows();
    for (const assistant of assistants) assistant.judge(rows);
    const counts: Record<string, number> = {};
    for (const [name, count] of assistants.flatMap((assistant) => Object.entries(assistant.counts)))
      counts[name] = (counts[name] ?? 0) + count;
    const examples = [...this.#examples.values()].flat();
    return { found: this.#judgement, counts, troubles: this.#troubles, examples };
  }

  /** One trouble after the other, each in the middle of a write. */
  async #disturb(until: number): Promise<void> {
    const { random, place } = this.#parts;
    const { seconds, troubles = Object.keys(place.troubles) } = this.#options;
    const left: string[] = [];
    while (performance.now() < until) {
      if (left.length === 0) left.push(...troubles);
      const [name = ''] = left.splice(random.integer(0, left.length - 1), 1);
      const trouble = place.troubles[name];
      if (!trouble) {
        if (left.length === 0) return;
        continue;
      }
      const longest = Math.min(random.pick(DURATIONS_S), seconds / 4) * 1_000;
      await this.#happen(name, trouble, longest, until);
      await setTimeout(random.integer(500, 4_000));
    }
  }

  async #happen(name: string, trouble: Trouble, durationMs: number, until: number): Promise<void> {
    const { line, log } = this.#parts;
    await trouble.prepare?.();
    const ending = new AbortController();
    const begin = new Promise<Moment | undefined>((resolve) => {
      line.arm(resolve);
      const waitMs = Math.min(NO_WRITE_MS, until - performance.now());
      setTimeout(waitMs, undefined, { signal: ending.signal }).then(
        () => resolve(undefined),
        () => {},
      );
    });
    const moment = await begin;
    ending.abort();
    line.arm(undefined);
    if (!moment) return;
    log(`--- ${name} in a write of assistant ${moment.assistant}`);
    this.#troubles[name] = (this.#troubles[name] ?? 0) + 1;
    try {
      await trouble.begin(moment);
      if (trouble.end) await setTimeout(durationMs);
    } finally {
      await trouble.end?.();
      log(`--- end of ${name}`);
    }
  }

  #found(finding: Finding, count: number, what: string, since: number): void {
    const { events } = this.#parts;
    this.#judgement[finding] += count;
    const examples = this.#examples.get(finding) ?? [];
    this.#examples.set(finding, examples);
    if (examples.length >= MOST_EXAMPLES) return;
    const [, id = ''] = /"(?:memo|transaction_id|id)":"([^"]+)"/.exec(what) ?? [];
    const lines = events.filter(
      (event) => event.line.includes(id) || (event.at >= since - 5_000 && event.line.includes('---')),
    );
    examples.push(
      [`${finding}: ${what}`, ...lines.slice(0, 40).map((event) => `    ${event.line}`)].join('\n'),
    );
  }
}
