/**
 * Reads for the sake of a write. The service answers from copies, of which one may lag behind by some 20 s: an answer
 * with less `server_knowledge` than was seen before tells nothing, and is asked for again.
 */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { cancelledError } from '../platform/abort.ts';
import type { Clock } from '../platform/clock.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import type { KnowledgeWatermarks } from './knowledge-watermarks.ts';

type Input = Readonly<Record<string, unknown>>;

/** How the writer reaches the service. */
export interface ServicePort {
  /** One request, for one answer. */
  send<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
  ): Promise<DataOf<Output>>;
  /** A read, repeated where that may help; with `since` only what has changed after that knowledge. */
  read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    options?: ReadOptions,
  ): Promise<DataOf<Output>>;
}

export interface ReadOptions {
  readonly since?: number | undefined;
  /** Whose part of the rate budget it is; by default the write's. */
  readonly spending?: 'read' | 'write';
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Mostly another copy answers the next request; and a host waits for ten seconds at most. */
const AGAIN_AFTER_MS = [500, 1_000, 2_000, 3_000] as const;

export class CurrentReads {
  readonly #service: Pick<ServicePort, 'read'>;
  readonly #baselines: KnowledgeWatermarks;
  readonly #clock: Clock;

  constructor(service: Pick<ServicePort, 'read'>, baselines: KnowledgeWatermarks, clock: Clock) {
    this.#service = service;
    this.#baselines = baselines;
    this.#clock = clock;
  }

  /** Throws `service_unavailable` where all answers are too old. */
  async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input & { readonly budget_id: string },
    options: ReadOptions = {},
    attempts = AGAIN_AFTER_MS.length + 1,
  ): Promise<DataOf<Output>> {
    for (let attempt = 1; ; attempt += 1) {
      const isNewest = this.#baselines.recordKnowledge(input.budget_id);
      const data = await this.#service.read(operation, input, options);
      const knowledge = knowledgeOf(data);
      if (knowledge === undefined || isNewest(knowledge)) return data;
      const delay = AGAIN_AFTER_MS[attempt - 1];
      if (delay === undefined || attempt === attempts)
        throw new BudgetError(
          'service_unavailable',
          'The service shows the budget as it was before what it has shown already.',
        );
      await this.#clock.sleep(delay, options.signal).catch(() => {
        throw cancelledError();
      });
    }
  }
}

/** Of what can be done without. */
export async function quietly<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof BudgetError) return undefined;
    throw error;
  }
}
