/**
 * Reads that a write needs. The service answers from several copies, and a copy may lag by up to 20 s. A response with
 * a lower `server_knowledge` than an earlier one is out of date, so the read is repeated.
 */

import type { z } from 'zod';
import { cancelledError } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import type { DataOf, Operation } from '../../operations/operation.ts';
import type { Watermarks } from '../freshness/watermarks.ts';
import type { RequestOptions, Requests } from '../http/requests.ts';

/** What sends the requests of writes. */
export type ServicePort = Pick<Requests, 'read' | 'send'>;

/** Another copy usually answers the next request. The sum is below the ten seconds that a host waits. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 3_000] as const;

export class CurrentReads {
  readonly #service: Pick<ServicePort, 'read'>;
  readonly #watermarks: Watermarks;
  readonly #clock: Clock;

  constructor(service: Pick<ServicePort, 'read'>, watermarks: Watermarks, clock: Clock) {
    this.#service = service;
    this.#watermarks = watermarks;
    this.#clock = clock;
  }

  /** The requests reserved for writes pay for it, unless it is optional (`spending`). Throws `service_unavailable` if every response is out of date. */
  async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject & { readonly budget_id: string },
    options: RequestOptions = {},
    attempts = RETRY_DELAYS_MS.length + 1,
  ): Promise<DataOf<Output>> {
    for (let attempt = 1; ; attempt += 1) {
      const isUpToDate = this.#watermarks.beginRequest(input.budget_id, true);
      const data = await this.#service.read(operation, input, { spending: 'write', ...options });
      const knowledge = knowledgeOf(data);
      if (knowledge === undefined || isUpToDate(knowledge)) return data;
      const delay = RETRY_DELAYS_MS[attempt - 1];
      if (delay === undefined || attempt === attempts)
        throw new BudgetError(
          'service_unavailable',
          'The service answered with an older state of the budget than before.',
        );
      await this.#clock.sleep(delay, options.signal).catch(() => {
        throw cancelledError();
      });
    }
  }
}

/** For an optional read: undefined if it fails with a `BudgetError`. */
export async function undefinedIfFailed<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof BudgetError) return undefined;
    throw error;
  }
}
