/** The id of a person here. It is the same at each sign-in, and does not tell the id at the budgeting service. */
import { derivedKey, keyedHash } from './derived-key.ts';

export interface UpstreamUser {
  /** Where the budgeting service answers requests. */
  readonly baseUrl: string;
  /** The id of the user there. */
  readonly userId: string;
}

export const personIdOf = (rootKey: Uint8Array, { baseUrl, userId }: UpstreamUser): string =>
  keyedHash(derivedKey(rootKey, 'person id'), `${baseUrl}\n${userId}`);
