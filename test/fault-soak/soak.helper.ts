/**
 * Writes and reads by hosts of one client with faults everywhere: the network, the service's copies, other people's
 * changes, the clock of the machine, impatient hosts. Each turn is one or two writes with reads around them.
 */
import { Random } from '../../src/service/demo-data/random.ts';
import { Choices } from './choices.helper.ts';
import { type Claim, call } from './host.helper.ts';
import { OtherPeople } from './other-people.helper.ts';
import { OwnWriteCheck, type ReadCounts } from './own-write-check.helper.ts';
import {
  findings,
  type Intention,
  judge,
  NOTHING_WRONG,
  shownSince,
  type Verdict,
} from './verdict.helper.ts';
import { startWorld, type World, type WorldOptions } from './world.helper.ts';
import { type SoakWrite, SoakWrites } from './writes.helper.ts';

const PATIENCE_MS = 20_000;
/** After this time all late deliveries have arrived, and the copies have caught up. */
const AFTERWARDS_MS = 120_000;
/** In one turn. */
const MOST_READS = 8;
/** The time between two turns in milliseconds. In the longest one the hour's requests become free. */
const PAUSES = [0, 200, 1_000, 5_000, 30_000, 120_000, 300_000, 600_000] as const;
/** For each kind of finding. */
const MOST_EXAMPLES = 5;

export interface SoakOptions extends WorldOptions {
  /** Without those that are refused because the hour's requests are used. */
  readonly writes: number;
  /** The number that is compared with earlier writes. */
  readonly reads: number;
}

export interface SoakReport extends Verdict, ReadCounts {
  /** Without those that were refused because the hour's requests are used. */
  readonly writes: number;
  readonly writesRefusedForQuota: number;
  readonly claims: Readonly<Record<Claim['outcome'], number>>;
  /** By kind. */
  readonly faults: ReadonlyMap<string, number>;
  readonly simulatedMs: number;
  /** The first faults of each kind, with the events of their turn. */
  readonly examples: readonly string[];
}

export async function runFaultSoak(options: SoakOptions): Promise<SoakReport> {
  const lines: string[] = [];
  const world = await startWorld(options, (line) => lines.push(line));
  try {
    return await new FaultSoak(options, world, lines).run();
  } finally {
    await world.close();
  }
}

interface Turn {
  readonly number: number;
  readonly write: SoakWrite;
  /** Two if it is wanted twice. */
  readonly intentions: Intention[];
  lines: readonly string[];
}

type Step = () => Promise<void>;

class FaultSoak {
  readonly #options: SoakOptions;
  readonly #world: World;
  readonly #random: Random;
  readonly #writes: SoakWrites;
  readonly #others: OtherPeople;
  readonly #reads: OwnWriteCheck;
  /** The events of this turn. */
  readonly #lines: string[];
  readonly #turns: Turn[] = [];
  /** By kind of finding. */
  readonly #examples = new Map<string, string[]>();

  constructor(options: SoakOptions, world: World, lines: string[]) {
    this.#options = options;
    this.#world = world;
    this.#lines = lines;
    this.#random = new Random(options.seed);
    const choices = new Choices(this.#random, world.ledger, world.history);
    this.#writes = new SoakWrites(this.#random, choices, world);
    this.#others = new OtherPeople(this.#random, choices, world.ledger);
    this.#reads = new OwnWriteCheck(this.#random, world, (kind, what) =>
      this.#example(kind, this.#turns.length, what, lines),
    );
  }

  async run(): Promise<SoakReport> {
    const { writes, reads } = this.#options;
    const { timeline, plan, client } = this.#world;
    for (;;) {
      const missingWrites = writes - this.#writesDone();
      const missingReads = reads - this.#reads.counts.reads;
      if (missingWrites <= 0 && missingReads <= 0) break;
      const perTurn = Math.ceil(Math.max(missingReads, 0) / Math.max(missingWrites, 1));
      await timeline.until(this.#takeTurn(Math.min(perTurn, MOST_READS)));
    }
    plan.stop();
    await timeline.until(client.writesSettled().then(() => timeline.world.sleep(AFTERWARDS_MS)));
    this.#world.checkCopies();
    return this.#report();
  }

  /** Without those that were refused because the hour's requests are used. */
  #writesDone(): number {
    const intentions = this.#turns.flatMap((turn) => turn.intentions);
    return intentions.filter((each) => !isRefusedForQuota(each)).length;
  }

