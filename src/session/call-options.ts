/** The options of a call, and what it needs from its `BudgetClient`. */
import type { HostRequest } from '../base/host-request.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { CallBudgetOptions } from './call-budget.ts';
import type { CallWritesDeps } from './call-writes.ts';
import type { ClientStatus } from './client-status.ts';
import type { OpenSession } from './open-session.ts';
import type { UserSession } from './session.ts';

export interface CallOptions extends CallBudgetOptions {
  /** Distinguishes the callers if the server has several. Only the caller of a write gets its outcome. */
  readonly caller?: string | undefined;
  /** The budget, if it is already resolved. */
  readonly budget?: BudgetSummary | undefined;
  /** The request of the host, where one is known. */
  readonly request?: HostRequest | undefined;
}

export interface CallDeps extends CallWritesDeps {
  /** The session of the user who is signed in now. */
  openSession(signal?: AbortSignal): Promise<OpenSession>;
  /** The session that any call opened last. */
  readonly lastSession: UserSession | undefined;
  status(caller?: string): Promise<ClientStatus>;
  /** Throws if writes are not allowed. */
  checkWritable(title: string): void;
}
