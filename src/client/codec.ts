/**
 * Operation and input to an HTTP request, an HTTP response to data or error. Pure: no network, no clock, no state.
 */
import type { z } from 'zod';
import { z as zod } from 'zod';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import type { HttpRequest, HttpResponse } from './http-sender.ts';

/** `input` is what the operation's schema parsed; what the path does not take becomes the query. */
export function encode(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  baseUrl: string,
): HttpRequest {
  const [method, template] = split(operation.route);
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return segment(input[name]);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (!inPath.has(name) && value !== undefined) query.set(name, String(value));
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { method, url: baseUrl + path + search, headers: { accept: 'application/json' } };
}

function split(route: Operation['route']): [HttpRequest['method'], string] {
  const [method, path = ''] = route.split(' ');
  return [zod.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']).parse(method), path];
}

/** A dot segment would be resolved away and reach another resource; half a character cannot be written in a URL. */
function segment(value: unknown): string {
  const id = String(value);
  if (value === undefined || id === '' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id))
    throw new BudgetError('invalid_input', `${JSON.stringify(value) ?? 'Nothing'} cannot be an id.`);
  return encodeURIComponent(id);
}

const errorBody = zod.object({
  error: zod.object({ id: zod.string(), name: zod.string(), detail: zod.string() }),
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
  const parsed = zod.object({ data: operation.output }).safeParse(body);
  if (parsed.success) return parsed.data.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'the body';
  throw new BudgetError(
    'unexpected_response',
    `The service's answer to ${operation.name} is not as specified: ${path}: ${issue?.message}.`,
    { cause: parsed.error },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(response: HttpResponse, body: unknown): BudgetError {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) {
    const code = codeOfStatus(response.status);
    if (code) return new BudgetError(code, `The service answered ${response.status} without saying more.`);
    return notJson(response);
  }
  const { id, name, detail } = parsed.data.error;
  const code = serviceErrors.get(id) ?? codeOfStatus(response.status) ?? 'unexpected_response';
  return new BudgetError(code, `The service answered ${id} ${name}: ${JSON.stringify(detail)}.`);
}

/** For answers of something in between, such as a load balancer's HTML, and for ids that are new to us. */
function codeOfStatus(status: number): ErrorCode | undefined {
  if (status >= 500) return status === 500 ? 'internal_server_error' : 'service_unavailable';
  return serviceErrors.get(String(status));
}

function notJson({ status, headers }: HttpResponse): BudgetError {
  const redirect = status >= 300 && status < 400;
  const what = redirect
    ? 'a redirect, which is not followed'
    : `${headers['content-type'] ?? 'an untyped body'}`;
  return new BudgetError(
    'unexpected_response',
    `The service answered ${status} with ${what}, not with JSON as specified.`,
  );
}
