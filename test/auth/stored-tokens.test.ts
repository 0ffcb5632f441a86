import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { rejectTokens } from '../../src/auth/token-provider.ts';
import type { SignIn, TokenStore } from '../../src/auth/token-store.ts';
import type { Clock } from '../../src/base/clock.ts';
import { BudgetError } from '../../src/base/errors.ts';
import type { Service } from '../../src/service/server.ts';
import type { ManualClock } from '../manual-clock.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { codeSignIn, PROFILE, startSignedIn } from './signed-in.helper.ts';

const HOUR = 3_600_000;
const LIFE = 2 * HOUR;

const personal = (service: Service): SignIn => ({
  kind: 'personal',
  id: 'sign-in-1',
  baseUrl: service.baseUrl,
  accessToken: service.accessToken,
});

const implicit = (service: Service, clock: Clock): SignIn => {
  const { refreshToken: _, clientSecret: __, ...signIn } = codeSignIn(service, clock);
  return { ...signIn, kind: 'implicit' };
};

/** The same store with another way to read. */
const withRead = (store: TokenStore, read: TokenStore['read']): TokenStore => ({
  place: store.place,
  read,
  write: store.write.bind(store),
  remove: store.remove.bind(store),
});

describe('a stored personal token', () => {
  it('a stored personal token is for the stored address and is never refreshed', async () => {
    const { service, provide, accepts, clock, refreshes } = await startSignedIn(personal);
    const tokens = provide();
    const credential = await tokens.credential();
    expect(credential).toEqual({
      baseUrl: service.baseUrl,
      token: service.accessToken,
      signIn: 'sign-in-1',
      scope: 'full',
    });
    clock.advance(1_000 * HOUR);
    expect(await tokens.credential()).toEqual(credential);
    expect(await accepts(credential)).toBe(true);
    expect(refreshes()).toBe(0);
  });

  it('a refused personal token ends the sign-in, unless the store has another token now', async () => {
    const { service, provide, store } = await startSignedIn(personal);
    const tokens = provide();
    const credential = await tokens.credential();
    const failure = await failureOf(tokens.renewed(credential));
    expect(failure.code).toBe('sign_in_ended');
    expect(failure.message).toContain('budget-mcp login');
    await store.write(PROFILE, { ...personal(service), id: 'sign-in-2', accessToken: 'new' });
    expect(await tokens.renewed(credential)).toMatchObject({ token: 'new', signIn: 'sign-in-2' });
  });
});

