/** The command `budget-mcp` as `npm link` creates it. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from './auth/temporary-directory.helper.ts';
import { program } from './hosts.helper.ts';

/** Returns a folder for `PATH`, which is removed when the test ends. */
export async function linkedProgram(): Promise<string> {
  const directory = await temporaryDirectory();
  const path = join(directory, 'budget-mcp');
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(path, 0o755);
  return directory;
}
