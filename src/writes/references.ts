/** Checks the entities that the input of a write refers to by id, at any depth: whether they exist and are open. */
import { quote, word } from '../platform/quote.ts';

/** The name of an entity that a write can refer to. */
export interface NamedEntity {
  readonly name: string;
  /** True for the transfer payee of an account. `name` is then the name of the account. */
  readonly isTransfer?: boolean;
  readonly closed?: boolean;
}

export interface Reference {
  readonly field: string;
  readonly id: string;
}

/** The existing entities, by the name of the field that refers to them, then by id. */
export type KnownEntities = ReadonlyMap<string, ReadonlyMap<string, NamedEntity>>;

/** Every string in the input, with the name of its field or its index in a list. Most of them are not references. */
export function collectReferences(value: unknown): Reference[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    typeof inner === 'string' ? [{ field, id: inner }] : collectReferences(inner),
  );
}

/** `before` is the entity to change. It may keep a reference that would be refused in a new entity. */
export function referenceProblems(
  references: readonly Reference[],
  known: KnownEntities,
  before: unknown,
): string[] {
  const existing = new Set(collectReferences(before).map(keyOf));
  return references.flatMap((reference) => {
    const { field, id } = reference;
    const entities = known.get(field);
    if (!entities || existing.has(keyOf(reference))) return [];
    const entity = entities.get(id);
    if (!entity) return [notFoundProblem(field, id)];
    return entity.closed ? [`${field}: the account ${quote(entity.name)} is closed`] : [];
  });
}

export const notFoundProblem = (field: string, id: unknown) =>
  `${field}: there is no ${field.replace(/_id$/, '').replaceAll('_', ' ')} ${word(String(id))}`;

const keyOf = ({ field, id }: Reference) => `${field} ${id}`;
