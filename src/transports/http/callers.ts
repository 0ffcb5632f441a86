/**
 * The tokens that are valid now, and their callers. A caller is identified by the SHA-256 of the token, so that a token
 * is not stored or logged with a caller. And the caller of the current request, for limits and log lines in code that does
 * not see the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';

export interface CallerTokens {
  /** At least one token. Returns the same array as before if the tokens have not changed. */
  current(): Promise<readonly string[]>;
}

/** The token in the header `Authorization`, however the scheme is written. Undefined if it is not a bearer token (RFC 6750, section 2.1). */
export const bearerTokenOf = (header: string): string | undefined =>
  /^Bearer +([\w\-.~+/]+=*)$/i.exec(header)?.[1];

/** The id of the caller with a token. */
export const callerIdOf = (token: string) => createHash('sha256').update(token).digest('hex');

export type Callers = ReturnType<typeof callersOf>;

/** `onRemoved` is called with the id of each caller whose token is not valid any more. */
export function callersOf(tokens: CallerTokens, onRemoved: (id: string) => void) {
  let known: { readonly tokens: readonly string[]; readonly ids: ReadonlySet<string> } | undefined;
  /** Reads the tokens and calls `onRemoved` for the removed ones. Returns the ids of all callers. */
  const refresh = async (): Promise<ReadonlySet<string>> => {
    const current = await tokens.current();
    const before = known;
    if (before?.tokens === current) return before.ids;
    const ids = new Set(current.map(callerIdOf));
    known = { tokens: current, ids };
    for (const id of before?.ids ?? []) if (!ids.has(id)) onRemoved(id);
    return ids;
  };
  return {
    refresh,
    /** The id of the caller with this token. Undefined if the token is not valid. */
    async find(token: string): Promise<string | undefined> {
      // How long the comparison of a hash takes tells nothing about a token.
      const id = callerIdOf(token);
      return (await refresh()).has(id) ? id : undefined;
    },
  };
}

export interface Caller {
  /** One for each token. Without tokens, one for each web origin and one for all programs. */
  readonly id: string;
  /** For the log. The beginning of the token's SHA-256, which reveals nothing about the token. */
  readonly label: string;
}

const storage = new AsyncLocalStorage<Caller>();

/** Undefined outside of a request. */
export const currentCaller = (): Caller | undefined => storage.getStore();

export const runAs = <Result>(caller: Caller, work: () => Result): Result => storage.run(caller, work);
