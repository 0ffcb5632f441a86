/**
 * Sends operations for one sign-in: gets the token, takes from the rate budget, encodes, sends, settles the rate budget,
 * decodes. A refused token is renewed once. Every attempt, also a repeated one, takes from the rate budget. It is
 * independent of the cache.
 */

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Credential, TokenProvider } from '../../auth/token-provider.ts';
import { throwCancelled } from '../../base/abort.ts';
import { type Clock, dateOf, type Moment, momentOf } from '../../base/clock.ts';
import { clockAhead, TOLERATED_MS } from '../../base/clock-difference.ts';
import { BudgetError, type ErrorCode, unexpectedResponse } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { gapsOf } from '../../base/schema/gap.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import { inTurns } from '../../base/turns.ts';
import type { DataOf, Operation } from '../../operations/operation.ts';
import type { OnProgress } from '../freshness/shared-request.ts';
import type { RateBudget, RateBudgetAttempt } from '../rate-budget/rate-budget.ts';
import { rateLimitOf } from '../rate-budget/rate-ledger.ts';
import { decodeInSteps, decodeResponse, encodeRequest, redactionOf } from './codec.ts';
import type { HttpRequest, HttpResponse, HttpSender } from './http-sender.ts';
import type { ServiceInterface } from './service-interface.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Requests only the changes after this knowledge. */
  readonly since?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called immediately before the request is sent. If it throws, nothing is sent. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /** The part of the rate budget that pays for the request. Reads that a write needs use `write`. */
  readonly spending?: 'read' | 'write' | undefined;
}

/** A request as it appears in the log, without user, ids and content. */
export interface RequestLogEntry {
  /** Such as `GET /budgets/{budget_id}`. */
  readonly route: string;
  readonly since?: number | undefined;
  /** The status of the response, or the error code if there was none. */
  readonly outcome: number | string;
  readonly milliseconds: number;
  /** How many requests are left in this hour, by the response. */
  readonly left?: number | undefined;
}

export interface RequestsOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  readonly rateBudget: RateBudget;
  /** Credentials of another sign-in are refused. */
  readonly signIn: string;
  readonly serviceInterface: ServiceInterface;
  /** Called before a request about a budget is sent. The returned function gets the `server_knowledge` of the response. */
  readonly recordKnowledge: (budgetId: string) => (knowledge: number) => void;
  readonly onRequest?: ((entry: RequestLogEntry) => void) | undefined;
}

/** A larger body is decoded in steps. Only a successful response is so large (`HttpSender`). */
const LARGE_BYTES = 2 ** 20;

