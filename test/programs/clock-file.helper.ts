/** A clock in a file that programs read instead of the machine's clock. `machine-clock-preload.helper.ts` is their side. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { ManualClock } from '../manual-clock.helper.ts';

/** The machine was started an hour before. */
const UPTIME_MS = 3_600_000;

/** How often a running clock advances, in real milliseconds. */
const STEP_MS = 2;

export class ClockFile {
  /** The clock of the service. */
  readonly service: ManualClock;
  readonly #file: number;
  /** The difference between the wall clock of the machine and that of the service. */
  #shift = 0;

  constructor(path: string, wall: number | string) {
    this.service = new ManualClock(wall);
    this.#file = openSync(path, 'w', 0o600);
    this.#write();
  }

  /** The wall clock of the machine. */
  now(): number {
    return this.service.now() + this.#shift;
  }

  advance(milliseconds: number): void {
    this.service.advance(milliseconds);
    this.#write();
  }

  /** Sets the wall clock of the machine. A negative value sets it back. The service's clock does not change. */
  shiftWallClock(milliseconds: number): void {
    this.#shift += milliseconds;
    this.#write();
  }

  /**
   * Lets the time pass until `work` is settled, `speed` times as fast as it does. It passes in the event loop of this
   * process, so that it does not pass while the service, which runs there too, has no chance to respond.
   */
  async passing<Result>(work: Promise<Result>, speed = 20): Promise<Result> {
    const timer = setInterval(() => this.advance(STEP_MS * speed), STEP_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(): void {
    writeSync(this.#file, new Float64Array([this.now(), this.service.monotonic() + UPTIME_MS]), 0, 16, 0);
  }
}