describe('the store', () => {
  it('the store is read when a token is first needed, once for all concurrent calls', async () => {
    const { store, provide } = await startSignedIn(personal);
    let reads = 0;
    const counted = withRead(store, (profile) => {
      reads += 1;
      return store.read(profile);
    });
    const tokens = provide({ store: counted });
    expect(reads).toBe(0);
    await Promise.all(Array.from({ length: 20 }, () => tokens.credential()));
    await tokens.credential();
    expect(reads).toBe(1);
  });

  it('the store is read again in the background after a minute, so that the next call uses a new sign-in', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const tokens = provide();
    await tokens.credential();
    await store.write(PROFILE, { ...personal(service), id: 'sign-in-2', accessToken: 'new' });
    clock.advance(59_999);
    await tokens.credential();
    expect((await tokens.credential()).signIn).toBe('sign-in-1');
    clock.advance(1);
    expect((await tokens.credential()).signIn).toBe('sign-in-1');
    await nextTurn();
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
    await store.remove(PROFILE);
    clock.advance(60_000);
    await tokens.credential();
    await nextTurn();
    expect((await failureOf(tokens.credential())).code).toBe('not_signed_in');
  });

  it('a call waits for the store if the last read is two minutes old, so that it uses the current sign-in', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const [tokens, described] = [provide(), provide()];
    await tokens.credential();
    await described.credential();
    await store.write(PROFILE, { ...implicit(service, clock), id: 'sign-in-2' });
    clock.advance(120_000);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
    expect((await described.describe()).kind).toBe('implicit');
    await store.remove(PROFILE);
    clock.advance(120_000);
    expect((await failureOf(tokens.credential())).code).toBe('not_signed_in');
  });

  it.each<[string, (clock: ManualClock) => void]>([
    [
      'the clock was set back in the meantime',
      (clock) => {
        clock.setWallClock(clock.now() - HOUR);
        clock.advance(120_000);
      },
    ],
    ['a laptop slept and its monotonic clock stopped', (clock) => clock.setWallClock(clock.now() + 120_000)],
    [
      'the clock is set back again and again',
      (clock) => {
        for (let second = 0; second < 120; second += 1) {
          clock.advance(1_000);
          clock.setWallClock(clock.now() - 2_000);
        }
      },
    ],
  ])('a call waits for the store after two minutes, although %s', async (_, pass) => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const tokens = provide();
    await tokens.credential();
    await store.write(PROFILE, { ...personal(service), id: 'sign-in-2', accessToken: 'new' });
    pass(clock);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });

  it('calls wait for a store that does not answer only after two minutes, and can be cancelled', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    let reads = 0;
    const stuck = withRead(store, (profile) => {
      reads += 1;
      return reads === 1 ? store.read(profile) : new Promise(() => {});
    });
    const tokens = provide({ store: stuck });
    await tokens.credential();
    clock.advance(119_999);
    expect((await tokens.credential()).token).toBe(service.accessToken);
    clock.advance(1);
    const cancellation = new AbortController();
    const waiting = failureOf(tokens.credential(cancellation.signal));
    cancellation.abort();
    expect((await waiting).code).toBe('cancelled');
    expect(reads).toBe(2);
  });

  it('if the store fails, the last sign-in stays in use, and the store is read once a minute until it answers', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    let isLocked = false;
    let reads = 0;
    const locking = withRead(store, async (profile) => {
      reads += 1;
      if (isLocked) throw new BudgetError('keychain_locked', 'The keychain is locked.');
      return store.read(profile);
    });
    const tokens = provide({ store: locking });
    await tokens.credential();
    isLocked = true;
    for (let minute = 1; minute <= 4; minute += 1) {
      clock.advance(60_000);
      for (let call = 0; call < 3; call += 1) {
        expect((await tokens.credential()).token).toBe(service.accessToken);
        await nextTurn();
      }
      expect(reads).toBe(1 + minute);
    }
    isLocked = false;
    await store.write(PROFILE, { ...personal(service), id: 'sign-in-2' });
    clock.advance(60_000);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });

  it('an empty store gives an error with the command that signs in, and is read again at the next call', async () => {
    const { store, provide, service } = await startSignedIn(() => undefined);
    const tokens = provide();
    expect(await failureOf(tokens.credential())).toMatchObject({
      code: 'not_signed_in',
      message:
        'Not signed in: `budget-mcp login --profile work` in a terminal signs the user in, and a running server then uses the new sign-in.',
    });
    await store.write(PROFILE, personal(service));
    expect((await tokens.credential()).token).toBe(service.accessToken);
  });

  it('a stored token for another address than the configured one is not used', async () => {
    const { provide, service } = await startSignedIn(personal);
    const tokens = provide({ baseUrl: 'https://evil.example.com/v1' });
    const failure = await failureOf(tokens.credential());
    expect(failure.code).toBe('invalid_configuration');
    expect(failure.message).toContain(service.baseUrl);
    expect(failure.message).not.toContain(service.accessToken);
  });

  it('after the stored address has changed, the token is not used any more', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const tokens = provide({ baseUrl: service.baseUrl });
    await tokens.credential();
    await store.write(PROFILE, { ...personal(service), baseUrl: 'https://api.example.com/v1' });
    clock.advance(120_000);
    expect((await failureOf(tokens.credential())).code).toBe('invalid_configuration');
  });

  it('a failure of the store is never reported as not signed in', async () => {
    const { store, provide } = await startSignedIn(personal);
    const broken = { ...store, place: 'x', read: () => Promise.reject(new Error('locked')) };
    const tokens = provide({ store: { ...broken, write: store.write, remove: store.remove } });
    await expect(tokens.credential()).rejects.toThrow('locked');
  });
});

