/**
 * Removes the token of the request from its response. A service or proxy may repeat request headers in its response, and
 * the token would then get into tool results and the log.
 */
import type { HttpResponse } from './http-sender.ts';

/** A shorter text is not a token of the service, and could be part of any word. */
const MIN_SECRET_LENGTH = 8;

/** Returns a function that replaces `secret` in a text, however JSON may escape it. */
export function redactionOf(secret: string): (text: string) => string {
  if (secret.length < MIN_SECRET_LENGTH) return (text) => text;
  const pattern = new RegExp([...secret].map(jsonPattern).join(''), 'g');
  // Searching for a plain text is many times faster, and without a backslash nothing is escaped.
  return (text) =>
    text.includes('\\') ? text.replace(pattern, '(secret)') : text.replaceAll(secret, '(secret)');
}

export function redactHeaders(
  headers: HttpResponse['headers'],
  redact: (text: string) => string,
): HttpResponse['headers'] {
  const redacted = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(redact) : value && redact(value),
  ]);
  return Object.fromEntries(redacted);
}

/** JSON may escape any character, and some encoders escape `/` or `+`, which occur in tokens. */
function jsonPattern(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const either = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  return `(?:\\\\u${either}|\\\\?${escapeForPattern(character)})`;
}

const escapeForPattern = (character: string) => character.replace(/[^\w]/, '\\$&');
