/** The entities that the input of a write refers to by id, at any depth. */

/** The name of an entity that a write can refer to. */
export interface NamedEntity {
  readonly name: string;
  /** True for the transfer payee of an account. `name` is then the name of the account. */
  readonly isTransfer?: boolean;
}

export interface Reference {
  readonly field: string;
  readonly id: string;
}

/** Every string in the input, with the name of its field or its index in a list. Most of them are not references. */
export function collectReferences(value: unknown): Reference[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    typeof inner === 'string' ? [{ field, id: inner }] : collectReferences(inner),
  );
}
