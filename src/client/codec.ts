/**
 * Operation and input to an HTTP request, an HTTP response to data or error. Pure: no network, no clock, no state.
 */
import { z } from 'zod';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { type JsonObject, parseJson } from '../platform/json.ts';
import { quoteStart, word } from '../platform/quote.ts';
import { conformsWithoutTransform, firstProblem } from './fast-validate.ts';
import type { HttpRequest, HttpResponse } from './http-sender.ts';

/**
 * `input` is what the operation's schema parsed; what the path does not take becomes the query, of a write the body.
 * With `since`, only what has changed after that `server_knowledge` is asked for (specification, Delta requests).
 */
export function encodeRequest(
  operation: Operation,
  input: JsonObject,
  baseUrl: string,
  since?: number,
): HttpRequest {
  const [method, template] = split(operation.route);
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

/**
 * How large an answer may be. Only exports and lists of transactions grow with the years: 100,000 transactions take
 * some 50 MB. The longest of the others is the answer to a write of 1,000 rows.
 */
const maxBytesOf = ({ collections, rows }: Operation) =>
  (collections !== undefined || rows?.order === 'newest first' ? 256 : 16) * 2 ** 20;

const accept = { accept: 'application/json' };

function split(route: Operation['route']): [HttpRequest['method'], string] {
  const [method, path = ''] = route.split(' ');
  return [z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']).parse(method), path];
}

/** A dot segment would be resolved away and reach another resource; half a character cannot be written in a URL. */
function segment(value: unknown): string {
  const id = String(value);
  if (value === undefined || id === '' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id))
    throw new BudgetError(
      'invalid_input',
      `${value === undefined ? 'Nothing' : quoteStart(id, 100)} cannot be an id.`,
    );
  return encodeURIComponent(id);
}

const errorBody = z.object({
  error: z.object({ id: z.string(), name: z.string(), detail: z.string() }),
});

/** By `error.id`, not by name: the names differ between versions of the service (specification, Errors). */
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

/** `data` as the operation's schema parsed it; otherwise throws the `BudgetError` that the response amounts to. */
export function decodeResponse<Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  response: HttpResponse,
): z.output<z.ZodObject<Output>> {
  if (hasTooManyValues(response.body))
    throw new BudgetError(
      'unexpected_response',
      `The service's answer to ${operation.name} has more values than can be taken in.`,
    );
  const body = parseJson(response.body);
  if (response.status < 200 || response.status > 299) throw toBudgetError(response, body);
  if (body === undefined) throw notJsonError(response);
  if (hasData(body) && conformsWithoutTransform(operation.output, body.data)) return body.data;
  const schema = z.object({ data: operation.output });
  const problem = firstProblem(schema, body);
  // What has no problem has fields that are left out or filled in.
  if (!problem) return schema.parse(body).data;
  const path = problem.path.map((name) => word(String(name))).join('.') || 'the body';
  throw new BudgetError(
    'unexpected_response',
    `The service's answer to ${operation.name} is not as specified: ${path}: ${problem.message}.`,
  );
}

/** To read so many takes seconds, in which nobody else is answered. A budget of 100,000 transactions has 3 million. */
const MAX_VALUES = 8_000_000;

/** By the characters before a value; those inside of texts are counted as well, and a list counts for itself. */
function hasTooManyValues(json: string): boolean {
  if (json.length <= MAX_VALUES) return false;
  let count = 0;
  for (let at = 0; at < json.length && count <= MAX_VALUES; at += 1) {
    const character = json.charCodeAt(at);
    if (character === COMMA || character === BRACKET || character === BRACE) count += 1;
  }
  return count > MAX_VALUES;
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

const hasData = (body: unknown): body is { readonly data: unknown } =>
  typeof body === 'object' && body !== null && 'data' in body;

function toBudgetError(response: HttpResponse, body: unknown): BudgetError {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) {
    const code = errorCodeOfStatus(response.status);
    if (code) return new BudgetError(code, `The service answered ${response.status} without saying more.`);
    return notJsonError(response);
  }
  const { id, name, detail } = parsed.data.error;
  const code = serviceErrors.get(id) ?? errorCodeOfStatus(response.status) ?? 'unexpected_response';
  return new BudgetError(code, `The service answered ${word(id)} ${word(name)}: ${quoteStart(detail, 300)}.`);
}

/** For answers of something in between, such as a load balancer's HTML, and for ids that are new to us. */
function errorCodeOfStatus(status: number): ErrorCode | undefined {
  // Something in between has given up waiting; the service itself is still at work.
  if (status === 504) return 'gateway_timed_out';
  if (status >= 500) return status === 500 ? 'internal_server_error' : 'service_unavailable';
  return serviceErrors.get(String(status));
}

function notJsonError({ status, headers }: HttpResponse): BudgetError {
  const redirect = status >= 300 && status < 400;
  const what = redirect ? 'a redirect, which is not followed' : contentTypeOf(headers);
  return new BudgetError(
    'unexpected_response',
    `The service answered ${status} with ${what}, not with JSON as specified.`,
  );
}

function contentTypeOf({ 'content-type': type }: HttpResponse['headers']): string {
  return type === undefined ? 'an untyped body' : word(String(type));
}