describe('a refresh', () => {
  it('a token is refreshed a minute before its end, and not earlier', async () => {
    const { provide, clock, accepts, refreshes, stored } = await startSignedIn();
    const tokens = provide();
    const first = await tokens.credential();
    clock.advance(LIFE - 60_001);
    expect(await tokens.credential()).toEqual(first);
    clock.advance(1);
    const second = await tokens.credential();
    expect(second.token).not.toBe(first.token);
    expect(second.signIn).toBe(first.signIn);
    expect(refreshes()).toBe(1);
    expect(await stored()).toMatchObject({ accessToken: second.token, expiresAt: clock.now() + LIFE });
    expect(await accepts(second)).toBe(true);
  });

  it('a token that lives for seconds is refreshed in the last fifth of its life', async () => {
    const { provide, clock, refreshes } = await startSignedIn((service, clock) => ({
      ...codeSignIn(service, clock),
      expiresAt: clock.now() + 5_000,
    }));
    const tokens = provide();
    clock.advance(3_999);
    await tokens.credential();
    expect(refreshes()).toBe(0);
    clock.advance(1);
    await tokens.credential();
    expect(refreshes()).toBe(1);
  });

  it('all concurrent calls share one refresh', async () => {
    const { provide, clock, refreshes } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.credential()));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(refreshes()).toBe(1);
  });

  it('a refresh by another process is used instead of another refresh', async () => {
    const { provide, clock, refreshes, accepts } = await startSignedIn();
    const [one, other] = [provide(), provide()];
    await one.credential();
    await other.credential();
    clock.advance(LIFE);
    const renewed = await one.credential();
    expect(await accepts(renewed)).toBe(true);
    expect(await other.credential()).toEqual(renewed);
    expect(refreshes()).toBe(1);
  });

  it('the new pair is stored before it is used', async () => {
    const { provide, clock, store } = await startSignedIn();
    const tokens = provide({
      store: {
        place: store.place,
        read: (profile) => store.read(profile),
        write: () => Promise.reject(new BudgetError('internal_server_error', 'The disk is full.')),
        remove: (profile) => store.remove(profile),
      },
    });
    clock.advance(LIFE);
    expect((await failureOf(tokens.credential())).message).toBe('The disk is full.');
    // The stored pair is still valid, because the lost pair was not used.
    expect(await provide().credential()).toMatchObject({ signIn: 'sign-in-1' });
  });

  it('if a refresh fails temporarily, the token stays in use until its end', async () => {
    const { provide, clock, service } = await startSignedIn();
    const tokens = provide({
      refresh: () => Promise.reject(new BudgetError('unreachable', 'No network.')),
    });
    const first = await tokens.credential();
    clock.advance(LIFE - 60_000);
    expect(await tokens.credential()).toEqual(first);
    clock.advance(60_000);
    expect((await failureOf(tokens.credential())).code).toBe('unreachable');
    expect(service.oauth.authorizations.refreshReuses).toEqual({ accepted: 0, refused: 0 });
  });

  it('after the user has signed out there is no refresh, and the token is not used any more', async () => {
    const { provide, clock, store } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE - 60_001);
    await tokens.credential();
    await store.remove(PROFILE);
    clock.advance(1);
    expect((await failureOf(tokens.credential())).code).toBe('not_signed_in');
  });

  it('if a refresh fails temporarily, a sign-in that is new in the meantime is used, not the earlier one', async () => {
    const { provide, clock, service, store } = await startSignedIn();
    const tokens = provide({ refresh: () => Promise.reject(new BudgetError('unreachable', 'No network.')) });
    clock.advance(LIFE - 60_001);
    await tokens.credential();
    const other = { ...codeSignIn(service, clock), id: 'sign-in-2' };
    await store.write(PROFILE, { ...other, grantedAt: clock.now() - LIFE, expiresAt: clock.now() + 30_000 });
    clock.advance(1);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });

  it('reading the store during a refresh does not bring back the old pair', async () => {
    const { provide, clock, store } = await startSignedIn();
    let reads = 0;
    const counted = withRead(store, (profile) => {
      reads += 1;
      return store.read(profile);
    });
    const tokens = provide({ store: counted, refresh: () => new Promise(() => {}) });
    const refused = await tokens.credential();
    void tokens.renewed(refused);
    await nextTurn();
    const before = reads;
    clock.advance(60_000);
    expect(await tokens.credential()).toEqual(refused);
    expect(reads).toBe(before);
  });

  it('a refresh that the service refuses ends the sign-in', async () => {
    const { provide, clock, service } = await startSignedIn();
    const tokens = provide();
    const [authorization] = service.oauth.authorizations.of(service.user);
    service.oauth.authorizations.revoke(authorization?.id ?? '');
    clock.advance(LIFE);
    const failure = await failureOf(tokens.credential());
    expect(failure.code).toBe('sign_in_ended');
    expect(failure.message).toContain('`budget-mcp login --profile work`');
  });

  describe('a process that was suspended until another process took the lock', () => {
    /** Is suspended at the given step until the test continues it. */
    const startFrozen = async () => {
      const started = await startSignedIn();
      const { clock, oauth, store, provide } = started;
      let letGo = () => {};
      const frozen = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      clock.advance(LIFE);
      /** Another process runs in the meantime, some seconds later. */
      const other = async () => {
        clock.advance(5_000);
        return provide().credential();
      };
      return { ...started, oauth, store, frozen, letGo: () => letGo(), other };
    };

    it('a process that was suspended before its token request stores its pair, which is the later one', async () => {
      const { provide, oauth, frozen, letGo, other, clock, stored, accepts } = await startFrozen();
      const slow = provide({
        refresh: async (signIn) => {
          await frozen;
          return oauth.refresh(signIn);
        },
      }).credential();
      const earlier = await other();
      clock.advance(5_000);
      letGo();
      const later = await slow;
      expect(await accepts(earlier)).toBe(false);
      expect(await accepts(later)).toBe(true);
      expect((await stored())?.accessToken).toBe(later.token);
    });

    it('a process that was suspended before the token response discards its pair, which is the earlier one', async () => {
      const { provide, oauth, frozen, letGo, other, stored, accepts } = await startFrozen();
      const slow = provide({
        refresh: async (signIn) => {
          const pair = await oauth.refresh(signIn);
          await frozen;
          return pair;
        },
      }).credential();
      const later = await other();
      letGo();
      expect(await slow).toEqual(later);
      expect(await accepts(later)).toBe(true);
      expect((await stored())?.accessToken).toBe(later.token);
    });

    it('a process that was suspended before it stored its pair discards it', async () => {
      const { provide, store, frozen, letGo, other, stored, accepts } = await startFrozen();
      const slow = provide({
        store: {
          place: store.place,
          read: (profile) => store.read(profile),
          remove: (profile) => store.remove(profile),
          async write(profile, signIn, mayReplace) {
            await frozen;
            return store.write(profile, signIn, mayReplace);
          },
        },
      }).credential();
      const later = await other();
      letGo();
      expect(await slow).toEqual(later);
      expect(await accepts(later)).toBe(true);
      expect((await stored())?.accessToken).toBe(later.token);
    });

    it('a process that was suspended while the user signed out does not store the sign-in again', async () => {
      const { provide, oauth, store, frozen, letGo, stored } = await startFrozen();
      const slow = failureOf(
        provide({
          refresh: async (signIn) => {
            const pair = await oauth.refresh(signIn);
            await frozen;
            return pair;
          },
        }).credential(),
      );
      await store.remove(PROFILE);
      letGo();
      expect((await slow).code).toBe('not_signed_in');
      expect(await stored()).toBeUndefined();
    });
  });

  it('a 401 causes one refresh for all calls that got a 401', async () => {
    const { provide, service, refreshes, accepts } = await startSignedIn();
    const tokens = provide();
    const refused = await tokens.credential();
    service.access.revokeToken(refused.token);
    expect(await accepts(refused)).toBe(false);
    const [one, other] = await Promise.all([tokens.renewed(refused), tokens.renewed(refused)]);
    expect(one).toEqual(other);
    expect(await accepts(one)).toBe(true);
    expect(await tokens.renewed(refused)).toEqual(one);
    expect(refreshes()).toBe(1);
  });

  it('a cancelled call stops waiting for a refresh, which continues for the other calls', async () => {
    const { provide, clock } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE);
    const cancellation = new AbortController();
    const cancelled = failureOf(tokens.credential(cancellation.signal));
    const stays = tokens.credential();
    cancellation.abort();
    expect((await cancelled).code).toBe('cancelled');
    expect((await stays).signIn).toBe('sign-in-1');
  });
});

