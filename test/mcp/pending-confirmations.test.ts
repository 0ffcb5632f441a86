import { expect, it } from 'vitest';
import { CONFIRMATION_MS, PendingConfirmations } from '../../src/mcp/pending-confirmations.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  return { clock, confirmations: new PendingConfirmations(clock) };
}

it('a pending confirmation counts once, for its caller and key, with the last preview', () => {
  const { confirmations } = start();
  confirmations.issue('a', 'key', 'old');
  confirmations.issue('a', 'key', 'new');
  expect(confirmations.consume('b', 'key')).toBeUndefined();
  expect(confirmations.consume('a', 'other')).toBeUndefined();
  expect(confirmations.consume('a', 'key')).toMatchObject({ preview: 'new' });
  expect(confirmations.consume('a', 'key')).toBeUndefined();
});

it('a pending confirmation that is too old does not count', () => {
  const { clock, confirmations } = start();
  confirmations.issue('a', 'key', 'shown');
  clock.advance(CONFIRMATION_MS);
  expect(confirmations.consume('a', 'key')).toBeUndefined();
});

it('a caller with too many pending confirmations loses its oldest ones, and other callers lose none', () => {
  const { confirmations } = start();
  confirmations.issue('quiet', 'key', 'shown');
  for (let at = 0; at < 1_000; at += 1) confirmations.issue('loud', `${at}`, 'shown');
  expect(confirmations.consume('loud', '0')).toBeUndefined();
  expect(confirmations.consume('loud', '900')).toBeDefined();
  expect(confirmations.consume('quiet', 'key')).toBeDefined();
});

it('if there are too many callers, those without a new preview for the longest time lose their pending confirmations', () => {
  const { confirmations } = start();
  confirmations.issue('early', 'key', 'shown');
  confirmations.issue('busy', 'key', 'shown');
  for (let at = 0; at < 999; at += 1) confirmations.issue(`${at}`, 'key', 'shown');
  expect(confirmations.consume('early', 'key')).toBeUndefined();
  expect(confirmations.consume('busy', 'key')).toBeDefined();
});
