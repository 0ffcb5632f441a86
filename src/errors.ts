/**
 * Everything that can be expected to go wrong, in one table: what it means, what its reader should do next, and
 * whether asking again can help. A `BudgetError` is meant for a reader (a model, a person at a terminal) and holds
 * nothing secret; any other error is a bug.
 */

interface ErrorEntry {
  /** The next step, for a model or a person. */
  readonly advice: string;
  /** The very same request may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** A write that ended so may have been carried out all the same. */
  readonly outcomeUncertain?: true;
}

/** Where there is no keychain to rely on. */
const OTHER_WAYS =
  'Otherwise a token can be handed in with --token-file or BUDGET_MCP_TOKEN, or --insecure-storage keeps the sign-in in a file in the clear.';

const entries = {
  // The service's own errors (specification, Errors), by `error.name`.
  bad_request: { advice: 'Correct the arguments that the message names and call again.', retryable: false },
  not_authorized: {
    advice: 'The access token is missing, mistyped, revoked or expired: a new one is needed.',
    retryable: false,
  },
  subscription_lapsed: {
    advice: "The user's subscription to the service has lapsed; only they can renew it.",
    retryable: false,
  },
  trial_expired: {
    advice: "The user's trial of the service has ended; only they can subscribe.",
    retryable: false,
  },
  unauthorized_scope: {
    advice:
      'The access token is read-only. Reading works; changing the budget needs a token with full access.',
    retryable: false,
  },
  data_limit_reached: {
    advice: 'The budget has reached a limit of the service. Ask for less at once.',
    retryable: false,
  },
  not_found: {
    advice: 'The service does not know this address. Check the base URL that is configured.',
    retryable: false,
  },
  resource_not_found: {
    advice: 'It is not in this budget. List what there is to find it.',
    retryable: false,
  },
  conflict: { advice: 'It exists already. Read it before trying again.', retryable: false },
  too_many_requests: {
    advice: 'The hourly limit of requests is used up. Wait some minutes before asking anything else.',
    retryable: true,
  },
  internal_server_error: {
    advice: 'The service failed. Try again in a moment.',
    retryable: true,
    outcomeUncertain: true,
  },
  service_unavailable: {
    advice: 'The service is overloaded or in maintenance. Try again in some minutes.',
    retryable: true,
    outcomeUncertain: true,
  },

  // What happens between us and the service.
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
    advice: 'This is not how the service answers. Check the base URL; if it is right, report the message.',
    retryable: false,
    outcomeUncertain: true,
  },
  cancelled: { advice: '', retryable: false },

  // What became of a write.
  not_written: {
    advice: 'The change was not made: it is safe to try again.',
    retryable: true,
  },
  outcome_unknown: {
    advice:
      'get_status says what becomes of it. Within ten minutes the very same call, with the same arguments, tells it too, and is sent only where the budget shows that this one was not done. In any other way do it again only after reading that it was not done.',
    retryable: false,
    outcomeUncertain: true,
  },
  not_confirmed: {
    advice:
      'Nothing was written. Ask the user before trying it again. For unattended use the user can start the server with --confirm none.',
    retryable: false,
  },
  read_only: {
    advice:
      'This server is set to read only. The user can start it without --read-only, or sign in with full access.',
    retryable: false,
  },

  // What keeps us from what is kept.
  keychain_locked: {
    advice: `The user has to unlock it first. ${OTHER_WAYS}`,
    retryable: false,
  },
  keychain_unavailable: {
    advice: `It has to be installed or started (on Linux gnome-keyring or another Secret Service, in a session with D-Bus). ${OTHER_WAYS}`,
    retryable: false,
  },
  keychain_timed_out: {
    advice: `The prompt of the keychain has to be answered, or its service restarted if there is none. ${OTHER_WAYS}`,
    retryable: true,
  },
  sign_in_unreadable: {
    advice: 'It is left as it is: `budget-mcp logout` removes it, `budget-mcp login` makes a new one.',
    retryable: false,
  },
  sign_in_too_large: { advice: OTHER_WAYS, retryable: false },
  sign_in_busy: { advice: 'Try again in a moment.', retryable: true },
  file_unusable: { advice: 'The user has to correct that first.', retryable: false },

  // What we find out without asking the service.
  rate_budget_spent: {
    advice: 'Wait until the time that the message names before asking for anything new.',
    retryable: true,
  },
  program_replaced: {
    advice: 'The user has to restart it, by restarting the host that started it.',
    retryable: false,
  },
  invalid_configuration: { advice: 'Correct the setting and start again.', retryable: false },
  not_signed_in: {
    advice:
      'The user can run `budget-mcp login` in a terminal, which a running server takes up by itself, or start the server with --demo to try it on invented data.',
    retryable: false,
  },
  no_base_url: {
    advice: 'BUDGET_MCP_BASE_URL or BUDGET_MCP_SERVICE has to say where the token may be sent.',
    retryable: false,
  },
  sign_in_changed: { advice: 'Ask again: the answer will be for the new sign-in.', retryable: true },
  sign_in_ended: {
    advice: 'Only the user can do that; a server that is running takes it up by itself.',
    retryable: false,
  },
  sign_in_declined: { advice: 'Nothing was kept. Sign in again to be asked anew.', retryable: false },
  sign_in_failed: { advice: 'Correct what the message names and sign in again.', retryable: false },
  invalid_input: { advice: 'Correct the arguments that the message names and call again.', retryable: false },
  unknown_budget: { advice: 'Use one of the budgets named, by id or name.', retryable: false },
  ambiguous_budget: { advice: 'Use the id of the one that is meant.', retryable: false },
  invalid_cursor: {
    advice:
      'Use next_cursor exactly as it was returned, with otherwise unchanged arguments, or start without.',
    retryable: false,
  },
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof entries;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = entries;

export class BudgetError extends Error {
  readonly code: ErrorCode;

  /** `message` says what happened, in words fit for a model; `cause` is for the log only. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BudgetError';
    this.code = code;
  }

  get advice(): string {
    return errorTable[this.code].advice;
  }

  /** What happened and what to do next. */
  get explanation(): string {
    return `${this.message} ${this.advice}`.trimEnd();
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  /** What was known before is still of use: the service may answer later, or is not what answered. */
  get isTransient(): boolean {
    return this.code !== 'sign_in_changed' && (this.retryable || this.code === 'unexpected_response');
  }

  get outcomeUncertain(): boolean {
    return errorTable[this.code].outcomeUncertain === true;
  }
}
