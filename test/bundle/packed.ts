/** What `npm pack` makes of a folder. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const packed = z
  .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);

/** The name of the archive, which lies in `cwd`, and the paths of the files in it. Builds nothing. */
export async function pack(cwd: string, ...args: string[]): Promise<{ filename: string; paths: string[] }> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', ...args], {
    cwd,
  });
  const [made] = packed.parse(JSON.parse(stdout));
  return { filename: made?.filename ?? '', paths: made?.files.map(({ path }) => path) ?? [] };
}
