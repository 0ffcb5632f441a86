import { describe, expect, test } from 'vitest';
import { Access } from '../../src/service/access.ts';
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
    expect(access.grantOf(access.issueToken(one))?.user).toBe(one);
    expect(access.grantOf(access.issueToken(other))?.user).toBe(other);
    expect(access.users).toEqual([one, other]);
  });

  test.each(['', 'two words', 'ünicode', 'a=b', 'line\nbreak'])('cannot be %j', (token) => {
    const access = new Access(clock);
    expect(() => access.issueToken(access.addUser([]), {}, token)).toThrow(/access token consists of/);
  });
});
