/**
 * What callers learn while the store of the server cannot be used, because another process blocks its file for example. The
 * reason is for the log only. Nothing is answered without the store: who has access, and as whom, is only known there.
 */
import { StoreError } from '../state/store-error.ts';

export const UNAVAILABLE = 'This server cannot use its storage now. Try again in a minute.';

export const UNAVAILABLE_STATUS = 503;

/** `Retry-After` of the response, in seconds. */
export const RETRY_AFTER_SECONDS = '60';

export const isUnavailable = (error: unknown): error is StoreError => error instanceof StoreError;
