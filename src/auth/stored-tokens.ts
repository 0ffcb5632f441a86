/**
 * The token of a call from a sign-in that is kept in a store. It reads the store when a call first needs a token, looks
 * again from time to time, since somebody may have signed in anew, or out, and refreshes ahead of the end, one at a
 * time: for all callers here and, by the lock, for all processes of the user. It must not know where a store keeps
 * things, nor how a refresh travels.
 *
 * A refresh token is single use and is revoked when the new access token is first used (specification, Authorization
 * code grant). So the new pair is stored before it is used: a crash at any point leaves a pair that works.
 */

import { BudgetError } from '../errors.ts';
import { withCancellation } from '../platform/abort.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { DEFAULT_PROFILE } from './profile.ts';
import type { Credential, TokenProvider, TokenStatus } from './token-provider.ts';
import type { SignIn, TokenStore } from './token-store.ts';

export type RefreshableSignIn = SignIn & { kind: 'authorization_code' };

/** What a refresh gives. */
export type TokenPair = Pick<RefreshableSignIn, 'accessToken' | 'refreshToken' | 'grantedAt' | 'expiresAt'>;

export interface StoredTokensOptions {
  readonly store: TokenStore;
  readonly profile: string;
  readonly clock: Clock;
  /** Asks the service for a new pair; `sign_in_ended` where it refuses. */
  readonly refresh: (signIn: RefreshableSignIn) => Promise<TokenPair>;
  /** Runs the work when no other process of the user runs it for the same profile. */
  readonly lock: <T>(profile: string, work: () => Promise<T>) => Promise<T>;
  /** Where the configuration wants requests to go. */
  readonly baseUrl?: string | undefined;
}

/** A token is refreshed so long before its end, */
const REFRESH_AHEAD_MS = 60_000;
/** but not before most of its life is over. */
const REFRESH_AHEAD_SHARE = 0.2;

// Both are ages by `ageOf`: a wall clock that is set back, or a machine that sleeps, must not make a sign-in that has
// ended count for longer. The end of an access token is a date, which the wall clock decides.
/** So old, what was read from the store is looked at again, beside the call; */
const REVALIDATE_AFTER_MS = 60_000;
/** and so old, the call waits for that: it may be for another person. */
const MAX_UNVERIFIED_AGE_MS = 2 * REVALIDATE_AFTER_MS;

/** A sign-in that cannot be refreshed tells of its end so long before it. */
const EXPIRY_NOTICE_MS = 15 * 60_000;

export class StoredTokens implements TokenProvider {
  readonly #options: StoredTokensOptions;
  #signIn: SignIn | undefined;
  /** When the store last gave it, and when it was last asked. */
  #lookedAt: Moment;
  #triedAt: Moment;
  /** One at a time, for all who wait; but what is renewed is read anew, once the lock is held. */
  #reading: Promise<SignIn> | undefined;
  #renewing: Promise<SignIn> | undefined;

  constructor(options: StoredTokensOptions) {
    this.#options = options;
    this.#lookedAt = momentOf(options.clock);
    this.#triedAt = this.#lookedAt;
  }

