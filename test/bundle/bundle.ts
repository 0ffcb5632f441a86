/** `npm run bundle`: the `.mcpb` for installation with one click, validated. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stageBundle } from './staged.helper.ts';

const program = fileURLToPath(new URL('../../node_modules/.bin/mcpb', import.meta.url));

/** Runs the bundler's command line. Throws with its output if it fails. */
export const mcpb = (...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });

export function makeBundle(output: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-bundle-'));
  try {
    stageBundle(directory);
    mcpb('validate', join(directory, 'manifest.json'));
    mcpb('pack', directory, output);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const [, , output] = process.argv;
if (output?.endsWith('.mcpb')) {
  makeBundle(output);
  process.stdout.write(`Wrote ${output}.\n`);
}
