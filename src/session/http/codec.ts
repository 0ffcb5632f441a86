/**
 * Encodes an operation and its input as an HTTP request, and decodes an HTTP response to data or an error. Pure
 * functions.
 */
import { isAscii } from 'node:buffer';
import { z } from 'zod';
import { BudgetError, type ErrorCode, invalidInput, unexpectedResponse } from '../../base/errors.ts';
import { decodeHtmlInJson } from '../../base/html-text.ts';
import { type JsonObject, parseJson } from '../../base/json.ts';
import { parseJsonInParts } from '../../base/json-parts.ts';
import { quoteStart, word } from '../../base/quote.ts';
import { firstProblem } from '../../base/schema/fast-validate.ts';
import { parseTolerantly } from '../../base/schema/tolerant-parse.ts';
import { isTransactionSummary } from '../../base/schema/transaction.ts';
import { atOnce } from '../../base/turns.ts';
import { sharingTexts } from '../../model/replica/join.ts';
import type { Operation } from '../../operations/operation.ts';
import type { HttpRequest, HttpResponse } from './http-sender.ts';

/** `input` must be parsed by the schema. Fields that are not in the path become the query or the body. `since` asks for a delta. */
export function encodeRequest(
  operation: Operation,
  input: JsonObject,
  baseUrl: string,
  since?: number,
): HttpRequest {
  const [verb, template = ''] = operation.route.split(' ');
  const method = methods.parse(verb);
  const maxBytes = maxBytesOf(operation);
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return segment(input[name]);
  });
  const fields = Object.entries(input).filter(([name, value]) => !inPath.has(name) && value !== undefined);
  if (operation.body) {
    const body = JSON.stringify(operation.body(Object.fromEntries(fields)));
    const headers = { ...accept, 'content-type': 'application/json' };
    return { method, url: baseUrl + path, headers, body, maxBytes };
  }
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
  if (since !== undefined) query.set('last_knowledge_of_server', String(since));
  return { method, url: baseUrl + path + (query.size > 0 ? `?${query}` : ''), headers: accept, maxBytes };
}

/** Only exports and lists of transactions or money movements grow over the years: 100,000 transactions take 60 MB. The largest other is that to a write of 1,000 rows. */
function maxBytesOf({ collections, rows, isCachedByKnowledge }: Operation): number {
  const grows = collections !== undefined || rows?.order === 'newest first' || isCachedByKnowledge;
  return (grows ? 256 : 16) * 2 ** 20;
}

const accept = { accept: 'application/json' };

const methods = z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']);

/** Encodes an id. Refuses dot segments, which would change the path, and lone surrogates, which a URL cannot contain. */
function segment(value: unknown): string {
  if (value === undefined) throw invalidInput('An id is missing.');
  const id = String(value);
  if (id === '' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id))
    throw invalidInput(`${quoteStart(id, 100)} is not a valid id.`);
  return encodeURIComponent(id);
}

const errorBody = z.object({
  error: z.object({ id: z.string(), name: z.string(), detail: z.string() }),
});

/** By `error.id`, because the names differ between versions of the service (docs/interface.md, Errors). */
const serviceErrors: ReadonlyMap<string, ErrorCode> = new Map([
  ['400', 'bad_request'],
  ['401', 'not_authorized'],
  ['403.1', 'subscription_lapsed'],
  ['403.2', 'trial_expired'],
  ['403.3', 'unauthorized_scope'],
  ['403.4', 'data_limit_reached'],
  ['404.1', 'not_found'],
  ['404.2', 'resource_not_found'],
  ['409', 'conflict'],
  ['429', 'too_many_requests'],
  ['500', 'internal_server_error'],
  ['503', 'service_unavailable'],
]);

/** Returns `data`, parsed by the operation's schema. Throws a `BudgetError` for any other response. */
export function decodeResponse<Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  response: HttpResponse,
): z.output<z.ZodObject<Output>> {
  const body = parseJson(decodeHtmlInJson(response.body));
  if (response.status < 200 || response.status > 299) throw toBudgetError(response, body);
  if (body === undefined) throw notJsonError(response);
  return atOnce(readData(operation, body));
}

/** `data`, with what cannot be read of it beside it (`gapsOf`). The result of a write is read as a whole or not at all. */
function* readData<Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  body: unknown,
  rowsInStep?: number,
): Generator<void, z.output<z.ZodObject<Output>>> {
  const options = { rowsInStep, mustBeWhole: operation.kind !== 'read' };
  const parsed = hasData(body) ? yield* parseTolerantly(operation.output, body.data, options) : undefined;
  if (!parsed) throw dataError(operation, body);
  const { data, gaps } = parsed;
  return gaps.length > 0 ? { ...data, gaps } : data;
}

export interface DecodingOptions {
  /** Changes the text of the body before it is parsed. */
  readonly redact: (text: string) => string;
  /** The sizes of the steps. */
  readonly partBytes?: number;
  readonly rowsInStep?: number;
}

