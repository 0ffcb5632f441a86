/** Ends the access of a person's clients, and removes everything that is stored about the person. */
import type { Grants } from './grants.ts';
import type { People } from './people.ts';

/** Returns the ids of the grants. Their own states are removed by whoever has opened them. */
export async function endAllGrants(
  personId: string,
  grants: Pick<Grants, 'ofPerson' | 'end'>,
): Promise<readonly string[]> {
  const ids = (await grants.ofPerson(personId)).map(({ id }) => id);
  for (const id of ids) await grants.end(id);
  return ids;
}

/** Returns the ids of the grants. */
export async function forget(
  personId: string,
  { grants, people }: { readonly grants: Pick<Grants, 'ofPerson' | 'end'>; readonly people: People },
): Promise<readonly string[]> {
  const ids = await endAllGrants(personId, grants);
  await people.remove(personId);
  return ids;
}
