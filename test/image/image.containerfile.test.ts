import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { node22 } from '../node-22.helper.ts';

const containerfile = readFileSync(new URL('../../Containerfile', import.meta.url), 'utf8');

test('the labels of the image are what package.json says', () => {
  const labels = [...containerfile.matchAll(/\borg\.opencontainers\.image\.([a-z]+)="([^"]*)"/g)];
  const { name, description, version, license } = packageJson;
  expect(Object.fromEntries(labels.map(([, label, value]) => [label, value]))).toEqual({
    title: name,
    description,
    version,
    licenses: license,
  });
});

test('the bases of the image are pinned by version, and its Node.js is the one that tests run with', () => {
  const bases = [...containerfile.matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, base]) => base);
  expect(bases).toHaveLength(2);
  for (const base of bases) expect(base).toMatch(/^docker\.io\/library\/\w+:\d+\.\d+(\.\d+)?-[\w-]+$/);
  const [, version] = /:([\d.]+)-/.exec(bases[0] ?? '') ?? [];
  expect(node22).toContain(`--package=node@${version}`);
  const stages = [...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, stage]) => stage);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: these are variables of the Containerfile
  expect(stages).toEqual(['${NODE_IMAGE}', '${BASE_IMAGE}']);
});
