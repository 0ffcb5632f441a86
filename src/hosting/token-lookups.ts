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
  /** The hashes of tokens that were valid. */
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });

  constructor(clock: Clock) {
    this.#limits = new RequestLimits(clock);
  }

  /** What `find` knows about the token. It is not called if the address has asked for too many. */
  async find<Found>(
    token: string,
    address: string,
    find: () => Promise<Found | undefined>,
  ): Promise<{ readonly found?: Found | undefined } | { readonly refusal: Refusal }> {
    const hash = hashOf(token);
    if (!this.#known.has(hash)) {
      const admitted = this.#limits.admit(tokenLimits(address));
      if (typeof admitted !== 'function') return { refusal: admitted };
    }
    const found = await find();
    this.#known.set(hash, found && true);
    return { found };
  }
}