describe('a sign-in by the implicit grant', () => {
  it('a sign-in by the implicit grant announces its end 15 minutes before, and then asks to be renewed', async () => {
    const { provide, clock, refreshes } = await startSignedIn(implicit);
    const tokens = provide();
    const endsAt = clock.now() + LIFE;
    clock.advance(LIFE - 15 * 60_000 - 1);
    expect(await tokens.credential()).not.toHaveProperty('endsAt');
    clock.advance(1);
    expect(await tokens.credential()).toMatchObject({ endsAt });
    clock.advance(15 * 60_000);
    expect((await failureOf(tokens.credential())).code).toBe('sign_in_ended');
    expect(refreshes()).toBe(0);
  });

  it('a renewed sign-in by the implicit grant is used without a restart', async () => {
    const { provide, clock, service, store } = await startSignedIn(implicit);
    const tokens = provide();
    await tokens.credential();
    clock.advance(LIFE);
    await store.write(PROFILE, { ...implicit(service, clock), id: 'sign-in-2' });
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });
});

it('the description of a token never contains the token', async () => {
  const { provide, clock, stored } = await startSignedIn();
  const description = await provide().describe();
  expect(description).toEqual({
    kind: 'authorization_code',
    scope: 'full',
    expiresAt: clock.now() + LIFE,
    place: 'memory',
  });
  const signIn = await stored();
  expect(JSON.stringify(description)).not.toContain(signIn?.accessToken);
});

it('a token that is also valid for another purpose is not used', async () => {
  const { provide, service } = await startSignedIn(personal);
  const tokens = rejectTokens(provide(), (token) => ['another', service.accessToken].includes(token));
  const failure = await failureOf(tokens.credential());
  expect(failure.code).toBe('invalid_configuration');
  expect(failure.message).not.toContain(service.accessToken);
  expect((await rejectTokens(provide(), (token) => token === 'another').credential()).token).toBe(
    service.accessToken,
  );
});