  async #takeTurn(reads: number): Promise<void> {
    const random = this.#random;
    const { plan, timeline } = this.#world;
    const number = this.#turns.length + 1;
    plan.startTurn(number);
    this.#lines.length = 0;
    await timeline.world.sleep(random.pick(PAUSES));
    // All random numbers are drawn before anything happens, so that the order of events does not change them.
    const turn: Turn = { number, write: this.#writes.next(), intentions: [], lines: [] };
    this.#turns.push(turn);
    const steps: Step[] = this.#writings(turn);
    for (let nth = 0; nth < reads; nth += 1)
      steps.push(this.#after(random.integer(0, 30_000), () => this.#reads.read()));
    if (random.chance(0.4))
      steps.push(this.#after(random.integer(0, 20_000), async () => this.#others.act()));
    if (random.chance(0.2) && this.#options.withFaults) steps.push(this.#mischief());
    await Promise.all(steps.map((step) => step()));
    timeline.correctMachine();
    turn.lines = [...this.#lines];
  }

  #after(milliseconds: number, step: Step): Step {
    return () => this.#world.timeline.world.sleep(milliseconds).then(step);
  }

  /** A write as one host wants it, and sometimes another equal one: two coffees. */
  #writings({ write, intentions }: Turn): Step[] {
    const random = this.#random;
    const times = write.isRepeatable && random.chance(0.3) ? 2 : 1;
    return Array.from({ length: times }, (_, nth) => {
      const intention: Intention = { write, claims: [] };
      intentions.push(intention);
      const isImpatient = random.chance(0.15) && this.#options.withFaults;
      const retryAfterMs = isImpatient ? random.pick([0, 1_000, 5_000]) : undefined;
      return this.#after(nth * random.pick([0, 1_500, 4_000]), () => this.#carryOut(intention, retryAfterMs));
    });
  }

  /** Changes the clock of the machine, or lets a proxy refuse everything. */
  #mischief(): Step {
    const random = this.#random;
    const { timeline, plan } = this.#world;
    const sleepMs = random.pick([15_000, 300_000]);
    const lockoutMs = random.pick([1_000, 20_000, 180_000, 1_200_000]);
    const kinds: readonly [Mischief, ...Mischief[]] = [
      ['wall clock set forward', () => timeline.shiftMachine(60_000)],
      ['wall clock set forward', () => timeline.shiftMachine(3_600_000)],
      ['wall clock set back', () => timeline.shiftMachine(-600_000)],
      ['wall clock set back', () => timeline.shiftMachine(-3_600_000)],
      ['machine asleep', () => timeline.suspendMachine(sleepMs)],
      ['lockout', () => void plan.lockOut(timeline.world.sleep(lockoutMs))],
    ];
    const [name, happen] = random.pick(kinds);
    // Often in the first second, before the search for a lost write begins.
    const after = random.integer(0, random.pick([1_000, 10_000]));
    return this.#after(after, async () => {
      this.#note(name);
      plan.counts.set(name, (plan.counts.get(name) ?? 0) + 1);
      happen();
    });
  }

  /** With `retryAfterMs`, the host gives up after a while and sends an equal call. */
  async #carryOut({ write, claims }: Intention, retryAfterMs: number | undefined): Promise<void> {
    const { timeline, history } = this.#world;
    const host = new AbortController();
    const answered = new AbortController();
    if (retryAfterMs !== undefined)
      timeline.machine.sleep(PATIENCE_MS, answered.signal).then(
        () => host.abort(),
        () => {},
      );
    claims.push(await call(this.#world, write, host.signal));
    answered.abort();
    if (host.signal.aborted) {
      this.#note('the host has given up');
      await timeline.machine.sleep(retryAfterMs ?? 0);
      claims.push(await call(this.#world, write));
    }
    const last = claims.at(-1);
    if (!last) return;
    this.#note(`the host gets: ${JSON.stringify(last)}`);
    this.#reads.confirm(last.outcome === 'written' ? last.ids : [], shownSince(write, last, history));
  }

  #note(what: string): void {
    this.#lines.push(`${new Date(this.#world.timeline.world.now()).toISOString()} ${what}`);
  }

  #example(kind: string, turn: number, what: string, lines: readonly string[]): void {
    const examples = this.#examples.get(kind) ?? [];
    this.#examples.set(kind, examples);
    if (examples.length < MOST_EXAMPLES)
      examples.push([`turn ${turn}, ${kind}: ${what}`, ...lines.map((line) => `    ${line}`)].join('\n'));
  }

  #report(): SoakReport {
    const { history, plan, timeline } = this.#world;
    const total = { ...NOTHING_WRONG };
    const claims = { written: 0, 'not written': 0, unknown: 0 };
    let writesRefusedForQuota = 0;
    for (const { number, write, intentions, lines } of this.#turns) {
      const verdict = judge(intentions, history);
      for (const finding of findings) total[finding] += verdict[finding];
      for (const intention of intentions) {
        if (isRefusedForQuota(intention)) writesRefusedForQuota += 1;
        else claims[intention.claims.at(-1)?.outcome ?? 'unknown'] += 1;
      }
      const { operation, input } = write;
      const what = `${operation.name} ${JSON.stringify(input)}, wanted ${intentions.length} times`;
      for (const finding of findings) if (verdict[finding] > 0) this.#example(finding, number, what, lines);
    }
    return {
      ...total,
      ...this.#reads.counts,
      writes: this.#writesDone(),
      writesRefusedForQuota,
      claims,
      faults: plan.counts,
      simulatedMs: timeline.world.monotonic(),
      examples: [...this.#examples.values()].flat(),
    };
  }
}

function isRefusedForQuota({ claims }: Intention): boolean {
  const last = claims.at(-1);
  return last?.outcome === 'not written' && last.isForQuota;
}

type Mischief = readonly [name: string, happen: () => void];
