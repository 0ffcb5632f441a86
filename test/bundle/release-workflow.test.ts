import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };

const source = readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8');
const workflow = z
  .object({
    jobs: z.record(
      z.string(),
      z.object({
        permissions: z.record(z.string(), z.string()),
        steps: z.array(z.object({ run: z.string().optional(), uses: z.string().optional() })),
      }),
    ),
  })
  .parse(parse(source));
const commandsOf = (job: string) => workflow.jobs[job]?.steps.flatMap(({ run = [] }) => run) ?? [];

describe('the release workflow', () => {
  test('every action is pinned to a commit, because a tag can be moved to other code', () => {
    const uses = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap((step) => step.uses ?? []),
    );
    expect(uses.filter((each) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(each))).toEqual([]);
  });

  test('only the job that publishes may write or identify itself, and it neither installs packages nor builds them', () => {
    expect(workflow.jobs['build']?.permissions).toEqual({ contents: 'read' });
    expect(commandsOf('publish').join('\n')).not.toMatch(/\bnpm (ci|install|run)\b|\bnpx\b/);
  });

  test('npm, image, release and registry entry are published in this order, because the entry names the others', () => {
    const steps = commandsOf('publish').join('\n');
    const positions = [
      'npm publish --provenance',
      'buildx build --push',
      'gh release create',
      'publish release/',
    ];
    const found = positions.map((step) => steps.indexOf(step));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  test('every command is valid for the shell, and every npm script that it runs exists', () => {
    for (const run of [...commandsOf('build'), ...commandsOf('publish')])
      execFileSync('bash', ['-n'], { input: run });
    const scripts = [...source.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
  });
});
