/**
 * Collects the problems of a request over all its rows, so that one response reports all of them. A problem begins
 * with the name of the field. The index of a row comes last, as in `memo is too long (index: 19)`.
 */
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { NOT_A_UUID } from './fields.ts';

export class Problems {
  readonly #problems: string[] = [];

  /** Adds the problems of a row, or of a body without rows. Returns true if there is one. */
  add(problems: Iterable<string>, index?: number): boolean {
    const before = this.#problems.length;
    for (const problem of problems) {
      this.#problems.push(index === undefined ? problem : `${problem} (index: ${index})`);
    }
    return this.#problems.length > before;
  }

  /** Parses a row. Returns undefined, and adds the problems, if the row is invalid. */
  read<S extends z.ZodType>(schema: S, value: unknown, index?: number): z.output<S> | undefined {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    this.add(
      result.error.issues.map((issue) => problemOf(issue, 'the transaction')),
      index,
    );
    return undefined;
  }

  /** Throws 400 with all problems. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new ServiceError('bad_request', this.#problems.join(', '));
  }
}

/** Parses a whole body. Throws 400 with the invalid fields, without the name of the wrapping object. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    problemOf({ path: path.length > 1 ? path.slice(1) : path, message }, 'the body'),
  );
  throw new ServiceError('bad_request', problems.join(', '));
}

/** An invalid id is named by its entity: `payee must be formatted as a uuid`. */
function problemOf(
  { path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>,
  objectName: string,
): string {
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const name = field === '' ? objectName : field.replace(/^\./, '');
  return `${message === NOT_A_UUID ? name.replace(/_id$/, '') : name} ${message}`;
}