/** As `decodeResponse`, for a large body of a success. Yields after each short step. V8 parses longer parts more slowly. */
export function* decodeInSteps<Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  response: HttpResponse<Buffer>,
  { redact, partBytes = 32_768, rowsInStep = 500 }: DecodingOptions,
): Generator<void, z.output<z.ZodObject<Output>>> {
  const copy = sharingTexts();
  let values = 0;
  const textOf = (bytes: Buffer) => redact(textOfBytes(bytes));
  const body = yield* parseJsonInParts(response.body, { textOf, partBytes, parse });
  if (body === undefined) throw notJsonError(response);
  return yield* readData(operation, body, rowsInStep);

  function parse(escaped: string): unknown {
    const json = decodeHtmlInJson(escaped);
    const part = json.length <= MAX_PARTS * partBytes ? parseJson(json) : undefined;
    // They have few values for their length, so that counting these would only take time.
    if (Array.isArray(part) && part.every(isTransactionSummary)) return part.map(copy);
    values += countValues(json);
    if (values > MAX_VALUES)
      throw unexpectedResponse(
        `The service's response to ${operation.name} has more values than this server accepts.`,
      );
    return part ?? parseJson(json);
  }
}

/** A text of so many parts may be parsed before its values are counted, because it takes little memory. */
const MAX_PARTS = 8;

/** V8 decodes Latin-1 many times faster than UTF-8, and they are the same for ASCII. */
const textOfBytes = (bytes: Buffer) => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

function dataError(operation: Operation, body: unknown): BudgetError {
  const problem = firstProblem(z.object({ data: operation.output }), body);
  const path = problem?.path.map((name) => word(String(name))).join('.') || 'the body';
  return unexpectedResponse(
    `The service's response to ${operation.name} is not as specified: ${path}: ${problem?.message}.`,
  );
}

/** More values would take too much memory, without the transactions of an export. */
const MAX_VALUES = 8_000_000;

/** Estimates the number of values by counting commas and opening brackets, also those inside strings. */
function countValues(json: string): number {
  let count = 0;
  // Searching is several times faster than looking at each character, and there may be a hundred million.
  for (const sign of [',', '[', '{'])
    for (let at = json.indexOf(sign); at !== -1; at = json.indexOf(sign, at + 1)) count += 1;
  return count;
}

const hasData = (body: unknown): body is { readonly data: unknown } =>
  typeof body === 'object' && body !== null && 'data' in body;

function toBudgetError(response: HttpResponse, body: unknown): BudgetError {
  const { status } = response;
  const code = errorCodeOfStatus(status);
  const { data } = errorBody.safeParse(body);
  if (data) {
    const { id, name, detail } = data.error;
    const message = `The service answered ${word(id)} ${word(name)}: ${quoteStart(detail, 300)}.`;
    return new BudgetError(serviceErrors.get(id) ?? code ?? 'unexpected_response', message);
  }
  if (!code) return notJsonError(response);
  // 502 and above are what gateways answer, such as 502, 504 and 520.
  const cause = status > 501 ? ': a proxy on the way may have answered in its place' : '';
  return new BudgetError(code, `The service answered ${status} without a description${cause}.`);
}

/** For responses of a proxy or load balancer, such as an HTML page, and for unknown error ids. */
function errorCodeOfStatus(status: number): ErrorCode | undefined {
  // A proxy stopped waiting for the service, which may still carry out the request.
  if (status === 504) return 'gateway_timed_out';
  if (status >= 500) return status === 500 ? 'internal_server_error' : 'service_unavailable';
  return serviceErrors.get(String(status));
}

function notJsonError({ status, headers, body }: HttpResponse<string | Buffer>): BudgetError {
  const redirect = status >= 300 && status < 400;
  if (!redirect && body.length <= MAX_BLANK_LENGTH && String(body).trim() === '')
    return unexpectedResponse(`The service answered ${status} with an empty body.`);
  const content = redirect ? 'a redirect, which is not followed' : contentTypeOf(headers);
  const isPage = redirect || /^"?text\/html\b/i.test(content);
  const cause = isPage ? ' The network may ask for a sign-in first: open any web page in a browser.' : '';
  return unexpectedResponse(
    `The service answered ${status} with ${content}, not with JSON as specified.${cause}`,
  );
}

/** An empty body may have some spaces or line ends. Longer ones are not searched. */
const MAX_BLANK_LENGTH = 100;

function contentTypeOf({ 'content-type': type }: HttpResponse['headers']): string {
  if (type === undefined) return 'an untyped body';
  return /json/i.test(String(type)) ? 'a body that is cut off or damaged' : word(String(type));
}

/** A shorter text is not a token of the service, and could be part of any word. */
const MIN_SECRET_LENGTH = 8;

/**
 * Returns a function that replaces the token of a request in its response, however JSON may escape it. A service or proxy may
 * repeat request headers in its response, and the token would then get into tool results and the log.
 */
export function redactionOf(secret: string): (text: string) => string {
  if (secret.length < MIN_SECRET_LENGTH) return (text) => text;
  const pattern = new RegExp([...secret].map(jsonPattern).join(''), 'g');
  // Searching for a plain text is many times faster, and without a backslash nothing is escaped.
  return (text) =>
    text.includes('\\') ? text.replace(pattern, '(secret)') : text.replaceAll(secret, '(secret)');
}

/** JSON may escape any character, and some encoders escape `/` or `+`, which occur in tokens. */
function jsonPattern(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const either = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  return `(?:\\\\u${either}|\\\\?${escapeForPattern(character)})`;
}

const escapeForPattern = (character: string) => character.replace(/[^\w]/, '\\$&');
