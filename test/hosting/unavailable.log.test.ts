import { expect, test } from 'vitest';
import { problemLog } from '../../src/hosting/unavailable.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-22T12:00:00Z');
  const lines: string[] = [];
  const report = problemLog({ error: (_, message) => lines.push(message) }, clock);
  return { clock, lines, report };
}

test('why the store cannot be used is logged once a minute, however many requests fail', () => {
  const { clock, lines, report } = start();
  for (let request = 0; request < 100; request += 1) report(new StoreError('not answering'));
  expect(lines).toEqual(['the storage cannot be used']);
  clock.advance(60_000);
  for (let request = 0; request < 100; request += 1) report(new StoreError('not answering'));
  expect(lines).toHaveLength(2);
});

test('another reason is logged at once', () => {
  const { lines, report } = start();
  report(new StoreError('not answering'));
  report(new StoreError('full'));
  expect(lines).toHaveLength(2);
});

test('every bug is logged', () => {
  const { lines, report } = start();
  report(new TypeError('one'));
  report(new TypeError('one'));
  expect(lines).toEqual(['internal error', 'internal error']);
});
