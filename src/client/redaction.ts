/**
 * A response without the token that was sent for it. A service, or a proxy before it, may repeat the headers of a
 * request in its answer; from there they would come into the texts of tools and into the log.
 */
import type { HttpResponse } from './http-sender.ts';

/** What is shorter is no token of a service, and might be part of any word. */
const SHORTEST = 8;

/** Blanks `secret` in the body and in the headers. */
export function withoutSecret(response: HttpResponse, secret: string): HttpResponse {
  if (secret.length < SHORTEST) return response;
  const pattern = new RegExp([...secret].map(inJson).join(''), 'g');
  const blank = (text: string) => text.replace(pattern, '(secret)');
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(blank) : value && blank(value),
  ]);
  return { ...response, headers: Object.fromEntries(headers), body: blank(response.body) };
}

/** Any character may be escaped in JSON; some writers of JSON escape `/` or `+`, which tokens have. */
function inJson(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const either = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  return `(?:\\\\u${either}|\\\\?${literally(character)})`;
}

const literally = (character: string) => character.replace(/[^\w]/, '\\$&');
