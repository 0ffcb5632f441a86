/** The things that a write tells by their ids, at any depth of its input: whether they are there, and their names. */
import { quote, word } from '../platform/quote.ts';

/** What the budget calls something. */
export interface NamedEntity {
  readonly name: string;
  /** Of a payee that stands for transfers; the name is that of the account. */
  readonly isTransfer?: boolean;
  readonly closed?: boolean;
}

export interface Reference {
  readonly field: string;
  readonly id: string;
}

/** By field, by id. */
export type KnownEntities = ReadonlyMap<string, ReadonlyMap<string, NamedEntity>>;

/** Every text of the input, with the name of its field. */
export function collectReferences(value: unknown): Reference[] {
  if (Array.isArray(value)) return value.flatMap(collectReferences);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    typeof inner === 'string' ? [{ field, id: inner }] : collectReferences(inner),
  );
}

/** `before` is what the write changes, which may keep what could not be chosen any more. */
export function referenceProblems(
  references: readonly Reference[],
  known: KnownEntities,
  before: unknown,
): string[] {
  const kept = new Set(collectReferences(before).map(keyOf));
  return references.flatMap((reference) => {
    const { field, id } = reference;
    const things = known.get(field);
    if (!things || kept.has(keyOf(reference))) return [];
    const thing = things.get(id);
    if (!thing) return [notFoundProblem(field, id)];
    return thing.closed ? [`${field}: the account ${quote(thing.name)} is closed`] : [];
  });
}

export const notFoundProblem = (field: string, id: unknown) =>
  `${field}: there is no ${field.replace(/_id$/, '').replaceAll('_', ' ')} ${word(String(id))}`;

const keyOf = ({ field, id }: Reference) => `${field} ${id}`;
