/**
 * Values that are derived from a provided token (HKDF, RFC 5869). They are the same in every process, and show nothing of the
 * token or of each other.
 */
import { hkdfSync } from 'node:crypto';

const derive = (token: string, purpose: string, bytes: number) =>
  new Uint8Array(hkdfSync('sha256', token, '', `budget-mcp ${purpose}`, bytes));

/** The key that seals the shared state, of 32 bytes. */
export const keyOfToken = (token: string): Uint8Array => derive(token, 'state key', 32);

/** The id of the sign-in. */
export const signInOfToken = (token: string): string =>
  Buffer.from(derive(token, 'sign-in id', 16)).toString('hex');
