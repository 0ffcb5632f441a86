/** What processes of this machine use, as Linux counts it. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Linux counts the time of the processor in hundredths of a second. */
const MS_PER_TICK = 10;
/** After the name of the program, which may contain spaces, `utime` is the 12th field and `stime` the 13th. */
const [UTIME, STIME] = [11, 12];

export interface Usage {
  readonly cpuMs: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

/** Undefined if there is no such process. */
async function usageOf(pid: number): Promise<Usage | undefined> {
  const [stat, status] = await Promise.all(
    ['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  if (!stat || !status) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[UTIME]) + Number(fields[STIME]);
  return {
    cpuMs: ticks * MS_PER_TICK,
    rss: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024,
  };
}

/** This process and those that it has started and that run now. */
export function withChildren(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
}

type PidsByName = Readonly<Record<string, readonly number[]>>;

/** Looks at processes that begin and end, under names. A name may have several at once. */
export class UsageWatch {
  /** The last usage that was seen of each process. */
  readonly #seen = new Map<string, Map<number, Usage>>();
  readonly #most = new Map<string, number>();
  readonly #pids: () => PidsByName;
  readonly #timer: NodeJS.Timeout;

  constructor(pids: () => PidsByName, everyMs = 1_000) {
    this.#pids = pids;
    this.#timer = setInterval(() => void this.look(), everyMs);
  }

  async look(): Promise<void> {
    for (const [name, pids] of Object.entries(this.#pids())) {
      const ofName = this.#seen.get(name) ?? new Map<number, Usage>();
      this.#seen.set(name, ofName);
      let rss = 0;
      for (const pid of pids) {
        const usage = await usageOf(pid);
        if (usage === undefined) continue;
        ofName.set(pid, usage);
        rss += usage.rss;
      }
      this.#most.set(name, Math.max(this.#most.get(name) ?? 0, rss));
    }
  }

  /** Of all processes of this name, in milliseconds. Of one that was killed, the last second can be missing. */
  cpuMs(name: string): number {
    return [...(this.#seen.get(name)?.values() ?? [])].reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }

  /** The most resident memory that was seen of all processes of a name together, in bytes. */
  get most(): ReadonlyMap<string, number> {
    return this.#most;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
