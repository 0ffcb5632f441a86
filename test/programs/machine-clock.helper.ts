/** The clock of a machine with several programs, which a test controls. `machine-clock-preload.helper.ts` is their side. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { forNode } from '../../.ci/bundle-program.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

/** The machine was started an hour before. */
const UPTIME_MS = 3_600_000;

/** How often a running clock advances, in real milliseconds. */
const STEP_MS = 2;

export class MachineClock {
  /** The environment variables that the programs need. */
  readonly env: Readonly<Record<string, string>>;
  /** The clock of the service. */
  readonly service: ManualClock;
  readonly #file: number;
  /** The difference between the wall clock of the machine and that of the service. */
  #shift = 0;

  private constructor(env: Record<string, string>, service: ManualClock, file: number) {
    this.env = env;
    this.service = service;
    this.#file = file;
    this.#write();
  }

  static async start(wall: number | string): Promise<MachineClock> {
    const path = join(await temporaryDirectory(), 'clock');
    const file = openSync(path, 'w', 0o600);
    onTestFinished(() => closeSync(file));
    const env = { CLOCK_FILE: path, NODE_OPTIONS: `--import=${await preload()}` };
    return new MachineClock(env, new ManualClock(wall), file);
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
   * Lets the time pass until `work` is settled, `speed` times as fast as it does. It passes in the event loop of the test,
   * so that it does not pass while the service, which runs there too, has no chance to respond.
   */
  async passing<Result>(work: Promise<Result>, speed = 20): Promise<Result> {
    const timer = setInterval(() => this.advance(STEP_MS * speed), STEP_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  #write(): void {
    writeSync(this.#file, new Float64Array([this.now(), this.service.monotonic() + UPTIME_MS]), 0, 16, 0);
  }
}

let bundled: Promise<string> | undefined;

/** The bundled preload script as a data URL. */
function preload(): Promise<string> {
  bundled ??= build({
    ...forNode,
    entryPoints: ['test/programs/machine-clock-preload.helper.ts'],
    write: false,
  }).then(({ outputFiles: [file] }) => {
    if (!file) throw new Error('The bundle has no output file.');
    return `data:text/javascript;base64,${Buffer.from(file.contents).toString('base64')}`;
  });
  return bundled;
}
