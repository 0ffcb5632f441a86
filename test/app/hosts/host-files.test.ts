import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { objectAt } from '../../../src/app/hosts/config-formats.ts';
import { type FormatName, hosts, TOKEN_PLACEHOLDER } from '../../../src/app/hosts/host-table.ts';
import { addCommands, blocks, fileAt, hostFiles, links, running } from './host-files.ts';

const textOf = (path: string) => readFileSync(fileAt(path), 'utf8');

test.each(Object.keys(hostFiles()))('%s is what npm run generate writes', (path) => {
  expect(textOf(path)).toBe(hostFiles()[path]);
});

const parsers: Readonly<Record<FormatName, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text),
};

const QUESTION = `$\{input:budget-mcp-token}`;

/** The blocks in docs/hosts.md, under the headings of the hosts. */
const sections = new Map(
  textOf('docs/hosts.md')
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section]),
);
const blocksOf = (name: string, format: string): string[] =>
  [...(sections.get(name) ?? '').matchAll(new RegExp(`\`\`\`${format}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, text = '']) => text,
  );

test.each(hosts)('docs/hosts.md has blocks for $name, and the parser of its format reads them', (host) => {
  const { name, format, keys } = host;
  const parsed = blocksOf(name, format).map((text) => objectAt(parsers[format](text), keys));
  const made = blocks.filter((block) => block.host === host);
  expect(parsed).toEqual(made.map(({ text }) => objectAt(parsers[format](text), keys)));
  expect(parsed.map((servers) => Object.keys(servers ?? {}))).toEqual(made.map(() => ['budget']));
});

test('a block for HTTP has the address of the server, and a reference or a placeholder for the token', () => {
  const http = blocks.filter(({ transport }) => transport === 'http');
  expect(http.length).toBe(hosts.length - 1);
  for (const { host, text } of http) {
    expect(text).toContain(running.url);
    const isReference = text.includes(running.tokenVariable) || text.includes(QUESTION);
    expect([host.id, isReference]).toEqual([host.id, host.http?.tokenFrom !== 'file']);
    expect([host.id, text.includes(TOKEN_PLACEHOLDER)]).toEqual([host.id, !isReference]);
  }
});

test('the block of VS Code declares the question for the token that its header refers to', () => {
  const { text = '' } =
    blocks.find(({ host, transport }) => host.id === 'vscode' && transport === 'http') ?? {};
  expect(JSON.parse(text)).toMatchObject({
    inputs: [{ type: 'promptString', id: 'budget-mcp-token', password: true }],
    servers: { budget: { headers: { Authorization: `Bearer ${QUESTION}` } } },
  });
});

const startedIn = (id: string): unknown => {
  const block = blocks.find(({ host, transport }) => host.id === id && transport === 'stdio');
  return objectAt(JSON.parse(block?.text ?? ''), block?.host.keys ?? [])?.['budget'];
};

test('the link for Cursor has the name, and the entry of the block in Base64', () => {
  const { searchParams } = new URL(links['cursor'] ?? '');
  expect(searchParams.get('name')).toBe('budget');
  const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString();
  expect(JSON.parse(config)).toEqual(startedIn('cursor'));
});

test('the link for VS Code has the name, and the entry of the block', () => {
  const { searchParams } = new URL(links['vscode'] ?? '');
  expect(searchParams.get('name')).toBe('budget');
  expect(JSON.parse(searchParams.get('config') ?? '')).toEqual(startedIn('vscode'));
});

test('the command for VS Code has the name, and the entry of the block', () => {
  const json = /'(.*)'$/.exec(addCommands['vscode'] ?? '')?.[1] ?? '';
  expect(JSON.parse(json)).toEqual({ name: 'budget', ...z.looseObject({}).parse(startedIn('vscode')) });
});

test.each(['gemini-extension.json', '.claude-plugin/plugin.json', '.claude-plugin/marketplace.json'])(
  '%s has the name and the version of the package',
  (path) => {
    const manifest = z
      .object({
        name: z.string(),
        version: z.string().optional(),
        plugins: z.array(z.object({ version: z.string() })).optional(),
      })
      .parse(JSON.parse(textOf(path)));
    const versions = [manifest.version, ...(manifest.plugins ?? []).map(({ version }) => version)];
    expect(manifest.name).toBe(packageJson.name);
    expect(new Set(versions.filter((version) => version !== undefined))).toEqual(
      new Set([packageJson.version]),
    );
  },
);
