/**
 * The tokens that open the server, as they are now, and the callers that hold them. A caller is known by the SHA-256 of
 * the token, so that no token is kept in what is said about callers.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export interface CallerTokens {
  /** At least one. Another list than before where they have changed, else the same. */
  current(): Promise<readonly string[]>;
}

const digestOf = (token: string) => createHash('sha256').update(token).digest();
const idOf = (digest: Buffer) => digest.toString('hex');

export class Callers {
  readonly #tokens: CallerTokens;
  readonly #onRemoved: (id: string) => void;
  #known: { readonly tokens: readonly string[]; readonly digests: readonly Buffer[] } | undefined;

  /** `onRemoved` is told of every caller whose token does not open the server any more. */
  constructor(tokens: CallerTokens, onRemoved: (id: string) => void) {
    this.#tokens = tokens;
    this.#onRemoved = onRemoved;
  }

  /** The id of the caller that holds the token; undefined for a token that does not open the server. */
  async find(token: string): Promise<string | undefined> {
    const digests = await this.#digests();
    const digest = digestOf(token);
    // How long this takes tells nothing of how much of a token was right.
    const matches = digests.map((each) => timingSafeEqual(each, digest));
    return matches.includes(true) ? idOf(digest) : undefined;
  }

  /** Notices which tokens were removed. */
  async refresh(): Promise<void> {
    await this.#digests();
  }

  async #digests(): Promise<readonly Buffer[]> {
    const tokens = await this.#tokens.current();
    const before = this.#known;
    if (before?.tokens === tokens) return before.digests;
    const digests = tokens.map(digestOf);
    this.#known = { tokens, digests };
    const ids = new Set(digests.map(idOf));
    for (const id of before?.digests.map(idOf) ?? []) if (!ids.has(id)) this.#onRemoved(id);
    return digests;
  }
}
