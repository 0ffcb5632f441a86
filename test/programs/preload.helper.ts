/** Code that a program loads before its own files (`node --import`). */
import { build } from 'esbuild';
import { forNode } from '../../.ci/bundle-program.ts';

const bundled = new Map<string, Promise<string>>();

/** For `NODE_OPTIONS`: the bundled script as a data URL. `file` is in this folder. */
export function preloadOf(file: string): Promise<string> {
  const made =
    bundled.get(file) ??
    build({ ...forNode, entryPoints: [`test/programs/${file}`], write: false }).then(
      ({ outputFiles: [output] }) => {
        if (!output) throw new Error('The bundle has no output file.');
        return `--import=data:text/javascript;base64,${Buffer.from(output.contents).toString('base64')}`;
      },
    );
  bundled.set(file, made);
  return made;
}
