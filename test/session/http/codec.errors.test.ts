import { describe, expect, test } from 'vitest';
import { BudgetError, type ErrorCode } from '../../../src/base/errors.ts';
import { getUser } from '../../../src/operations/budgets.ts';
import { decodeResponse } from '../../../src/session/http/codec.ts';
import type { HttpResponse } from '../../../src/session/http/http-sender.ts';

function answer(body: unknown, status = 200): HttpResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(body) };
}

function html(status: number, headers: HttpResponse['headers'] = { 'content-type': 'text/html' }) {
  return { status, headers, body: '<html><h1>Bad Gateway</h1></html>' };
}

function failure(status: number, error: { id: string; name?: string; detail?: string }): HttpResponse {
  return answer({ error: { name: 'some_name', detail: 'Some detail', ...error } }, status);
}

function decodeError(response: HttpResponse): BudgetError {
  try {
    decodeResponse(getUser, response);
  } catch (error) {
    if (error instanceof BudgetError) return error;
    throw error;
  }
  throw new Error('It succeeded.');
}

describe('an error', () => {
  test.each<[number, string, ErrorCode]>([
    [400, '400', 'bad_request'],
    [401, '401', 'not_authorized'],
    [403, '403.1', 'subscription_lapsed'],
    [403, '403.2', 'trial_expired'],
    [403, '403.3', 'unauthorized_scope'],
    [403, '403.4', 'data_limit_reached'],
    [404, '404.1', 'not_found'],
    [404, '404.2', 'resource_not_found'],
    [409, '409', 'conflict'],
    [429, '429', 'too_many_requests'],
    [500, '500', 'internal_server_error'],
    [503, '503', 'service_unavailable'],
  ])('%i with id %s is %s, and the message contains its detail', (status, id, code) => {
    const error = decodeError(failure(status, { id, name: code, detail: 'Detail \u201cof\u201d it' }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(id);
    expect(error.message).toContain('Detail \u201cof\u201d it');
  });

  test('an error is recognised by its id and not by its name', () => {
    expect(decodeError(failure(401, { id: '401', name: 'unauthorized' })).code).toBe('not_authorized');
    expect(decodeError(failure(404, { id: '404.2', name: 'conflict' })).code).toBe('resource_not_found');
  });

  test.each<[number, string, ErrorCode]>([
    [401, '401.7', 'not_authorized'],
    [403, '403.9', 'unexpected_response'],
    [418, '418', 'unexpected_response'],
    [429, '429.1', 'too_many_requests'],
    [503, '503.2', 'service_unavailable'],
    [400, 'constructor', 'bad_request'],
    [418, '__proto__', 'unexpected_response'],
  ])('%i with the unknown id %s is %s, and the message contains both', (status, id, code) => {
    const error = decodeError(failure(status, { id, name: 'new_error', detail: 'Something new' }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(`${id} new_error`);
    expect(error.message).toContain('Something new');
  });

  test.each<[number, ErrorCode]>([
    [400, 'bad_request'],
    [401, 'not_authorized'],
    [403, 'unexpected_response'],
    [404, 'unexpected_response'],
    [418, 'unexpected_response'],
    [429, 'too_many_requests'],
    [500, 'internal_server_error'],
    [502, 'service_unavailable'],
    [503, 'service_unavailable'],
    [504, 'gateway_timed_out'],
  ])('%i with HTML is %s, and the message does not contain the page', (status, code) => {
    const error = decodeError(html(status));
    expect(error.code).toBe(code);
    expect(error.message).toContain(String(status));
    expect(error.message).not.toContain('Gateway');
  });

  test('a success with HTML is an unexpected response that names the type', () => {
    const error = decodeError(html(200));
    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('text/html'),
    });
    expect(decodeError(html(200, {})).message).toContain('an untyped body');
  });

  test.each([
    [200, {}],
    [302, { location: 'http://192.0.2.1/login' }],
  ])('%i with a page may be from a network that asks for a sign-in', (status, headers) => {
    const { code, message } = decodeError(
      html(status, { 'content-type': 'text/html; charset=utf-8', ...headers }),
    );
    expect(code).toBe('unexpected_response');
    expect(message).toContain('The network may ask for a sign-in first');
  });

  test.each([502, 503, 504])('%i without a description may be from a proxy', (status) => {
    const { message, explanation } = decodeError(html(status));
    expect(message).toContain('a proxy on the way may have answered');
    expect(explanation).not.toContain('service is overloaded');
  });

  test('a redirect is an unexpected response that says so', () => {
    const error = decodeError(html(302, { location: 'https://elsewhere.example.com' }));
    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('redirect'),
    });
    expect(error.message).not.toContain('elsewhere');
  });

  test.each([
    ['JSON that breaks off', '{"data": {"user"', 'with a body that is cut off or damaged'],
    ['nothing', '', 'with an empty body.'],
    ['a line end', '\r\n', 'with an empty body.'],
  ])('a success with %s is an unexpected response that says so', (_, body, message) => {
    const headers = { 'content-type': 'application/json' };
    const error = decodeError({ status: 200, headers, body });
    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['a string', { error: 'no' }],
    ['a number as id', { error: { id: 404, name: 'not_found', detail: '' } }],
    ['data', { data: { user: { id: 'u' } } }],
  ])('JSON with %s instead of an error is not treated as one', (_, body) => {
    expect(decodeError(answer(body, 404)).code).toBe('unexpected_response');
    expect(decodeError(answer(body, 503)).code).toBe('service_unavailable');
  });
});
