/** The caller of the current request, for limits and log lines in code that does not see the request. */
import { AsyncLocalStorage } from 'node:async_hooks';

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
