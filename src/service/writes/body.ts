/**
 * Reads the JSON body of a request with a schema and a size limit. An unreadable body is a 400 with the reason
 * (docs/interface.md, Errors).
 */
import type { Context } from 'hono';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { parseBody } from './problems.ts';

const MEGABYTES = 5;

/**
 * Reads the body. Unknown fields are ignored. Throws 400 with the invalid fields. Throws 403.4 for a body that is
 * too large, and stops reading it.
 */
export async function readBody<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const json = decodeUtf8(await readBytes(c));
  if (json.trim() === '') badRequest('The body is missing.');
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    badRequest('The body must be sent with the content type application/json.');
  }
  return parseBody(schema, parseJson(json));
}

async function readBytes(c: Context): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytesLeft = MEGABYTES * 1024 * 1024;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) break;
      chunks.push(chunk);
    }
  } catch {
    badRequest('The body did not arrive whole.');
  }
  if (bytesLeft < 0) {
    throw new ServiceError('data_limit_reached', `The body of a request may have ${MEGABYTES} MB at most.`);
  }
  return Buffer.concat(chunks);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return badRequest('The body is not valid UTF-8.');
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return badRequest('The body is not valid JSON.');
  }
}

function badRequest(detail: string): never {
  throw new ServiceError('bad_request', detail);
}
