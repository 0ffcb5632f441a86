/** Runs `npm pack` in a folder. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const packResult = z
  .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);

/** Returns the name of the archive in `cwd` and the paths of its files. Does not build. */
export async function pack(cwd: string, ...args: string[]): Promise<{ filename: string; paths: string[] }> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', ...args], {
    cwd,
  });
  const [archive] = packResult.parse(JSON.parse(stdout));
  return { filename: archive?.filename ?? '', paths: archive?.files.map(({ path }) => path) ?? [] };
}
