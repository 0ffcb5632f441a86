/** The request of a host that is being answered, for code that does not see its connection. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface HostRequest {
  /** How long its host has waited until now. */
  readonly waitedMs: () => number;
  /** Resolves when it is over: whether the whole answer was sent. */
  readonly answered: Promise<boolean>;
}

const storage = new AsyncLocalStorage<HostRequest>();

/** Undefined where it is not known whether an answer was sent, as on stdio. */
export const currentHostRequest = (): HostRequest | undefined => storage.getStore();

export const withHostRequest = <Result>(request: HostRequest, work: () => Result): Result =>
  storage.run(request, work);
