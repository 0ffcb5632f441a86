import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { rejectTokens } from '../../src/auth/token-provider.ts';
import type { SignIn, TokenStore } from '../../src/auth/token-store.ts';
import { BudgetError } from '../../src/errors.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Service } from '../../src/service/server.ts';
import { failureOf } from '../client/sending.ts';
import type { ManualClock } from '../manual-clock.ts';
import { codeSignIn, PROFILE, startSignedIn } from './signed-in.ts';

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

/** The same store, but read in another way. */
const standIn = (store: TokenStore, read: TokenStore['read']): TokenStore => ({
  place: store.place,
  read,
  write: store.write.bind(store),
  remove: store.remove.bind(store),
});

describe('a stored personal token', () => {
  it('is given for the address that it was stored for, and never refreshed', async () => {
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

  it('that is refused ends the sign-in, unless the store has another one by now', async () => {
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
  it('is read when a token is first needed, and once for all who need it', async () => {
    const { store, provide } = await startSignedIn(personal);
    let reads = 0;
    const counted = standIn(store, (profile) => {
      reads += 1;
      return store.read(profile);
    });
    const tokens = provide({ store: counted });
    expect(reads).toBe(0);
    await Promise.all(Array.from({ length: 20 }, () => tokens.credential()));
    await tokens.credential();
    expect(reads).toBe(1);
  });

  it('is looked into again after a minute, beside a call, so that a new sign-in counts from the next one on', async () => {
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

  it('is waited for where what was read is two minutes old: even the first call is of whoever is signed in', async () => {
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
      'the clock was set back meanwhile',
      (clock) => {
        clock.setWallClock(clock.now() - HOUR);
        clock.advance(120_000);
      },
    ],
    [
      'a laptop slept, whose monotonic clock stood still',
      (clock) => clock.setWallClock(clock.now() + 120_000),
    ],
    [
      'the clock is set back again and again',
      (clock) => {
        for (let second = 0; second < 120; second += 1) {
          clock.advance(1_000);
          clock.setWallClock(clock.now() - 2_000);
        }
      },
    ],
  ])('is waited for after two minutes, although %s', async (_, pass) => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const tokens = provide();
    await tokens.credential();
    await store.write(PROFILE, { ...personal(service), id: 'sign-in-2', accessToken: 'new' });
    pass(clock);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });

  it('that gives no answer is waited for by nobody within two minutes, and later by whoever does not give up', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    let reads = 0;
    const stuck = standIn(store, (profile) => {
      reads += 1;
      return reads === 1 ? store.read(profile) : new Promise(() => {});
    });
    const tokens = provide({ store: stuck });
    await tokens.credential();
    clock.advance(119_999);
    expect((await tokens.credential()).token).toBe(service.accessToken);
    clock.advance(1);
    const leaving = new AbortController();
    const waiting = failureOf(tokens.credential(leaving.signal));
    leaving.abort();
    expect((await waiting).code).toBe('cancelled');
    expect(reads).toBe(2);
  });

  it('that fails leaves what was read in use, is asked once a minute, and is believed as soon as it answers', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    let isLocked = false;
    let reads = 0;
    const locking = standIn(store, async (profile) => {
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

  it('that is empty says who is not signed in, and is looked into again', async () => {
    const { store, provide, service } = await startSignedIn(() => undefined);
    const tokens = provide();
    expect(await failureOf(tokens.credential())).toMatchObject({
      code: 'not_signed_in',
      message: 'Nobody is signed in as work in memory.',
    });
    await store.write(PROFILE, personal(service));
    expect((await tokens.credential()).token).toBe(service.accessToken);
  });

  it('that holds a token for another address than the configured one gives none', async () => {
    const { provide, service } = await startSignedIn(personal);
    const tokens = provide({ baseUrl: 'https://evil.example.com/v1' });
    const failure = await failureOf(tokens.credential());
    expect(failure.code).toBe('invalid_configuration');
    expect(failure.message).toContain(service.baseUrl);
    expect(failure.message).not.toContain(service.accessToken);
  });

  it('that has got a token for another address gives none any more', async () => {
    const { store, provide, service, clock } = await startSignedIn(personal);
    const tokens = provide({ baseUrl: service.baseUrl });
    await tokens.credential();
    await store.write(PROFILE, { ...personal(service), baseUrl: 'https://api.example.com/v1' });
    clock.advance(120_000);
    expect((await failureOf(tokens.credential())).code).toBe('invalid_configuration');
  });

  it('that fails is never taken for one where nobody is signed in', async () => {
    const { store, provide } = await startSignedIn(personal);
    const broken = { ...store, place: 'x', read: () => Promise.reject(new Error('locked')) };
    const tokens = provide({ store: { ...broken, write: store.write, remove: store.remove } });
    await expect(tokens.credential()).rejects.toThrow('locked');
  });
});

describe('a refresh', () => {
  it('comes a minute before the end, and not earlier', async () => {
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

  it('of a token that lives for seconds comes in the last fifth of its life', async () => {
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

  it('is one for all who wait for it', async () => {
    const { provide, clock, refreshes } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.credential()));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(refreshes()).toBe(1);
  });

  it('by another process is noticed instead of made again', async () => {
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

  it('stores the new pair before anybody can use it', async () => {
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
    // What is stored works still, since the pair that was lost has not been used.
    expect(await provide().credential()).toMatchObject({ signIn: 'sign-in-1' });
  });

  it('that fails for now leaves the token in use for as long as it lasts', async () => {
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

  it('is not had by whoever has signed out, nor is the token used for as long as it would last', async () => {
    const { provide, clock, store } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE - 60_001);
    await tokens.credential();
    await store.remove(PROFILE);
    clock.advance(1);
    expect((await failureOf(tokens.credential())).code).toBe('not_signed_in');
  });

  it('that fails for now leaves whoever has signed in meanwhile in use, not who was there before', async () => {
    const { provide, clock, service, store } = await startSignedIn();
    const tokens = provide({ refresh: () => Promise.reject(new BudgetError('unreachable', 'No network.')) });
    clock.advance(LIFE - 60_001);
    await tokens.credential();
    const other = { ...codeSignIn(service, clock), id: 'sign-in-2' };
    await store.write(PROFILE, { ...other, grantedAt: clock.now() - LIFE, expiresAt: clock.now() + 30_000 });
    clock.advance(1);
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });

  it('is not disturbed by a look at the store, which could bring back the old pair', async () => {
    const { provide, clock, store } = await startSignedIn();
    let reads = 0;
    const counted = standIn(store, (profile) => {
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

  it('that the service refuses ends the sign-in', async () => {
    const { provide, clock, service } = await startSignedIn();
    const tokens = provide();
    const [authorization] = service.oauth.authorizations.of(service.user);
    service.oauth.authorizations.revoke(authorization?.id ?? '');
    clock.advance(LIFE);
    const failure = await failureOf(tokens.credential());
    expect(failure.code).toBe('sign_in_ended');
    expect(failure.message).toContain('`budget-mcp login --profile work`');
  });

  describe('of a process that has stood still until its lock had passed on', () => {
    /** Stands still where it says so, until it is let go. */
    const startFrozen = async () => {
      const started = await startSignedIn();
      const { clock, oauth, store, provide } = started;
      let letGo = () => {};
      const frozen = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      clock.advance(LIFE);
      /** Another process comes by meanwhile, some seconds later. */
      const other = async () => {
        clock.advance(5_000);
        return provide().credential();
      };
      return { ...started, oauth, store, frozen, letGo: () => letGo(), other };
    };

    it('before it has asked: its pair is the later one, which it keeps', async () => {
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

    it('before it had an answer: its pair is the earlier one, which it gives up', async () => {
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

    it('before it has stored its pair: it gives it up as well', async () => {
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

    it('while its user has signed out: the sign-in does not come back', async () => {
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

  it('is made after a 401 as well, and once for all who got one', async () => {
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

  it('is left by a caller that is cancelled, and goes on for the others', async () => {
    const { provide, clock } = await startSignedIn();
    const tokens = provide();
    clock.advance(LIFE);
    const leaving = new AbortController();
    const left = failureOf(tokens.credential(leaving.signal));
    const stays = tokens.credential();
    leaving.abort();
    expect((await left).code).toBe('cancelled');
    expect((await stays).signIn).toBe('sign-in-1');
  });
});

describe('a sign-in by the implicit grant', () => {
  it('tells of its end a quarter of an hour ahead, and then asks to be renewed', async () => {
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

  it('that was renewed by its user is taken up by itself', async () => {
    const { provide, clock, service, store } = await startSignedIn(implicit);
    const tokens = provide();
    await tokens.credential();
    clock.advance(LIFE);
    await store.write(PROFILE, { ...implicit(service, clock), id: 'sign-in-2' });
    expect((await tokens.credential()).signIn).toBe('sign-in-2');
  });
});

it('what is told of a token is never the token', async () => {
  const { provide, clock, stored } = await startSignedIn();
  const told = await provide().describe();
  expect(told).toEqual({
    kind: 'authorization_code',
    scope: 'full',
    expiresAt: clock.now() + LIFE,
    place: 'memory',
  });
  const signIn = await stored();
  expect(JSON.stringify(told)).not.toContain(signIn?.accessToken);
});

it('a token that opens something else as well is not used', async () => {
  const { provide, service } = await startSignedIn(personal);
  const tokens = rejectTokens(provide(), (token) => ['another', service.accessToken].includes(token));
  const failure = await failureOf(tokens.credential());
  expect(failure.code).toBe('invalid_configuration');
  expect(failure.message).not.toContain(service.accessToken);
  expect((await rejectTokens(provide(), (token) => token === 'another').credential()).token).toBe(
    service.accessToken,
  );
});
