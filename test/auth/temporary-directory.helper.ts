import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Its real path, since that of macOS is a link. Removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'budget-mcp-')));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
