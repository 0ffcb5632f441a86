/** One line to a protocol message, or to the answer that says why it is none. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';
import { PARSE_ERROR, type Refusal, refused } from '../error-response.ts';
import { isTooDeep } from '../nesting.ts';
import { requestIdSchema } from '../request-id.ts';

export type Reading =
  | { readonly message: JSONRPCMessage }
  | { readonly refusal: Refusal }
  /** Nothing that is to be answered. */
  | { readonly error: Error };

const identified = z.object({ id: requestIdSchema, method: z.unknown() });
const response = z.union([z.object({ result: z.unknown() }), z.object({ error: z.unknown() })]);

export function readMessage(line: string): Reading {
  const value = parseJson(line);
  if (value === undefined) return { refusal: refused('The line is not JSON.', PARSE_ERROR) };
  const id = identified.safeParse(value).data?.id;
  // An answer to an answer could be answered again, without end.
  const refusal = (message: string): Reading =>
    isResponse(value) ? { error: new Error(message) } : { refusal: refused(message, undefined, id) };
  // The protocol has had none since 2025-06-18.
  if (Array.isArray(value)) return refusal('Batches are not taken: send each message by itself.');
  if (isTooDeep(value)) return refusal('The message is nested too deeply.');
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return refusal('The line is no JSON-RPC message.');
  }
}

const isResponse = (value: unknown) => response.safeParse(value).success;