export class Requests {
  readonly #options: RequestsOptions;
  #lastSeen: { readonly aheadMs: number; readonly at: Moment } | undefined;
  /** When the service refused the token, by the wall clock. Undefined if it has accepted one since. */
  refusedAt: number | undefined;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /**
   * By how much the clock is ahead of that of the service, by the last answer. Undefined if that is unknown: before the first
   * answer, and after the clock was set or the machine slept.
   */
  get clockAheadMs(): number | undefined {
    if (!this.#lastSeen) return undefined;
    const { aheadMs, at } = this.#lastSeen;
    const now = momentOf(this.#options.clock);
    const moved = now.wall - at.wall - (now.monotonic - at.monotonic);
    return Math.abs(moved) > TOLERATED_MS ? undefined : aheadMs;
  }

  /** The day of the service, in UTC. Undefined if its time is not known. */
  get today(): string | undefined {
    const { clockAheadMs } = this;
    return clockAheadMs === undefined ? undefined : dateOf(this.#options.clock.now() - clockAheadMs);
  }

  /** Repeats the request after a transient failure. */
  async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    options: RequestOptions = {},
  ): Promise<DataOf<Output>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.send(operation, input, options);
      } catch (error) {
        const delay = delayBeforeRetry(error, attempt, randomInt(1_000) / 1_000);
        if (delay === undefined) throw error;
        await this.#options.clock.sleep(delay, options.signal).catch(throwCancelled);
      }
    }
  }

  /** Sends once. If the token is refused, renews it and sends again: a refused request has changed nothing. */
  async send<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    options: RequestOptions = {},
  ): Promise<DataOf<Output>> {
    const { tokens, signIn, serviceInterface } = this.#options;
    serviceInterface.check(operation);
    const credential = requireSameSignIn(await tokens.credential(options.signal), signIn);
    try {
      return await this.#sendOnce(credential, operation, input, options);
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'not_authorized') throw error;
      const renewed = await tokens.renewed(credential, options.signal);
      if (!renewed) throw error;
      return await this.#sendOnce(requireSameSignIn(renewed, signIn), operation, input, options);
    }
  }

  async #sendOnce<Output extends z.ZodRawShape>(
    { baseUrl, token }: Credential,
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    { since, spending = 'read', ...options }: RequestOptions,
  ): Promise<DataOf<Output>> {
    const { rateBudget, serviceInterface } = this.#options;
    const request = encodeRequest(operation, input, baseUrl, since);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const { budget_id } = input;
    const recordKnowledge =
      typeof budget_id === 'string' ? this.#options.recordKnowledge(budget_id) : undefined;
    const attempt = await rateBudget.take(spending);
    const logFields = { route: operation.route, since };
    const response = await this.#send({ ...request, headers }, attempt, logFields, options);
    const data = await this.#decode(operation, input, response, redactionOf(token), options.signal);
    checkBudget(data, budget_id);
    serviceInterface.learn(operation, data);
    const knowledge = knowledgeOf(data);
    if (knowledge !== undefined) recordKnowledge?.(knowledge);
    if (!operation.arrange) return data;
    const gaps = gapsOf(data);
    return { ...operation.arrange(data, input), ...(gaps.length > 0 && { gaps }) };
  }

  async #decode<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    { status, headers: received, body: bytes }: HttpResponse<Buffer>,
    redact: (text: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<DataOf<Output>> {
    const type = received['content-type'];
    // No error repeats another header.
    const headers = { 'content-type': type === undefined ? undefined : redact(String(type)) };
    try {
      if (bytes.length > LARGE_BYTES)
        return await inTurns(decodeInSteps(operation, { status, headers, body: bytes }, { redact }), signal);
      return decodeResponse(operation, { status, headers, body: redact(bytes.toString('utf8')) });
    } catch (error) {
      throw this.#explained(operation, input, error);
    }
  }

  #explained(operation: Operation, input: JsonObject, error: unknown): unknown {
    const { serviceInterface, clock } = this.#options;
    const explained = serviceInterface.explain(operation, error);
    if (!(explained instanceof BudgetError) || explained.code !== 'bad_request') return explained;
    const remarks = operation.whenRefused?.(input, this.today ?? dateOf(clock.now())) ?? [];
    if (remarks.length === 0) return explained;
    const message = [explained.message, ...remarks].join(' ');
    return new BudgetError('bad_request', message, { cause: explained.cause });
  }

  async #send(
    request: HttpRequest,
    attempt: RateBudgetAttempt,
    logFields: Pick<RequestLogEntry, 'route' | 'since'>,
    { signal, onProgress, timeoutMs, beforeSending }: RequestOptions,
  ): Promise<HttpResponse<Buffer>> {
    const { sender, clock, onRequest } = this.#options;
    await beforeSending?.().catch(async (error: unknown) => {
      await attempt.failed(new BudgetError('unreachable', 'Nothing was sent.'));
      throw error;
    });
    const sentAt = clock.now();
    const log = (outcome: RequestLogEntry['outcome'], left?: number) =>
      onRequest?.({ ...logFields, outcome, milliseconds: clock.now() - sentAt, left });
    const response = await sender.exchange(request, signal, onProgress, timeoutMs).catch(async (error) => {
      log(error instanceof BudgetError ? error.code : 'failed');
      await attempt.failed(error);
      throw error;
    });
    const at = momentOf(clock);
    const aheadMs = clockAhead(response.headers['date'], { sentAt, receivedAt: at.wall });
    this.#lastSeen = aheadMs === undefined ? undefined : { aheadMs, at };
    if (response.status === 401) this.refusedAt = clock.now();
    else if (response.status < 300) this.refusedAt = undefined;
    const rateLimit = rateLimitOf(response.headers);
    log(response.status, rateLimit && Math.max(rateLimit.limit - rateLimit.count, 0));
    await attempt.answered(response);
    return response;
  }
}

const exported = z.object({ budget: z.object({ id: z.string() }) });

/** A faulty proxy may return the response of another request. Only an export contains the id of its budget. */
function checkBudget(data: unknown, requestedId: unknown): void {
  if (requestedId === undefined || requestedId === 'last-used' || requestedId === 'default') return;
  const { success, data: exportData } = exported.safeParse(data);
  if (success && exportData.budget.id !== requestedId)
    throw unexpectedResponse('The response contains another budget than the requested one.');
}

/** Refuses a credential of another sign-in, because the data of two users must never be mixed. */
function requireSameSignIn(credential: Credential, signIn: string): Credential {
  if (credential.signIn === signIn) return credential;
  throw new BudgetError('sign_in_changed', 'The sign-in changed while this request was in progress.');
}

/**
 * Failures after which a repetition may succeed soon (docs/interface.md, Errors, 500 and 503). Not a time-out, because the
 * caller has already waited long. Not a used rate budget, because a caller does not wait that long.
 */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'connection_lost',
  'internal_server_error',
  'service_unavailable',
]);

const DELAYS_MS = [250, 1_000] as const;

/**
 * The delay in milliseconds after `attempt` (from 1) of a read failed with `error`. Undefined if there is no further attempt.
 * `random`, in [0, 1), varies the delay by up to half of it, so that clients that failed together do not repeat together.
 */
export function delayBeforeRetry(error: unknown, attempt: number, random = 0.5): number | undefined {
  if (!(error instanceof BudgetError) || !RETRYABLE.has(error.code)) return undefined;
  const delay = DELAYS_MS[attempt - 1];
  return delay && delay * (0.5 + random);
}
