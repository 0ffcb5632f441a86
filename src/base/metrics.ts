/**
 * The reports of a server's parts about their work, so that the person who runs it sees how it does. Nothing of it
 * is personal: every name comes from a closed set, such as the routes of the server, its tools and its error codes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

export interface Metrics {
  httpRequest(request: MeasuredRequest): void;
  toolCall(call: MeasuredCall): void;
  serviceRequest(request: MeasuredExchange): void;
  /** Calls `read` whenever the metrics are asked for, until the returned function is called. */
  watch(read: () => Levels): () => void;
}

export interface MeasuredRequest {
  readonly route: string;
  readonly method: string;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly milliseconds: number;
  readonly isStream: boolean;
}

export interface MeasuredCall {
  readonly tool: string;
  /** `answered` or the code of the error. */
  readonly outcome: string;
  /** How many requests to the service the call has sent itself. */
  readonly requests: number;
  readonly milliseconds: number;
}

export interface MeasuredExchange {
  /** Such as `GET /budgets/{budget_id}`. */
  readonly route: string;
  /** The status of the response, or the error code if there was none. */
  readonly outcome: number | string;
  readonly milliseconds: number;
  /** How many requests are left in this hour, by the response. */
  readonly left?: number | undefined;
}

/** The amounts at a moment. The values of several parts are added up; of `requestsLeft`, the lowest counts. */
export interface Levels {
  readonly requestsInProgress?: number;
  readonly openStreams?: number;
  readonly sessions?: number;
  readonly openGrants?: number;
  readonly cachedBytes?: number;
  /** Requests that are left in this hour for a sign-in. */
  readonly requestsLeft?: number | undefined;
}

/** Runs a call of a tool. `run` passes the error of a call that has failed. */
export type MeasureCall = <Result>(
  tool: string,
  run: (onFailure: (code: string) => void) => Promise<Result>,
) => Promise<Result>;

/** Measures calls of tools, and counts the requests to the service that each one sends. */
export class CallMeter {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #current = new AsyncLocalStorage<{ requests: number }>();

  constructor(metrics: Metrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  readonly measure: MeasureCall = async (tool, run) => {
    const startedAt = this.#clock.monotonic();
    const call = { requests: 0 };
    let outcome = 'internal_error';
    try {
      let code = 'answered';
      const result = await this.#current.run(call, () =>
        run((failure) => {
          code = failure;
        }),
      );
      outcome = code;
      return result;
    } finally {
      const milliseconds = this.#clock.monotonic() - startedAt;
      this.#metrics.toolCall({ tool, outcome, requests: call.requests, milliseconds });
    }
  };

  /** The current call has sent a request. */
  countRequest(): void {
    const call = this.#current.getStore();
    if (call) call.requests += 1;
  }
}
