/**
 * Knows which version of the interface the service has (docs/interface.md, Versioning). It learns it from
 * responses that are needed anyway, so it costs no request. The last response counts, because a service may be updated.
 */
import { z } from 'zod';
import { BudgetError } from '../../base/errors.ts';
import type { Operation } from '../../operations/operation.ts';

const marked = z.object({ internal: z.boolean().optional() });
const rows = z.array(marked).default([]);
const collections = z.object({ category_groups: rows, categories: rows });
const responseData = collections.extend({ category: marked.optional(), budget: collections.optional() });

type KnownOperation = Pick<Operation, 'name' | 'title' | 'addedIn'>;

export class ServiceInterface {
  readonly #onChange: () => void;
  /** Whether it is older than 1.85. Undefined if it is not known. */
  #isOlder: boolean | undefined;
  /** The names of operations that a service lacks which is not older in general. */
  readonly #missing = new Set<string>();

  /** `onChange` is called when the result of `lacks` changes. */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  lacks({ name, addedIn }: Pick<Operation, 'name' | 'addedIn'>): boolean {
    return addedIn !== undefined && (this.#isOlder === true || this.#missing.has(name));
  }

  check(operation: KnownOperation): void {
    if (this.lacks(operation)) throw unavailable(operation);
  }

  /** `data` is from a response to the operation. Version 1.85 marks every category and group as internal or not. */
  learn({ addedIn }: Pick<Operation, 'addedIn'>, data: unknown): void {
    if (addedIn !== undefined) {
      this.#set(false);
      return;
    }
    const { success, data: found } = responseData.safeParse(data);
    if (!success) return;
    const { budget, category } = found;
    const categories = [
      ...found.category_groups,
      ...found.categories,
      ...(budget ? [...budget.category_groups, ...budget.categories] : []),
      ...(category ? [category] : []),
    ];
    if (categories.length > 0) this.#set(categories.every(({ internal }) => internal === undefined));
  }

  /**
   * The error to report instead of an error response to the operation. An unknown path (404.1) shows that the service lacks
   * the operation, and all others that came with it unless other responses show that it is not older. An unknown entity
   * (404.2) shows nothing.
   */
  explain(operation: KnownOperation, error: unknown): unknown {
    const isUnknownPath = error instanceof BudgetError && error.code === 'not_found';
    if (operation.addedIn === undefined || !isUnknownPath) return error;
    if (this.#isOlder === false) {
      this.#missing.add(operation.name);
      this.#onChange();
    } else {
      this.#set(true);
    }
    return unavailable(operation, error);
  }

  #set(isOlder: boolean): void {
    const wasOlder = this.#isOlder === true;
    this.#isOlder = isOlder;
    if (wasOlder === isOlder) return;
    // It was updated or reset, so that what its former version lacked shows nothing.
    this.#missing.clear();
    this.#onChange();
  }
}

const unavailable = ({ title, addedIn }: KnownOperation, cause?: BudgetError) =>
  new BudgetError(
    'operation_unavailable',
    `${title}: the service has an older interface, which lacks this operation (it came with ${addedIn}).`,
    { cause },
  );
