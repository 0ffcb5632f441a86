/** The clock of a machine with several programs, which a test controls. `machine-clock-preload.helper.ts` is their side. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { ClockFile } from './clock-file.helper.ts';
import { preloadOf } from './preload.helper.ts';

export class MachineClock extends ClockFile {
  /** The environment variables that the programs need. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(path: string, wall: number | string, code: string) {
    super(path, wall);
    this.env = { CLOCK_FILE: path, NODE_OPTIONS: code };
  }

  static async start(wall: number | string): Promise<MachineClock> {
    const path = join(await temporaryDirectory(), 'clock');
    const clock = new MachineClock(path, wall, await preloadOf('machine-clock-preload.helper.ts'));
    onTestFinished(() => clock.close());
    return clock;
  }
}
