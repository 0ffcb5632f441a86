/**
 * Secrets that the service hands out and recognises again: tokens, codes, client secrets, sessions. Only the SHA-256
 * digest of one is kept. What belongs to a secret is found by its digest, so how long the look-up takes tells nothing
 * about the secrets that exist. Passwords, which people choose, are the business of `password`.
 */
import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, in characters that a bearer token may have. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
