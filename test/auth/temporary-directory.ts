import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Lives as long as the test that makes it. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'budget-mcp-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