  async credential(signal?: AbortSignal): Promise<Credential> {
    const signIn = await withCancellation(this.#current(), signal);
    return this.#credentialOf(this.#isDue(signIn) ? await this.#replaced(signIn, signal) : signIn);
  }

  async renewed(refused: Credential, signal?: AbortSignal): Promise<Credential> {
    const { accessToken } = this.#signIn ?? {};
    // Another call may have been told the same, and have renewed it.
    if (this.#signIn && accessToken !== refused.token) return this.#credentialOf(this.#signIn);
    return this.#credentialOf(await withCancellation(this.#renew(refused.token), signal));
  }

  async describe(): Promise<TokenStatus> {
    const signIn = await this.#current();
    const { place } = this.#options.store;
    if (signIn.kind === 'personal') return { kind: signIn.kind, scope: 'full', place };
    return { kind: signIn.kind, scope: signIn.scope, expiresAt: signIn.expiresAt, place };
  }

  #isDue(signIn: SignIn): boolean {
    if (signIn.kind === 'personal') return false;
    const { grantedAt, expiresAt } = signIn;
    const ahead =
      signIn.kind === 'implicit'
        ? 0
        : Math.min(REFRESH_AHEAD_MS, REFRESH_AHEAD_SHARE * (expiresAt - grantedAt));
    return this.#options.clock.now() >= expiresAt - ahead;
  }

  /** What replaces a sign-in that is about to end; what is there, for as long as it lasts, where nothing can be had. */
  async #replaced(due: SignIn, signal?: AbortSignal): Promise<SignIn> {
    try {
      return await withCancellation(this.#renew(due.accessToken), signal);
    } catch (error) {
      const kept = this.#signIn;
      if (!kept || signal?.aborted || !(error instanceof BudgetError)) throw error;
      const isOver = kept.kind !== 'personal' && this.#options.clock.now() >= kept.expiresAt;
      if (isOver) throw error;
      return kept;
    }
  }

  #renew(refused: string): Promise<SignIn> {
    this.#renewing ??= this.#renewOnce(refused).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(refused: string): Promise<SignIn> {
    const seen = await this.#read();
    if (seen.accessToken !== refused && !this.#isDue(seen)) return seen;
    if (seen.kind !== 'authorization_code') throw this.#ended(seen);
    const { store, profile, refresh, lock } = this.#options;
    return lock(profile, async () => {
      const signIn = await this.#readOnce();
      if (signIn.accessToken !== refused && !this.#isDue(signIn)) return signIn;
      if (signIn.kind !== 'authorization_code') throw this.#ended(signIn);
      const pair = await refresh(signIn).catch((error: unknown) => this.#refusedRefresh(signIn, error));
      const renewed = { ...signIn, ...pair };
      const isKept = await store.write(profile, renewed, (there) => canReplace(there, signIn, renewed));
      return isKept ? this.#keep(renewed) : this.#readOnce();
    });
  }

  /** Another process may have refreshed meanwhile, whose lock had passed on. */
  async #refusedRefresh(signIn: SignIn, error: unknown): Promise<TokenPair> {
    if (!(error instanceof BudgetError) || error.code !== 'sign_in_ended') throw error;
    const latest = await this.#readOnce();
    if (latest.kind === 'authorization_code' && latest.accessToken !== signIn.accessToken) return latest;
    throw this.#ended(signIn);
  }

  #read(): Promise<SignIn> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<SignIn> {
    const { store, profile, baseUrl, clock } = this.#options;
    this.#triedAt = momentOf(clock);
    const signIn = await store.read(profile);
    // What was there counts no more, whatever is there now.
    this.#signIn = undefined;
    if (!signIn)
      throw new BudgetError('not_signed_in', `Nobody is signed in as ${profile} in ${store.place}.`);
    if (baseUrl !== undefined && baseUrl !== signIn.baseUrl)
      throw new BudgetError(
        'invalid_configuration',
        `The sign-in of ${profile} is for ${signIn.baseUrl}, and its token goes nowhere else, but the base URL is set to ${baseUrl}.`,
      );
    return this.#keep(signIn);
  }

  #keep(signIn: SignIn): SignIn {
    this.#signIn = signIn;
    this.#lookedAt = momentOf(this.#options.clock);
    return signIn;
  }

  /**
   * The sign-in of now. As long as what was read can be relied on, nobody waits for a keychain: what is new counts from
   * the next call on. A store that fails is no news, and is not asked again at every call.
   */
  async #current(): Promise<SignIn> {
    const known = this.#signIn;
    if (!known) return this.#read();
    const { clock } = this.#options;
    if (!this.#renewing && ageOf(clock, this.#triedAt) >= REVALIDATE_AFTER_MS) this.#read().catch(() => {});
    if (!this.#reading || ageOf(clock, this.#lookedAt) < MAX_UNVERIFIED_AGE_MS) return known;
    return this.#reading.catch((error: unknown) => {
      if (this.#signIn && error instanceof BudgetError) return this.#signIn;
      throw error;
    });
  }

  #credentialOf(signIn: SignIn): Credential {
    const { baseUrl, accessToken: token, id } = signIn;
    if (signIn.kind === 'personal') return { baseUrl, token, signIn: id, scope: 'full' };
    const { scope, expiresAt } = signIn;
    const isEnding = signIn.kind === 'implicit' && this.#options.clock.now() >= expiresAt - EXPIRY_NOTICE_MS;
    return { baseUrl, token, signIn: id, scope, ...(isEnding && { endsAt: expiresAt }) };
  }

  #ended(signIn: SignIn): BudgetError {
    const why = {
      personal: 'The service does not accept the personal access token any more; it may have been revoked.',
      authorization_code: 'The sign-in has ended; it may have been revoked.',
      implicit: 'The sign-in has ended, as those by the implicit grant do after two hours.',
    };
    return new BudgetError('sign_in_ended', `${why[signIn.kind]} ${renewal(this.#options.profile)}`);
  }
}

/**
 * Whether a pair may take the place of what is there, once it was renewed from `before`. A process may have stood still
 * for so long that its lock has passed on, and another one has refreshed meanwhile, or somebody has signed in anew, or
 * out: of two pairs, the one that was asked for later is the one that lives.
 */
function canReplace(there: SignIn | undefined, before: SignIn, renewed: RefreshableSignIn): boolean {
  if (there?.kind !== renewed.kind || there.id !== renewed.id) return false;
  return there.accessToken === before.accessToken || there.grantedAt < renewed.grantedAt;
}

const renewal = (profile: string) =>
  `It is renewed by \`budget-mcp login${profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`}\` in a terminal.`;
