import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Access } from '../../src/service/access.ts';
import { Password } from '../../src/service/password.ts';
import { ManualClock } from '../manual-clock.helper.ts';

describe('access tokens', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');

  test('access tokens are random, long and valid as bearer tokens', () => {
    const access = new Access(clock);
    const user = access.addUser([]);
    const [first, second] = [access.issueToken(user), access.issueToken(user)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^[\w-]{43}$/);
  });

  test('an access token acts for the user that it was issued for', () => {
    const access = new Access(clock);
    const [first, second] = [access.addUser([]), access.addUser([])];
    expect(access.find(access.issueToken(first))?.grant.user).toBe(first);
    expect(access.find(access.issueToken(second))?.grant.user).toBe(second);
    expect(access.users).toEqual([first, second]);
  });

  test.each(['', 'two words', 'ünicode', 'a=b', 'line\nbreak'])('an access token cannot be %j', (token) => {
    const access = new Access(clock);
    expect(() => access.issueToken(access.addUser([]), {}, token)).toThrow(/access token consists of/);
  });

  test('a token that is revoked by its id is no longer found, and other tokens stay', () => {
    const access = new Access(clock);
    const user = access.addUser([]);
    const [revoked, kept] = [access.issueToken(user), access.issueToken(user)];
    const id = access.find(revoked)?.id ?? '';
    access.revoke(id);
    access.revoke(id);
    expect([access.find(revoked), access.find(kept)?.grant]).toEqual([undefined, { user }]);
  });

  test('personal access tokens do not expire and have a label and an ending, which is empty for a short token', () => {
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

test('a password matches its own text only, and the text is not stored', async () => {
  const password = new Password('correct horse');
  expect(await password.matches('correct horse')).toBe(true);
  for (const wrong of ['', 'Correct horse', 'correct horse '])
    expect(await password.matches(wrong)).toBe(false);
  expect(inspect(password, { showHidden: true, depth: null })).not.toContain('correct');
});
