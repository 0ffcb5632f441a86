/**
 * The tokens of the budgeting service for a grant. They are renewed by one process at a time, and tell when the service does not
 * renew them any more: then the grant is of no use.
 */
import type { OAuth } from '../auth/oauth.ts';
import { StoredTokens } from '../auth/stored-tokens.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import type { TokenStore } from '../auth/token-store.ts';
import type { Clock } from '../base/clock.ts';
import { BudgetError, type ErrorCode, invalidConfig } from '../base/errors.ts';
import type { SharedStore } from '../store/shared-store.ts';
import type { UpstreamApplication } from './upstream.ts';

export interface GrantTokensOptions {
  readonly grantId: string;
  readonly tokens: TokenStore;
  /** What all people have in common. */
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly oauth: OAuth;
  /** As it is now. Its secret may have been replaced since the sign-in. */
  readonly application: Pick<UpstreamApplication, 'appUrl' | 'clientId' | 'clientSecret'>;
  readonly onEnded: () => void;
}

const REFRESH_WAIT_MS = 30_000;

export function grantTokens(options: GrantTokensOptions): TokenProvider {
  const { grantId, tokens, store, clock, oauth, application, onEnded } = options;
  const stored = new StoredTokens({
    store: tokens,
    profile: grantId,
    clock,
    refresh: (signIn) => oauth.refresh({ ...signIn, ...application }).catch(rethrowRefusal),
    /** The token of a sign-in is refreshed by one process at a time. */
    async lock(id, work) {
      const release = await store.lock(`refresh ${id}`, { waitMs: REFRESH_WAIT_MS });
      if (!release)
        throw new BudgetError(
          'service_unavailable',
          'Another process has been renewing the sign-in for too long.',
        );
      try {
        return await work();
      } finally {
        await release();
      }
    },
  });
  const checked = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof BudgetError) || !ENDED.has(error.code)) throw error;
      onEnded();
      throw new BudgetError(
        'sign_in_ended',
        'The sign-in with the budgeting service has ended. With its next call the assistant can open the sign-in page of this server. If it does not, connect this server again in its settings.',
        { cause: error },
      );
    }
  };
  return {
    credential: (signal) => checked(stored.credential(signal)),
    renewed: (refused, signal) => checked(stored.renewed(refused, signal)),
    describe: () => checked(stored.describe()),
  };
}

const ENDED: ReadonlySet<ErrorCode> = new Set(['sign_in_ended', 'not_signed_in']);

/** A mistake in the settings of this server must not end the sign-ins of all people. */
function rethrowRefusal(error: unknown): never {
  if (error instanceof BudgetError && error.cause === 'invalid_client')
    throw invalidConfig(
      'The budgeting service does not accept the id or the secret of the application of this server.',
    );
  throw error;
}
