/**
 * Operation and input to an HTTP request, an HTTP response to data or error. Pure: no network, no clock, no state.
 */
import { z } from 'zod';
import { BudgetError, type ErrorCode } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Operation } from '../operations/operation.ts';
import { isExactly } from './exact.ts';
import type { HttpRequest, HttpResponse } from './http-sender.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * `input` is what the operation's schema parsed; what the path does not take becomes the query, of a write the body.
 * With `since`, only what has changed after that `server_knowledge` is asked for (specification, Delta requests).
 */
export function encode(operation: Operation, input: Input, baseUrl: string, since?: number): HttpRequest {
  const [method, template] = split(operation.route);
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return segment(input[name]);
  });
  const fields = Object.entries(input).filter(([name, value]) => !inPath.has(name) && value !== undefined);
  if (operation.body) {
    const body = JSON.stringify(operation.body(Object.fromEntries(fields)));
    return { method, url: baseUrl + path, headers: { ...accept, 'content-type': 'application/json' }, body };
  }
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
  if (since !== undefined) query.set('last_knowledge_of_server', String(since));
  return { method, url: baseUrl + path + (query.size > 0 ? `?${query}` : ''), headers: accept };
}

const accept = { accept: 'application/json' };

function split(route: Operation['route']): [HttpRequest['method'], string] {
  const [method, path = ''] = route.split(' ');
  return [z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']).parse(method), path];
}

/** A dot segment would be resolved away and reach another resource; half a character cannot be written in a URL. */
function segment(value: unknown): string {
  const id = String(value);
  if (value === undefined || id === '' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id))
    throw new BudgetError('invalid_input', `${JSON.stringify(value) ?? 'Nothing'} cannot be an id.`);
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
export function decode<Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  response: HttpResponse,
): z.output<z.ZodObject<Output>> {
  const body = parseJson(response.body);
  if (response.status < 200 || response.status > 299) throw errorOf(response, body);
  if (body === undefined) throw notJson(response);
  if (hasData(body) && isExactly(operation.output, body.data)) return body.data;
  const parsed = z.object({ data: operation.output }).safeParse(body);
  if (parsed.success) return parsed.data.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'the body';
  throw new BudgetError(
    'unexpected_response',
    `The service's answer to ${operation.name} is not as specified: ${path}: ${issue?.message}.`,
    { cause: parsed.error },
  );
}

const hasData = (body: unknown): body is { readonly data: unknown } =>
  typeof body === 'object' && body !== null && 'data' in body;

const withKnowledge = z.object({ server_knowledge: z.int().optional() });

/** The `server_knowledge` that an answer came with (specification, Delta requests). */
export const knowledgeOf = (data: unknown): number | undefined => withKnowledge.parse(data).server_knowledge;

function errorOf(response: HttpResponse, body: unknown): BudgetError {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) {
    const code = codeOfStatus(response.status);
    if (code) return new BudgetError(code, `The service answered ${response.status} without saying more.`);
    return notJson(response);
  }
  const { id, name, detail } = parsed.data.error;
  const code = serviceErrors.get(id) ?? codeOfStatus(response.status) ?? 'unexpected_response';
  return new BudgetError(
    code,
    `The service answered ${word(id)} ${word(name)}: ${JSON.stringify(excerpt(detail))}.`,
  );
}

/** For answers of something in between, such as a load balancer's HTML, and for ids that are new to us. */
function codeOfStatus(status: number): ErrorCode | undefined {
  // Something in between has given up waiting; the service itself is still at work.
  if (status === 504) return 'gateway_timed_out';
  if (status >= 500) return status === 500 ? 'internal_server_error' : 'service_unavailable';
  return serviceErrors.get(String(status));
}

function notJson({ status, headers }: HttpResponse): BudgetError {
  const redirect = status >= 300 && status < 400;
  const what = redirect
    ? 'a redirect, which is not followed'
    : `${word(String(headers['content-type'] ?? 'an untyped body'))}`;
  return new BudgetError(
    'unexpected_response',
    `The service answered ${status} with ${what}, not with JSON as specified.`,
  );
}

/** The service's own words are bounded before a model reads them, and what should be one word is one. */
const excerpt = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
const word = (text: string) =>
  excerpt(text)
    .replace(/[^\w./;=+ -]/g, '?')
    .slice(0, 60);
