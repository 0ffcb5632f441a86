import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import type { Tool } from '../../src/answers/tool.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { instructionsFor } from '../../src/mcp/budget-server.ts';
import { FeatureList } from '../../src/mcp/features.ts';

const instructionsWith = (isAvailable: (tool: Tool) => boolean) =>
  instructionsFor(new FeatureList('Tool', catalogue, isAvailable));

/** The names of tools and arguments in a text; "report" is also a word. */
const wordsOf = (text: string) =>
  new Set<string>(text.match(/\b[a-z]+(_[a-z]+)+\b|\breport(?= \()|\bundo\b/g));

it('the instructions have at most 300 tokens', () => {
  expect(countTokens(instructionsWith(() => true))).toBeLessThanOrEqual(300);
});

it('the instructions say which tool answers without lists, and each is a tool', () => {
  const [line = ''] = /^Answers without lists: .*$/m.exec(instructionsWith(() => true)) ?? [];
  const tools = wordsOf(line);
  expect([...tools]).toEqual(expect.arrayContaining(['report', 'check_month', 'reconcile_account', 'undo']));
  for (const name of tools) expect(catalogue.map((tool) => tool.name)).toContain(name);
});

it('the instructions of a server that only reads name no tool that writes, and nothing about writing', () => {
  const text = instructionsWith(({ kind }) => kind === 'read');
  for (const { name, kind } of catalogue) if (kind !== 'read') expect(wordsOf(text)).not.toContain(name);
  expect(text).toMatch(/^Reads a person's budget\./);
  expect(text).not.toMatch(/dry_run|Writes/);
});

it('the instructions do not name tools of a disabled group', () => {
  const text = instructionsWith(({ toolset }) => toolset !== 'reports');
  for (const { name, toolset } of catalogue)
    if (toolset === 'reports') expect(wordsOf(text)).not.toContain(name);
  expect(text).toContain('assign_money');
});

it('the instructions name no number of requests an hour, because the service may allow another one', () => {
  expect(instructionsWith(() => true)).not.toMatch(/\d requests/);
});
