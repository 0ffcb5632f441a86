/**
 * Provides tokens from a stored sign-in. It reads the store when a call first needs a token, and again from time to time,
 * because the user may have signed in again or out. It refreshes a token before it ends, one refresh at a time: for all
 * callers here and, with the lock, for all processes of the user. It knows nothing about the kind of store or about HTTP.
 *
 * A refresh token is single use and is revoked when the new access token is first used (docs/interface.md, Authorization
 * code grant). So the new pair is stored before it is used: a crash at any point leaves a pair that works.
 */
import { withCancellation } from '../base/abort.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { BudgetError, invalidConfig } from '../base/errors.ts';
import type { WithRefreshLock } from './refresh-lock.ts';
import type { Credential, TokenProvider, TokenStatus } from './token-provider.ts';
import type { SignIn, TokenStore } from './token-store.ts';

export type RefreshableSignIn = SignIn & { kind: 'authorization_code' };

export type TokenPair = Pick<RefreshableSignIn, 'accessToken' | 'refreshToken' | 'grantedAt' | 'expiresAt'>;

export interface StoredTokensOptions {
  readonly store: TokenStore;
  readonly profile: string;
  readonly clock: Clock;
  /** Requests a new pair from the service. Throws `sign_in_ended` if the service refuses. */
  readonly refresh: (signIn: RefreshableSignIn) => Promise<TokenPair>;
  /** Runs work that changes a profile while no other process of the user changes it. */
  readonly lock: WithRefreshLock;
  readonly baseUrl?: string | undefined;
  /** The command with which the user signs in at a terminal. */
  readonly loginCommand?: string;
}

/** A token is refreshed this long before its end. */
const REFRESH_AHEAD_MS = 60_000;
/** A token with a short life is refreshed when only this share of its life is left. */
const REFRESH_AHEAD_SHARE = 0.2;

// Both are ages by `ageOf`, so that a wall clock that is set back, or a machine that sleeps, does not prolong a sign-in
// that was removed. The end of an access token is a date, which the wall clock decides.
/** After this time the store is read again in the background. */
const REVALIDATE_AFTER_MS = 60_000;
/** After this time a call waits until the store was read again: another person may have signed in. */
const MAX_UNVERIFIED_AGE_MS = 2 * REVALIDATE_AFTER_MS;

/** If a sign-in cannot be refreshed, the user is warned this long before its end. */
const EXPIRY_NOTICE_MS = 15 * 60_000;

export class StoredTokens implements TokenProvider {
  readonly #options: StoredTokensOptions;
  #signIn: SignIn | undefined;
  /** When the store was last read with success. */
  #readAt: Moment;
  /** When the last read of the store began. */
  #triedAt: Moment;
  /** The read and the renewal in progress, each shared by all callers. A renewal reads the store itself, under the lock. */
  #reading: Promise<SignIn> | undefined;
  #renewing: Promise<SignIn> | undefined;

  constructor(options: StoredTokensOptions) {
    this.#options = options;
    this.#readAt = momentOf(options.clock);
    this.#triedAt = this.#readAt;
  }

