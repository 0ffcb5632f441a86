import { expect, it } from 'vitest';
import { CONFIRMATION_MS, PendingConfirmations } from '../../src/mcp/pending-confirmations.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const store = new MemoryStore(clock);
  return { clock, confirmations: new PendingConfirmations(async () => store) };
}

it('a pending confirmation counts once, for its caller and key, with the last preview', async () => {
  const { confirmations } = start();
  await confirmations.issue('a', 'key', 'old');
  await confirmations.issue('a', 'key', 'new');
  expect(await confirmations.consume('b', 'key')).toBeUndefined();
  expect(await confirmations.consume('a', 'other')).toBeUndefined();
  expect(await confirmations.consume('a', 'key')).toMatchObject({ preview: 'new' });
  expect(await confirmations.consume('a', 'key')).toBeUndefined();
});

it('a pending confirmation that is too old does not count', async () => {
  const { clock, confirmations } = start();
  await confirmations.issue('a', 'key', 'shown');
  clock.advance(CONFIRMATION_MS);
  expect(await confirmations.consume('a', 'key')).toBeUndefined();
});

it('a caller with too many pending confirmations loses its oldest ones, and other callers lose none', async () => {
  const { confirmations } = start();
  await confirmations.issue('quiet', 'key', 'shown');
  for (let at = 0; at < 1_000; at += 1) await confirmations.issue('loud', `${at}`, 'shown');
  expect(await confirmations.consume('loud', '0')).toBeUndefined();
  expect(await confirmations.consume('loud', '900')).toBeDefined();
  expect(await confirmations.consume('quiet', 'key')).toBeDefined();
});

it('if there are too many callers, those without a new preview for the longest time lose their pending confirmations', async () => {
  const { confirmations } = start();
  await confirmations.issue('early', 'key', 'shown');
  await confirmations.issue('busy', 'key', 'shown');
  for (let at = 0; at < 999; at += 1) await confirmations.issue(`${at}`, 'key', 'shown');
  expect(await confirmations.consume('early', 'key')).toBeUndefined();
  expect(await confirmations.consume('busy', 'key')).toBeDefined();
});
