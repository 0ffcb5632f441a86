/** Keys that are derived from a secret (HKDF, RFC 5869): one tells nothing about the secret or about the others. And hashes. */
import { createHash, createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

export const derivedKey = (secret: Uint8Array | string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `budget-mcp hosting ${purpose}`, KEY_BYTES));

/** Cannot be computed or checked without the key. */
export const keyedHash = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** For texts that cannot be guessed, such as tokens. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The id of a person here. It is the same at each sign-in, and does not tell `userId`, the id at the budgeting service, which
 * answers requests at `baseUrl`.
 */
export const personIdOf = (rootKey: Uint8Array, user: { baseUrl: string; userId: string }): string =>
  keyedHash(derivedKey(rootKey, 'person id'), `${user.baseUrl}\n${user.userId}`);
