/**
 * Secrets that the service issues: tokens, codes, client secrets, sessions. Only their SHA-256 digests are stored.
 * Lookups use the digest, so their duration reveals nothing about stored secrets. `password` handles passwords,
 * which users choose.
 */
import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, encoded in characters that a bearer token may contain. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
