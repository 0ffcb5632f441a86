import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };

const read = (name: string) =>
  readFileSync(new URL(`../../.github/workflows/${name}`, import.meta.url), 'utf8');
const source = read('release.yml');
const workflow = z
  .object({
    jobs: z.record(
      z.string(),
      z.object({
        permissions: z.record(z.string(), z.string()),
        steps: z.array(z.object({ run: z.string().optional() })),
      }),
    ),
  })
  .parse(parse(source));
const commandsOf = (job: string) => workflow.jobs[job]?.steps.flatMap(({ run = [] }) => run) ?? [];

describe('the release workflow', () => {
  test('every action, also of the other workflows, is pinned to a commit, because a tag can be moved to other code', () => {
    const uses = [source, read('ci.yml'), read('soaks.yml')].flatMap((each) => {
      const found = [...each.matchAll(/\buses: (\S+)/g)].map(([, action = '']) => action);
      expect(found).not.toEqual([]);
      return found;
    });
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

  test('no command contains an expression of the workflow, because its value could be read as a command', () => {
    const commands = [...commandsOf('build'), ...commandsOf('publish')];
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });

  test('the files with the key are removed too when the release fails', () => {
    const command = commandsOf('build').find((each) => each.includes('key.pem')) ?? '';
    const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-workflow-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const failing = `npm() { ls "$RUNNER_TEMP" >&2; return 1; }\n${command}`;
    const env = {
      PATH: process.env['PATH'],
      RUNNER_TEMP: directory,
      CERTIFICATE: 'a',
      KEY: 'b',
      INTERMEDIATES: 'c',
    };
    const { status, stderr } = spawnSync('bash', ['-e'], { input: failing, env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual(['certificate.pem', 'intermediates.pem', 'key.pem']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('every command is valid for the shell, and every npm script that it runs exists', () => {
    for (const run of [...commandsOf('build'), ...commandsOf('publish')])
      execFileSync('bash', ['-n'], { input: run });
    const scripts = [...source.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
  });
});
