/** Ends the access of a person's clients, and removes everything that is stored about the person. */
import type { Grants } from './grants.ts';
import type { People } from './people.ts';

/** Returns the ids of the grants. Their own states are removed by the processes that have opened them. */
export async function forget(
  personId: string,
  { grants, people }: { readonly grants: Pick<Grants, 'endAllOf'>; readonly people: People },
): Promise<readonly string[]> {
  const ids = await grants.endAllOf(personId);
  await people.remove(personId);
  return ids;
}
