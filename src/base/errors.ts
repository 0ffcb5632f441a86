/**
 * The table of all expected errors, with the next step and whether the same call may succeed later. The message of a
 * `BudgetError` is for a model or a person at a terminal and contains no secret. Any other error is a bug.
 */

interface ErrorEntry {
  /** The next step, for a model or a person. */
  readonly advice: string;
  /** The same request may succeed later without any change. */
  readonly retryable?: true;
  /** A write with this error may have been applied. */
  readonly outcomeUncertain?: true;
}

/** The advice if there is a keychain that does not answer, or that has no room. */
const WITHOUT_KEYCHAIN =
  'Otherwise provide a token with --token-file or BUDGET_MCP_TOKEN, or let --insecure-storage store the sign-in unencrypted in a file.';

const entries = {
  // The errors of the service, by `error.name` (docs/interface.md, Errors).
  bad_request: { advice: 'Correct the arguments that the message names and call again.' },
  not_authorized: {
    advice: 'The access token is missing, mistyped, revoked or expired: a new one is needed.',
  },
  subscription_lapsed: {
    advice: "The user's subscription to the service has lapsed; only they can renew it.",
  },
  trial_expired: { advice: "The user's trial of the service has ended; only they can subscribe." },
  unauthorized_scope: {
    advice:
      'The access token is read-only. Reading works; changing the budget needs a token with full access.',
  },
  data_limit_reached: { advice: 'The budget has reached a limit of the service. Ask for less at once.' },
  not_found: { advice: 'The service does not know this address. Check the configured base URL.' },
  operation_unavailable: {
    advice: 'Everything else works as before. Only the user can do this, in the app of the service.',
  },
  resource_not_found: { advice: 'A list tool shows what the budget has.' },
  unreadable: {
    advice:
      'Other things of the budget can be read and changed. The app may show what is wrong with this one.',
  },
  conflict: { advice: 'It exists already. Read it before trying again.' },
  too_many_requests: {
    advice:
      'The hourly limit of requests is used up. Tell the user: a call within the next minutes fails too, and within an hour they come back.',
    retryable: true,
  },
  internal_server_error: {
    advice: 'The service failed. Try again in a moment.',
    retryable: true,
    outcomeUncertain: true,
  },
  service_unavailable: {
    advice: 'The service may be overloaded or in maintenance. Try again in some minutes.',
    retryable: true,
    outcomeUncertain: true,
  },

  // Errors between this program and the service.
  unreachable: {
    advice: 'Check the network, the proxy settings and the base URL, then try again.',
    retryable: true,
  },
  timed_out: {
    advice: 'Try again, or ask for less at once.',
    retryable: true,
    outcomeUncertain: true,
  },
  gateway_timed_out: {
    advice: 'Try again in a minute.',
    retryable: true,
    outcomeUncertain: true,
  },
  connection_lost: { advice: 'Try again.', retryable: true, outcomeUncertain: true },
  unexpected_response: {
    advice: 'This is not a response of the service. Check the base URL. If it is right, report the message.',
    outcomeUncertain: true,
  },
  cancelled: { advice: '' },

  // Outcomes of a write.
  // The message has the reason.
  not_written: { advice: '', retryable: true },
  outcome_unknown: {
    advice:
      'It is not known whether it was written: get_status shows the outcome. Within ten minutes, the same call with the same arguments shows it too, and writes only if the budget shows that this write was not made. Otherwise, and after a restart of a server whose state is in memory only, write it again only after reading that it was not made.',
    outcomeUncertain: true,
  },
  partly_written: {
    advice: 'Read what has been changed before you go on.',
    outcomeUncertain: true,
  },
  not_confirmed: {
    advice:
      'Ask the user in the chat before trying it again. For unattended use the user can start the server with --confirm none.',
  },
  read_only: {
    advice:
      'This server is set to read only. The user can start it without --read-only, or sign in with full access.',
  },

  // Errors of the stores.
  keychain_locked: { advice: `The user has to unlock it first. ${WITHOUT_KEYCHAIN}` },
  // The message has the command that works without one.
  keychain_unavailable: { advice: '' },
  keychain_timed_out: {
    advice: `The user has to answer the prompt of the keychain, or restart its service if there is no prompt. ${WITHOUT_KEYCHAIN}`,
    retryable: true,
  },
  sign_in_unreadable: {
    advice: 'It was not changed. `budget-mcp logout` removes it, `budget-mcp login` stores a new one.',
  },
  sign_in_too_large: { advice: WITHOUT_KEYCHAIN },
  sign_in_busy: { advice: 'Try again in a moment.', retryable: true },
  storage_unavailable: { advice: 'Try again in a minute.', retryable: true },
  file_unusable: { advice: 'That has to be corrected first.' },

  // Errors that are found without a request to the service.
  rate_budget_spent: {
    advice: 'Tell the user: a call before the time in the message fails too.',
    retryable: true,
  },
  // The message says whether a setting would help.
  budget_not_cached: { advice: 'Use the list tools.' },
  program_replaced: { advice: 'The user has to restart this server by restarting its host.' },
  invalid_configuration: { advice: 'Correct the setting and start again.' },
  // The message has the command.
  not_signed_in: { advice: '' },
  no_base_url: {
    advice: 'Set BUDGET_MCP_BASE_URL or BUDGET_MCP_SERVICE to the service that the token is for.',
  },
  sign_in_changed: { advice: 'Call again: the answer will be for the new sign-in.', retryable: true },
  sign_in_ended: { advice: 'Only the user can do that. A running server then uses the new sign-in.' },
  sign_in_declined: { advice: 'Nothing was stored. Sign in again to decide again.' },
  sign_in_failed: { advice: 'Correct what the message names and sign in again.' },
  invalid_input: { advice: 'Correct the arguments that the message names and call again.' },
  // The message has both versions, and what can be done.
  changed_elsewhere: { advice: '' },
  // The message has the budgets that there are.
  unknown_budget: { advice: '' },
  ambiguous_budget: { advice: 'Use the id of the right budget.' },
  invalid_cursor: {
    advice:
      'Use next_cursor exactly as it was returned, with otherwise unchanged arguments, or start without.',
  },
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof entries;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = entries;

export class BudgetError extends Error {
  readonly code: ErrorCode;

  /** `message` says what happened, for a model or a person. `cause` is for the log only. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BudgetError';
    this.code = code;
  }

  get advice(): string {
    return errorTable[this.code].advice;
  }

  /** The error and the next step, in sentences. */
  get explanation(): string {
    return `${this.message} ${this.advice}`.trimEnd();
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable === true;
  }

  /** Whether cached data may still be used: the service may answer later, or something else answered in its place. */
  get isTransient(): boolean {
    return this.code !== 'sign_in_changed' && (this.retryable || this.code === 'unexpected_response');
  }

  get outcomeUncertain(): boolean {
    return errorTable[this.code].outcomeUncertain === true;
  }
}

export const invalidInput = (message: string, options?: ErrorOptions) =>
  new BudgetError('invalid_input', message, options);

export const unexpectedResponse = (message: string, options?: ErrorOptions) =>
  new BudgetError('unexpected_response', message, options);

export const invalidConfig = (message: string) => new BudgetError('invalid_configuration', message);

/** `fault` completes a sentence that begins with the path. */
export function unusableFile(path: string, fault: string, cause?: unknown): BudgetError {
  return new BudgetError('file_unusable', `${path} ${fault}.`, cause === undefined ? {} : { cause });
}

/** The error for the user if a part of the program could not be loaded with `import()`. Other errors stay as they are. */
export function errorOfImport(error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  if (!isMissing) return error;
  const message = 'The files of this server were replaced while it was running.';
  return new BudgetError('program_replaced', message, { cause: error });
}

/** For a `catch`, where what does not exist is a known state as well. Throws any other error. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
  throw error;
}

/** What `find` returns. Undefined if it does not exist. */
export function foundBy<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    return undefinedIfNotFound(error);
  }
}

/** For a `catch`, where the program can go on without a result. Throws any other error: it is a bug. */
export function undefinedIfExpected(error: unknown): undefined {
  if (!(error instanceof BudgetError)) throw error;
}

/** Anything may be thrown. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
