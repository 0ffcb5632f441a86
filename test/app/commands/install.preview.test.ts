import { expect, test } from 'vitest';
import { previewOf } from '../../../src/app/commands/install.ts';

test('a preview has only the lines that change', () => {
  expect(previewOf('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n')).toBe(
    '@@ line 2 @@\n-   "a": 1\n+   "a": 1,\n+   "b": 2\n',
  );
});

test('a preview of a long line does not show it, because other servers may keep secrets in it', () => {
  const before = `{"other":"${'x'.repeat(200)}SECRET"}`;
  const preview = previewOf(before, before.replace('}', ',"budget":{}}'));
  expect(preview).not.toContain('SECRET');
  expect(preview).toContain('signs)');
});

test.each([
  '"BUDGET_MCP_TOKEN": "SECRET-1"',
  'token = "SECRET-1"',
  'API_KEY: SECRET-1',
  '"Authorization": "Bearer SECRET-1"',
])('a preview masks the value in %s', (line) => {
  expect(previewOf('', `${line}\n`)).not.toContain('SECRET-1');
});

test('a preview shows no control characters', () => {
  expect(previewOf('', 'a\u001b[2Jb\u202ec\n')).toBe('@@ line 1 @@\n+ a?[2Jb?c\n');
});

test.each([`$\{TOKEN}`, '{env:TOKEN}'])('a preview shows that a host takes a token from %s', (reference) => {
  expect(previewOf('', `"Authorization": "Bearer ${reference}"\n`)).toContain(`"Bearer ${reference}"`);
});
