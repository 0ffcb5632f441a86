/** What calls cost where the state is shared, as they are measured and as docs/calls.md promises it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const callCost = z.object({
  /** The files of `src/` that run, found by V8's precise coverage, without those of the service and of `base/`. */
  files: z.array(z.string()),
  /** The accesses of the store until the host has the answer, such as `read budget 1 < #freshness session/budget-call.ts:355`. */
  before: z.array(z.string()),
  after: z.array(z.string()),
  /** To the service. */
  requests: z.array(z.string()),
});

const callCosts = z.object({ warm: callCost, cold: callCost, write: callCost });

export type CallCost = z.output<typeof callCost>;
export type CallCosts = z.output<typeof callCosts>;

const program = fileURLToPath(new URL('way-of-a-call.helper.ts', import.meta.url));

/** `place` is a file, or the address of a Redis. By default the state is in memory. */
export async function measureCalls(place?: string): Promise<CallCosts> {
  const args = ['--import', 'tsx', program, ...(place === undefined ? [] : [place])];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return callCosts.parse(JSON.parse(stdout));
}

/** The numbers of the row with this name in docs/calls.md. */
export function promised(row: string): readonly number[] {
  const documentation = readFileSync(new URL('../docs/calls.md', import.meta.url), 'utf8');
  const line = documentation.split('\n').find((each) => each.startsWith(`| ${row} |`)) ?? '';
  return line.split('|').slice(2, -1).map(Number);
}
