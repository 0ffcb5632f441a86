import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Access } from '../../src/service/access.ts';
import { Password } from '../../src/service/password.ts';
import { ManualClock } from '../manual-clock.ts';

describe('access tokens', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');

  test('are random, long enough not to be guessed, and acceptable as bearer tokens', () => {
    const access = new Access(clock);
    const user = access.addUser([]);
    const [one, other] = [access.issueToken(user), access.issueToken(user)];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]{43}$/);
  });

  test('act for the user whom they were issued for, among all users', () => {
    const access = new Access(clock);
    const [one, other] = [access.addUser([]), access.addUser([])];
    expect(access.find(access.issueToken(one))?.grant.user).toBe(one);
    expect(access.find(access.issueToken(other))?.grant.user).toBe(other);
    expect(access.users).toEqual([one, other]);
  });

  test.each(['', 'two words', 'ünicode', 'a=b', 'line\nbreak'])('cannot be %j', (token) => {
    const access = new Access(clock);
    expect(() => access.issueToken(access.addUser([]), {}, token)).toThrow(/access token consists of/);
  });

  test('can be revoked by their id, and are found by it no more', () => {
    const access = new Access(clock);
    const user = access.addUser([]);
    const [gone, kept] = [access.issueToken(user), access.issueToken(user)];
    const id = access.find(gone)?.id ?? '';
    access.revoke(id);
    access.revoke(id);
    expect([access.find(gone), access.find(kept)?.grant]).toEqual([undefined, { user }]);
  });

  test('are personal when they do not expire, and are told apart by label and ending, which a short one lacks', () => {
    const access = new Access(clock);
    const user = access.addUser([]);
    access.issueToken(access.addUser([]));
    access.issueToken(user, { expiresAt: clock.now() + 1 });
    const random = access.issueToken(user, { label: 'Charts' });
    access.issueToken(user, {}, 'short');
    expect(access.personalTokensOf(user)).toMatchObject([
      { label: 'Charts', ending: random.slice(-4), createdAt: clock.now(), used: false },
      { ending: '' },
    ]);
  });
});

test('a password is recognised, and is nowhere in what is kept of it', async () => {
  const password = new Password('correct horse');
  expect(await password.matches('correct horse')).toBe(true);
  for (const wrong of ['', 'Correct horse', 'correct horse '])
    expect(await password.matches(wrong)).toBe(false);
  expect(inspect(password, { showHidden: true, depth: null })).not.toContain('correct');
});
