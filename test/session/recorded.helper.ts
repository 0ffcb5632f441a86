/** All responses of the service about a budget at one moment, to compare with later results. */
import { BudgetError } from '../../src/base/errors.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  type Input,
  idsOf,
  inputsOf,
  replicaOperations,
  type ServiceReader,
} from '../model/replica/service-reader.helper.ts';
import { inOrder } from './in-order.helper.ts';

/** A result, or the code of the error. */
export async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return inOrder(await answer);
  } catch (error) {
    if (error instanceof BudgetError) return error.code;
    throw error;
  }
}

/** All results of the service about a budget at one moment, by read. */
export class Recorded {
  readonly #answers = new Map<string, unknown>();

  static async taken(service: ServiceReader, questions: readonly Question[]): Promise<Recorded> {
    const record = new Recorded();
    for (const { operation, input } of questions)
      record.#answers.set(keyOf(operation, input), await outcomeOf(service.data(operation, input)));
    return record;
  }

  answer({ operation, input }: Question): unknown {
    return this.#answers.get(keyOf(operation, input));
  }
}

export interface Question {
  readonly operation: Operation;
  readonly input: Input;
}

export const keyOf = (operation: Operation, input: Input) => `${operation.name} ${JSON.stringify(input)}`;

/** A few inputs of each operation: recent entities, and entities that do not exist. */
export async function questionsAbout(service: ServiceReader): Promise<Question[]> {
  const all = Object.entries(idsOf(await service.export()));
  const ids = Object.fromEntries(all.map(([name, each]) => [name, each.slice(-1)]));
  return replicaOperations.flatMap((operation) =>
    inputsOf(operation, ids, {}).map((input) => ({ operation, input: operation.input.parse(input) })),
  );
}
