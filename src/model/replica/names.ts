/**
 * The names of the things that rows refer to. The service sends references to things that it does not send, or sends as deleted:
 * payees that were deleted, and what other programs have left. They are named as unknown.
 */
import type { Account, Category, CategoryGroup, Payee } from './entities.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface NamedTables {
  readonly accounts: { find(id: string): Account | undefined };
  readonly payees: { find(id: string): Payee | undefined };
  readonly groups: { find(id: string): CategoryGroup | undefined };
  readonly categories: { find(id: string): Category | undefined };
}

export type NamedKind = 'account' | 'payee' | 'category' | 'category_group';

export class Names {
  readonly #tables: NamedTables;
  readonly #unknown = new Map<string, Named>();
  /** How often something was found to be unknown. */
  found = 0;

  constructor(tables: NamedTables) {
    this.#tables = tables;
  }

  account(id: string): Named {
    return this.#tables.accounts.find(id) ?? this.unknown('account', id);
  }

  payee(id: string): Named {
    return this.#tables.payees.find(id) ?? this.unknown('payee', id);
  }

  category(id: string): Named {
    return this.#tables.categories.find(id) ?? this.unknown('category', id);
  }

  /** `name` is that which categories have of it, in most versions of the service. */
  category_group(id: string, name: string | null = null): Named {
    return this.#tables.groups.find(id) ?? this.unknown('category_group', id, name);
  }

  /** The name of something unknown that rows refer to. All rows share one text of its id. */
  unknown(kind: NamedKind | 'transaction', id: string, name: string | null = null): Named {
    const known = this.#unknown.get(id);
    if (known) return known;
    const named = { id, name: name ?? `unknown ${kind.replaceAll('_', ' ')}` };
    this.#unknown.set(id, named);
    this.found += 1;
    return named;
  }

  isUnknown(id: string): boolean {
    return this.#unknown.has(id);
  }

  /** The name of an unknown thing. Undefined if nothing refers to one. */
  ofUnknown(id: string): string | undefined {
    return this.#unknown.get(id)?.name;
  }

  /** The thing was sent since. */
  learn(id: string): void {
    this.#unknown.delete(id);
  }
}
