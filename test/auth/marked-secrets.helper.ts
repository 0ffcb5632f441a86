/** Secrets that are easy to find again, and the search for them in errors. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { SignIn } from '../../src/auth/token-store.ts';
import { failureOf } from '../session/sending.helper.ts';
import { granted } from './token-store-contract.helper.ts';

export const MARK = 'SECRET';

export const marked = {
  ...granted,
  accessToken: `${MARK}-access`,
  refreshToken: `${MARK}-refresh`,
  clientSecret: `${MARK}-client`,
} satisfies SignIn;

/** Almost a sign-in, and almost JSON: a parser's error would quote the text. */
export const unreadableSignIns = [
  `${MARK}-alone`,
  `{"accessToken":"${MARK}"`,
  `{"kind":"personal","accessToken":"${MARK}"}`,
];

/** Everything that a log or a debugger can show of an error, with its causes and properties. */
export const everythingIn = (error: Error) =>
  [
    inspect(error, { depth: Infinity, showHidden: true, getters: true }),
    error.stack,
    JSON.stringify(error),
  ].join();

export async function expectNoSecret(work: Promise<unknown>): Promise<void> {
  expect(everythingIn(await failureOf(work))).not.toContain(MARK);
}
