/**
 * A cache of responses that no replica can give, because exports and deltas of a budget lack their data. A response is
 * valid as long as the `server_knowledge` of its budget stays the same, which its replica shows. The limit is in bytes,
 * and the least recently used response is evicted.
 */
import { LRUCache } from 'lru-cache';
import type { CachedBudget } from './cache-entry.ts';

export interface CachedResponse {
  readonly data: object;
  readonly knowledge: number;
  /** When it was requested, in milliseconds since the epoch. */
  readonly asOf: number;
}

const MAX_BYTES = 8 * 2 ** 20;
/** An object in memory takes about twice the space of its JSON text. */
const BYTES_PER_CHARACTER = 2;

export class KnowledgeCache {
  readonly #responses = new LRUCache<string, CachedResponse>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ data }, key) => key.length + BYTES_PER_CHARACTER * JSON.stringify(data).length,
  });

  /**
   * The response to `request`, if it is at least as new as the budget, which must be fresh enough for the caller. `highest`
   * is the highest knowledge that is known: a response above it is from before a reset of the service.
   */
  find(
    request: string,
    { replica, asOf, lacksWrite }: Pick<CachedBudget, 'replica' | 'asOf' | 'lacksWrite'>,
    highest: number,
  ): CachedResponse | undefined {
    const cached = this.#responses.get(request);
    if (!cached || lacksWrite) return undefined;
    if (cached.knowledge < replica.knowledge || cached.knowledge > highest) return undefined;
    return { ...cached, asOf: Math.max(cached.asOf, asOf.wall) };
  }

  set(request: string, response: CachedResponse): void {
    this.#responses.set(request, response);
  }
}
