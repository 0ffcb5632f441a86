import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';

const program = new URL('way-of-a-call.helper.ts', import.meta.url).pathname;
const documentation = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');

const filesByCall = z.object({
  'warm read': z.array(z.string()),
  'cold read': z.array(z.string()),
  write: z.array(z.string()),
});

/** The files that the documentation names for a call. */
function documented(call: string) {
  const section = documentation.split(`### A ${call}\n`)[1]?.split('\n#')[0] ?? '';
  const way = [...section.matchAll(/^\d+\. `([^`]+\.ts)`/gm)].flatMap(([, file]) => file ?? []);
  const [consulted = ''] = /^Consulted: .*$/m.exec(section) ?? [];
  return { way, consulted: [...consulted.matchAll(/`([^`]+\.ts)`/g)].flatMap(([, file]) => file ?? []) };
}

test('docs/architecture.md names every file that a warm read, a cold read and a write run, ten of them on the way', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  const run = filesByCall.parse(JSON.parse(stdout));
  for (const [call, files] of Object.entries(run)) {
    const { way, consulted } = documented(call);
    expect(way.length, call).toBeGreaterThan(0);
    expect(way.length, call).toBeLessThanOrEqual(10);
    expect([...way, ...consulted].toSorted(), call).toEqual(files);
  }
});
