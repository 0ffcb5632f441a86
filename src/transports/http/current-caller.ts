/** Who asked for the work that is under way, for what is counted or logged by caller far from the request. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Caller {
  /** The same for all requests with one token; without tokens, for all programs together and for each origin. */
  readonly id: string;
  /** Fit for a log. Of a token it is the beginning of its SHA-256, which tells nothing of the token. */
  readonly label: string;
}

const storage = new AsyncLocalStorage<Caller>();

/** Undefined for work that no request started. */
export const currentCaller = (): Caller | undefined => storage.getStore();

export const runAs = <Result>(caller: Caller, work: () => Result): Result => storage.run(caller, work);