  async credential(signal?: AbortSignal): Promise<Credential> {
    const signIn = await withCancellation(this.#current(), signal);
    return this.#credentialOf(this.#isDue(signIn) ? await this.#renewDue(signIn, signal) : signIn);
  }

  async renewed(refused: Credential, signal?: AbortSignal): Promise<Credential> {
    const { accessToken } = this.#signIn ?? {};
    // Another call may have been refused too, and may have renewed the token.
    if (this.#signIn && accessToken !== refused.token) return this.#credentialOf(this.#signIn);
    return this.#credentialOf(await withCancellation(this.#renew(refused.token), signal));
  }

  /** After a sign-in in this process. The next call uses it. */
  async reread(): Promise<void> {
    await this.#readOnce();
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

  /** Renews a sign-in that is about to end. If that fails, returns the current sign-in while it is valid. */
  async #renewDue(due: SignIn, signal?: AbortSignal): Promise<SignIn> {
    try {
      return await withCancellation(this.#renew(due.accessToken), signal);
    } catch (error) {
      const current = this.#signIn;
      if (!current || signal?.aborted || !(error instanceof BudgetError)) throw error;
      const hasEnded = current.kind !== 'personal' && this.#options.clock.now() >= current.expiresAt;
      if (hasEnded) throw error;
      return current;
    }
  }

  #renew(refused: string): Promise<SignIn> {
    this.#renewing ??= this.#renewOnce(refused).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(refused: string): Promise<SignIn> {
    const stored = await this.#read();
    if (stored.accessToken !== refused && !this.#isDue(stored)) return stored;
    if (stored.kind !== 'authorization_code') throw this.#ended(stored);
    const { store, profile, refresh, lock } = this.#options;
    return lock(profile, async () => {
      const signIn = await this.#readOnce();
      if (signIn.accessToken !== refused && !this.#isDue(signIn)) return signIn;
      if (signIn.kind !== 'authorization_code') throw this.#ended(signIn);
      const pair = await refresh(signIn).catch((error: unknown) => this.#afterFailedRefresh(signIn, error));
      const renewed = { ...signIn, ...pair };
      const isWritten = await store.write(profile, renewed, (latest) => canReplace(latest, signIn, renewed));
      return isWritten ? this.#remember(renewed) : this.#readOnce();
    });
  }

  /** Another process may have taken the lock and refreshed in the meantime. Then its tokens are used. */
  async #afterFailedRefresh(signIn: SignIn, error: unknown): Promise<TokenPair> {
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
    // The earlier sign-in must not be used any more, even if the checks below fail.
    this.#signIn = undefined;
    if (!signIn)
      throw new BudgetError(
        'not_signed_in',
        `Not signed in: \`${this.#loginCommand}\` in a terminal signs the user in, and a running server then uses the new sign-in.`,
      );
    if (baseUrl !== undefined && baseUrl !== signIn.baseUrl)
      throw invalidConfig(
        `The sign-in of ${profile} is for ${signIn.baseUrl} and its token is sent nowhere else, but the base URL is set to ${baseUrl}.`,
      );
    return this.#remember(signIn);
  }

  #remember(signIn: SignIn): SignIn {
    this.#signIn = signIn;
    this.#readAt = momentOf(this.#options.clock);
    return signIn;
  }

  /**
   * The current sign-in. While the last read is recent enough, no call waits for the store; a change is used from the next
   * call on. If the store fails, the last sign-in stays in use, and not every call reads the store again.
   */
  async #current(): Promise<SignIn> {
    const known = this.#signIn;
    if (!known) return this.#read();
    const { clock } = this.#options;
    if (!this.#renewing && ageOf(clock, this.#triedAt) >= REVALIDATE_AFTER_MS) this.#read().catch(() => {});
    if (!this.#reading || ageOf(clock, this.#readAt) < MAX_UNVERIFIED_AGE_MS) return known;
    return this.#reading.catch((error: unknown) => {
      if (this.#signIn && error instanceof BudgetError) return this.#signIn;
      throw error;
    });
  }

  #credentialOf(signIn: SignIn): Credential {
    const { baseUrl, accessToken: token, id, budget } = signIn;
    const common = { baseUrl, token, signIn: id, ...(budget !== undefined && { budget }) };
    if (signIn.kind === 'personal') return { ...common, scope: 'full' };
    const { scope, expiresAt } = signIn;
    const isEnding = signIn.kind === 'implicit' && this.#options.clock.now() >= expiresAt - EXPIRY_NOTICE_MS;
    return { ...common, scope, ...(isEnding && { endsAt: expiresAt }) };
  }

  #ended(signIn: SignIn): BudgetError {
    const reasons = {
      personal: 'The service does not accept the personal access token any more. It may have been revoked.',
      authorization_code: 'The sign-in has ended. It may have been revoked.',
      implicit: 'The sign-in has ended. Sign-ins by the implicit grant end after two hours.',
    };
    return new BudgetError(
      'sign_in_ended',
      `${reasons[signIn.kind]} Renew it with \`${this.#loginCommand}\` in a terminal.`,
    );
  }

  get #loginCommand(): string {
    return this.#options.loginCommand ?? 'budget-mcp login';
  }
}

/**
 * Whether tokens that were renewed from `before` may replace the stored sign-in. If this process was suspended, another
 * one may have taken the lock and refreshed, or the user may have signed in again or out. Of two pairs, the one that was
 * requested later is valid.
 */
function canReplace(stored: SignIn | undefined, before: SignIn, renewed: RefreshableSignIn): boolean {
  if (stored?.kind !== renewed.kind || stored.id !== renewed.id) return false;
  return stored.accessToken === before.accessToken || stored.grantedAt < renewed.grantedAt;
}
