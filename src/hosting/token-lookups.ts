/**
 * Limits how many tokens that were never valid here the store is asked for: an address can invent any number of them. Tokens
 * that were valid are looked up in any case, because assistants of one provider share a few addresses.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import { type Refusal, RequestLimits } from '../transports/http/request-limits.ts';
import { hashOf } from './derived-key.ts';
import { tokenLimits } from './public-limits.ts';

const MAX_KNOWN = 10_000;

export class TokenLookups {
  readonly #limits: RequestLimits;
  /** The grants of tokens that were valid, by the hashes of these. */
  readonly #grants = new LRUCache<string, string>({ max: MAX_KNOWN });

  constructor(clock: Clock) {
    this.#limits = new RequestLimits(clock);
  }

  /**
   * What `find` knows about the token. It gets the grant that an earlier call has found, and is not called if the address has
   * asked for too many.
   */
  async find<Found extends { readonly grantId: string }>(
    token: string,
    address: string,
    find: (grantId: string | undefined) => Promise<Found | undefined>,
  ): Promise<{ readonly found?: Found | undefined } | { readonly refusal: Refusal }> {
    const hash = hashOf(token);
    const known = this.#grants.get(hash);
    if (known === undefined) {
      const admitted = this.#limits.admit(tokenLimits(address));
      if (typeof admitted !== 'function') return { refusal: admitted };
    }
    const found = await find(known);
    this.#grants.set(hash, found?.grantId);
    return { found };
  }
}
