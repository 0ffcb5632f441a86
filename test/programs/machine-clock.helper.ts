/** The clock of a machine with several programs, which a test controls. `machine-clock-preload.helper.ts` is their side. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { forNode } from '../../.ci/bundle-program.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { ClockFile } from './clock-file.helper.ts';

export class MachineClock extends ClockFile {
  /** The environment variables that the programs need. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(path: string, wall: number | string, code: string) {
    super(path, wall);
    this.env = { CLOCK_FILE: path, NODE_OPTIONS: `--import=${code}` };
  }

  static async start(wall: number | string): Promise<MachineClock> {
    const path = join(await temporaryDirectory(), 'clock');
    const clock = new MachineClock(path, wall, await preload());
    onTestFinished(() => clock.close());
    return clock;
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
