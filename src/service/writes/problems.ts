/**
 * What is wrong with a request, gathered over all its rows, so that one answer says everything. A problem begins
 * with the field's name; a row of transactions is named behind it, as in `memo is too long (index: 19)`.
 */
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { NOT_A_UUID } from './fields.ts';

export class Problems {
  readonly #found: string[] = [];

  /** Adds the problems of a row, or of a body without rows; true when there was one. */
  add(problems: Iterable<string>, index?: number): boolean {
    const before = this.#found.length;
    for (const problem of problems) {
      this.#found.push(index === undefined ? problem : `${problem} (index: ${index})`);
    }
    return this.#found.length > before;
  }

  /** A row as the schema has it; undefined when it breaks the schema, which is noted. */
  read<S extends z.ZodType>(schema: S, value: unknown, index?: number): z.output<S> | undefined {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    this.add(
      result.error.issues.map((issue) => problemOf(issue, 'the transaction')),
      index,
    );
    return undefined;
  }

  /** Throws 400 with everything that was found. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new ServiceError('bad_request', this.#found.join(', '));
  }
}

/**
 * A whole body as the schema has it. Throws 400 naming each field that breaks the schema, without the object that
 * every body wraps its fields in.
 */
export function valid<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    problemOf({ path: path.length > 1 ? path.slice(1) : path, message }, 'the body'),
  );
  throw new ServiceError('bad_request', problems.join(', '));
}

/** A wrongly formed id is called by what it is the id of: `payee must be formatted as a uuid`. */
function problemOf({ path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>, whole: string): string {
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const name = field === '' ? whole : field.replace(/^\./, '');
  return `${message === NOT_A_UUID ? name.replace(/_id$/, '') : name} ${message}`;
}
