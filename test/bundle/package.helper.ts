/** Runs `npm pack` and `npm publish` in a folder, without building. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const packResult = z
  .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);

/** Returns the name of the archive in `cwd` and the paths of its files. */
export async function pack(cwd: string, ...args: string[]): Promise<{ filename: string; paths: string[] }> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', ...args], {
    cwd,
  });
  const [archive] = packResult.parse(JSON.parse(stdout));
  return { filename: archive?.filename ?? '', paths: archive?.files.map(({ path }) => path) ?? [] };
}

/** Does everything but publish. Returns what npm says at the end, and its warnings about the package. */
export async function publishDryRun(cwd: string): Promise<{ published: string; warnings: string[] }> {
  const args = ['publish', '--dry-run', '--ignore-scripts'];
  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd });
  // This test does not sign in.
  const warnings = stderr.split('\n').filter((line) => /npm (warn|error) publish/i.test(line));
  return { published: stdout.trim(), warnings: warnings.filter((line) => !line.includes('logged in')) };
}
