/**
 * One operation, one request after the other until there is an answer: get the token, take from the rate budget,
 * encode, send, let the rate budget see the response, decode. A refused token is renewed once. Repeating a read stands
 * outside the rate budget, so that every attempt is paid for. It acts for one sign-in and must not know what is held.
 */
import type { JsonObject } from '../platform/json.ts';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Credential, TokenProvider } from '../auth/token-provider.ts';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { cancelledError } from '../platform/abort.ts';
import type { Clock } from '../platform/clock.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import { decodeResponse, encodeRequest } from './codec.ts';
import type { HttpRequest, HttpResponse, HttpSender, OnProgress } from './http-sender.ts';
import type { RateBudget, RateBudgetAttempt } from './rate-budget.ts';
import { withoutSecret } from './redaction.ts';
import { delayBeforeRetry } from './retry.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only what has changed after this knowledge. */
  readonly since?: number | undefined;
  readonly onBytes?: OnProgress | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whose part of the rate budget it is; what a write reads for its own sake is the write's. */
  readonly spending?: 'read' | 'write' | undefined;
}

/** A request as the log may tell of it: whose it is and what came back is nobody's business. */
export interface RequestLogEntry {
  /** Such as `GET /budgets/{budget_id}`. */
  readonly route: string;
  /** What was known before, where only what has changed since was asked for. */
  readonly since?: number | undefined;
  /** The status of the answer; where there was none, why. */
  readonly outcome: number | string;
  readonly milliseconds: number;
}

export interface RequestsOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  readonly rateBudget: RateBudget;
  /** The `signIn` of the credentials that it may use. */
  readonly signIn: string;
  /** Called before a request about a budget is sent; what it gives takes the `server_knowledge` of the answer. */
  readonly recordKnowledge: (budgetId: string) => (knowledge: number) => void;
  /** Told of every request once it has ended. */
  readonly onRequest?: ((exchange: RequestLogEntry) => void) | undefined;
}

export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Asks again where a moment may mend the failure. */
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
        await this.#options.clock.sleep(delay, options.signal).catch(() => {
          throw cancelledError();
        });
      }
    }
  }

  /** Once; and once more where the token was refused, of which nothing but a refusal can have come. */
  async send<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    options: RequestOptions = {},
  ): Promise<DataOf<Output>> {
    const { tokens, signIn } = this.#options;
    const credential = requireSameSignIn(await tokens.credential(options.signal), signIn);
    try {
      return await this.#exchange(credential, operation, input, options);
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'not_authorized') throw error;
      const renewed = await tokens.renewed(credential, options.signal);
      if (!renewed) throw error;
      return await this.#exchange(requireSameSignIn(renewed, signIn), operation, input, options);
    }
  }

  async #exchange<Output extends z.ZodRawShape>(
    { baseUrl, token }: Credential,
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
    { since, spending = 'read', ...options }: RequestOptions,
  ): Promise<DataOf<Output>> {
    const request = encodeRequest(operation, input, baseUrl, since);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const { budget_id } = input;
    const learn = typeof budget_id === 'string' ? this.#options.recordKnowledge(budget_id) : undefined;
    const attempt = await this.#options.rateBudget.take(spending);
    const told = { route: operation.route, since };
    const response = await this.#send({ ...request, headers }, attempt, told, options);
    const data = decodeResponse(operation, withoutSecret(response, token));
    checkBudget(data, budget_id);
    const knowledge = knowledgeOf(data);
    if (knowledge !== undefined) learn?.(knowledge);
    return data;
  }

  async #send(
    request: HttpRequest,
    attempt: RateBudgetAttempt,
    told: Pick<RequestLogEntry, 'route' | 'since'>,
    { signal, onBytes, timeoutMs }: RequestOptions,
  ): Promise<HttpResponse> {
    const { sender, clock, onRequest } = this.#options;
    const sentAt = clock.now();
    const ended = (outcome: RequestLogEntry['outcome']) =>
      onRequest?.({ ...told, outcome, milliseconds: clock.now() - sentAt });
    const response = await sender.send(request, signal, onBytes, timeoutMs).catch(async (error) => {
      ended(error instanceof BudgetError ? error.code : 'failed');
      await attempt.failed(error);
      throw error;
    });
    ended(response.status);
    await attempt.answered(response);
    return response;
  }
}

const exported = z.object({ budget: z.object({ id: z.string() }) });

/** Something in between may mix up answers. Only an export tells which budget it is of. */
function checkBudget(data: unknown, asked: unknown): void {
  if (asked === undefined || asked === 'last-used' || asked === 'default') return;
  const { success, data: of } = exported.safeParse(data);
  if (success && of.budget.id !== asked)
    throw new BudgetError('unexpected_response', 'The answer is of another budget than the one asked for.');
}

/** What is held for one sign-in is never mixed with what another one is told. */
function requireSameSignIn(credential: Credential, signIn: string): Credential {
  if (credential.signIn === signIn) return credential;
  throw new BudgetError('sign_in_changed', 'Somebody has signed in anew while this was being asked.');
}
