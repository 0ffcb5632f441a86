/**
 * A copy of the embedded service that lags. Both start with the same budgets, and equal requests in equal order give
 * equal ids. The copy gets every write late, so it responds like the service some time ago.
 */
import { onTestFinished } from 'vitest';
import type { ManualClock } from './manual-clock.helper.ts';
import { type RunningService, startTestService } from './service/running-service.helper.ts';

/** How far it lags. */
const LAG_MS = 20_000;

interface NotedWrite {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** When the service received it. */
  readonly now: number;
  readonly monotonic: number;
}

export class LaggingCopy {
  readonly #copy: RunningService;
  readonly #time: ManualClock;
  readonly #wall: ManualClock;
  #pending: NotedWrite[] = [];

  private constructor(copy: RunningService, time: ManualClock, wall: ManualClock) {
    this.#copy = copy;
    this.#time = time;
    this.#wall = wall;
  }

  /**
   * Of a service that was started with the same number of transactions and whose clock is `wall`; it lags by `time`,
   * which is the same unless the service's stands still.
   */
  static async start(time: ManualClock, transactions: number, wall = time): Promise<LaggingCopy> {
    const copy = await startTestService({ transactions });
    onTestFinished(() => copy.close());
    return new LaggingCopy(copy, time, wall);
  }

  get origin(): string {
    return this.#copy.appUrl;
  }

  get token(): string {
    return this.#copy.accessToken;
  }

  /** The service has just been given this. */
  note(write: Pick<NotedWrite, 'method' | 'path' | 'body'>): void {
    this.#pending.push({ ...write, now: this.#wall.now(), monotonic: this.#time.monotonic() });
  }

  /** Takes over what is older than the lag. */
  async catchUp(): Promise<void> {
    const until = this.#time.monotonic() - LAG_MS;
    const due = this.#pending.filter(({ monotonic }) => monotonic <= until);
    this.#pending = this.#pending.filter(({ monotonic }) => monotonic > until);
    for (const { method, path, body, now } of due) {
      this.#copy.clock.setWallClock(now);
      const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
      const response = await fetch(this.origin + path, { method, headers, ...(body !== '' && { body }) });
      await response.arrayBuffer();
    }
  }
}
