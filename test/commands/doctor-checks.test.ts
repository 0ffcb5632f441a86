import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { checkClock, checkNode } from '../../src/commands/doctor-checks.ts';

test.each([
  ['20.17.9', 'fail'],
  ['18.20.0', 'fail'],
  ['20.18.0', 'ok'],
  ['24.1.0', 'ok'],
])('the check of Node.js %s gives %s', (version, level) => {
  expect(checkNode(version).level).toBe(level);
});

test('the oldest Node.js that the check accepts is that of package.json', () => {
  expect(checkNode(`${packageJson.engines.node.replace('>=', '')}.0`).level).toBe('ok');
  expect(checkNode('20.17.0').text).toContain(packageJson.engines.node.replace('>=', ''));
});

test('an answer without a date says nothing about the clock', () => {
  expect(checkClock('', 0)).toEqual([]);
});
