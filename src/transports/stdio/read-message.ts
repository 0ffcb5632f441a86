/** Parses one line as a protocol message, or returns the error response. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';
import { createRefusal, PARSE_ERROR, type Refusal } from '../json-rpc-refusal.ts';
import { isTooDeep } from '../nesting.ts';
import { requestIdSchema } from '../request-id.ts';

export type ParsedLine =
  | { readonly message: JSONRPCMessage }
  | { readonly refusal: Refusal }
  /** An invalid response, which must not be answered. */
  | { readonly error: Error };

const withId = z.object({ id: requestIdSchema, method: z.unknown() });
const response = z.union([z.object({ result: z.unknown() }), z.object({ error: z.unknown() })]);

export function readMessage(line: string): ParsedLine {
  const value = parseJson(line);
  if (value === undefined) return { refusal: createRefusal('The line is not JSON.', PARSE_ERROR) };
  const id = withId.safeParse(value).data?.id;
  // If both sides answered invalid responses, they could do so without end.
  const refusal = (message: string): ParsedLine =>
    isResponse(value) ? { error: new Error(message) } : { refusal: createRefusal(message, undefined, id) };
  // The protocol has no batches since 2025-06-18.
  if (Array.isArray(value)) return refusal('Batches are not supported: send each message separately.');
  if (isTooDeep(value)) return refusal('The message is nested too deeply.');
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return refusal('The line is not a JSON-RPC message.');
  }
}

const isResponse = (value: unknown) => response.safeParse(value).success;
