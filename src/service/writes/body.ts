/**
 * The body of a request: JSON, sent as such, and not too much of it. What it says is read by a schema; a body that
 * cannot be read is a 400 that says why (specification, Errors).
 */
import type { Context } from 'hono';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { valid } from './problems.ts';

const MEGABYTES = 5;

/**
 * Reads the body; fields that the schema does not have are ignored. Throws 400 naming what is wrong, and 403.4 for a
 * body that is too large, which is read no further.
 */
export async function bodyOf<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const json = decoded(await bytesOf(c));
  if (json.trim() === '') refuse('The body is missing.');
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    refuse('The body must be sent with the content type application/json.');
  }
  return valid(schema, parsed(json));
}

async function bytesOf(c: Context): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let left = MEGABYTES * 1024 * 1024;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      left -= chunk.length;
      if (left < 0) break;
      chunks.push(chunk);
    }
  } catch {
    refuse('The body did not arrive whole.');
  }
  if (left < 0) {
    throw new ServiceError('data_limit_reached', `The body of a request may have ${MEGABYTES} MB at most.`);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('The body is not valid UTF-8.');
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return refuse('The body is not valid JSON.');
  }
}

function refuse(detail: string): never {
  throw new ServiceError('bad_request', detail);
}
