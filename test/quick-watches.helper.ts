/**
 * The program with shorter pauses between two checks of what is watched, and between two tries of a message. Everything else
 * is the same, so real programs can be tested without waiting for ten minutes.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { bundleProgram } from '../.ci/bundle-program.ts';
import { builtProgram } from './built-program.helper.ts';

/** By file of `src/`: how constants are declared there. */
const shorter: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'mcp/watcher': { 'CHECK_MS = 10 * 60_000': 'CHECK_MS = 4_000', 'LOOK_MS = 60_000': 'LOOK_MS = 1_000' },
  'mcp/watch-deliveries': { 'FIRST_PAUSE_MS = 5_000': 'FIRST_PAUSE_MS = 500' },
  'app/compose/hosted-watches': {
    'LOOK_MS = 5_000': 'LOOK_MS = 500',
    'AFTER_ERROR_MS = 60_000': 'AFTER_ERROR_MS = 1_000',
  },
};

const shortPauses: Plugin = {
  name: 'short pauses',
  setup({ onLoad }) {
    for (const [file, replaced] of Object.entries(shorter))
      onLoad({ filter: new RegExp(`/src/${file}\\.ts$`) }, ({ path }) => ({
        contents: Object.entries(replaced).reduce(
          (text, [usual, short]) => {
            if (!text.includes(usual)) throw new Error(`${file} has no ${usual}.`);
            return text.replace(usual, short);
          },
          readFileSync(path, 'utf8'),
        ),
        loader: 'ts',
      }));
  },
};

/** Builds it, and returns the path of the file that Node.js starts. */
export async function buildQuickWatches(): Promise<string> {
  const directory = fileURLToPath(new URL('quick-watches/', builtProgram));
  await bundleProgram(directory, [shortPauses]);
  return `${directory}main.js`;
}
