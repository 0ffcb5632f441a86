/** Secrets that are easy to find again, and the search for them in errors. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { SignIn } from '../../src/auth/token-store.ts';
import { failureOf } from '../client/sending.ts';
import { granted } from './token-store-contract.ts';

export const MARK = 'SECRET';

export const marked = {
  ...granted,
  accessToken: `${MARK}-access`,
  refreshToken: `${MARK}-refresh`,
  clientSecret: `${MARK}-client`,
} satisfies SignIn;

/** Nearly a sign-in, and nearly JSON: a parser would quote the place where it stumbles. */
export const spoilt = [
  `${MARK}-alone`,
  `{"accessToken":"${MARK}"`,
  `{"kind":"personal","accessToken":"${MARK}"}`,
];

/** Whatever a log, a debugger or a reader can get out of an error, its causes and its properties included. */
export const toldBy = (error: Error) =>
  [
    inspect(error, { depth: Infinity, showHidden: true, getters: true }),
    error.stack,
    JSON.stringify(error),
  ].join();

export async function expectNoSecret(work: Promise<unknown>): Promise<void> {
  expect(toldBy(await failureOf(work))).not.toContain(MARK);
}
