import { expect, it } from 'vitest';
import { CONFIRMATION_MS, PendingConfirmations } from '../../src/mcp/confirmations.ts';
import { ManualClock } from '../manual-clock.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  return { clock, confirmations: new PendingConfirmations(clock) };
}

it('an entry counts once, for its caller and key, with what was shown last', () => {
  const { confirmations } = start();
  confirmations.issue('a', 'key', 'old');
  confirmations.issue('a', 'key', 'new');
  expect(confirmations.consume('b', 'key')).toBeUndefined();
  expect(confirmations.consume('a', 'other')).toBeUndefined();
  expect(confirmations.consume('a', 'key')).toMatchObject({ preview: 'new' });
  expect(confirmations.consume('a', 'key')).toBeUndefined();
});

it('an entry that is too old does not count', () => {
  const { clock, confirmations } = start();
  confirmations.issue('a', 'key', 'shown');
  clock.advance(CONFIRMATION_MS);
  expect(confirmations.consume('a', 'key')).toBeUndefined();
});

it('a caller that is shown too much loses its own oldest entries, and nobody else does', () => {
  const { confirmations } = start();
  confirmations.issue('quiet', 'key', 'shown');
  for (let at = 0; at < 1_000; at += 1) confirmations.issue('loud', `${at}`, 'shown');
  expect(confirmations.consume('loud', '0')).toBeUndefined();
  expect(confirmations.consume('loud', '900')).toBeDefined();
  expect(confirmations.consume('quiet', 'key')).toBeDefined();
});

it('of very many callers those lose their entries that were shown nothing for the longest time', () => {
  const { confirmations } = start();
  confirmations.issue('early', 'key', 'shown');
  confirmations.issue('busy', 'key', 'shown');
  for (let at = 0; at < 999; at += 1) confirmations.issue(`${at}`, 'key', 'shown');
  expect(confirmations.consume('early', 'key')).toBeUndefined();
  expect(confirmations.consume('busy', 'key')).toBeDefined();
});
