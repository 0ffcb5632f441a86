/**
 * Any content of a token store gives a `BudgetError` without a secret, or a sign-in whose token is sent only to its service
 * and only encrypted. Content that cannot be read is not overwritten.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runLogout, runStatus } from '../../src/app/commands/status.ts';
import { OAuth, type Send } from '../../src/auth/oauth.ts';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { parseSignIn } from '../../src/auth/token-store.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { Printed } from '../app/commands/signing-in.helper.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { budgetErrorOf } from './budget-error-of.helper.ts';
import { signInFiles } from './sign-in-files.helper.ts';
import { SECRET, storedTexts } from './stored-texts.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';
import { granted } from './token-store-contract.helper.ts';

const RUNS = fuzzRuns(200);

const clock = new ManualClock(granted.grantedAt);

async function startStore() {
  const directory = join(await temporaryDirectory(), 'sign-ins');
  await mkdir(directory, { mode: 0o700 });
  return { store: signInFiles(directory), file: join(directory, 'default.json') };
}

test('every text in a store either gives an error and stays unchanged, or is a sign-in that can be written and read again unchanged', async () => {
  const { store, file } = await startStore();
  let read = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(storedTexts, async (text) => {
      await writeFile(file, text, { mode: 0o600 });
      const outcome = await budgetErrorOf(store.read('default'), [SECRET]);
      const there = await readFile(file);
      if ('error' in outcome) {
        refused += 1;
        expect(['sign_in_unreadable', 'file_unusable']).toContain(outcome.error.code);
        const written = await budgetErrorOf(store.write('default', granted), [SECRET]);
        expect(written).toMatchObject({ error: { code: outcome.error.code } });
        expect(await readFile(file)).toEqual(there);
      } else if (outcome.value) {
        read += 1;
        expect(parseSignIn(JSON.stringify(outcome.value), 'a store')).toEqual(outcome.value);
      }
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(read, refused)).toBeGreaterThan(0);
});

test('no stored text makes the program send a token unencrypted, or breaks a call, the status or the logout', async () => {
  const { store, file } = await startStore();
  let credentials = 0;
  await fc.assert(
    fc.asyncProperty(storedTexts, fc.boolean(), async (text, isRefused) => {
      await writeFile(file, text, { mode: 0o600 });
      const usedAddresses: string[] = [];
      const send: Send = async ({ url }) => {
        usedAddresses.push(url);
        throw new BudgetError('unreachable', 'There is no network.');
      };
      const oauth = new OAuth({ clock, send });
      const tokens = new StoredTokens({
        store,
        profile: 'default',
        clock,
        refresh: (signIn) => oauth.refresh(signIn),
        lock: (_, work) => work(),
      });
      const outcome = await budgetErrorOf(tokens.credential(), [SECRET]);
      if ('value' in outcome) {
        credentials += 1;
        usedAddresses.push(outcome.value.baseUrl);
        expect(() => new Headers({ authorization: `Bearer ${outcome.value.token}` })).not.toThrow();
        if (isRefused) await budgetErrorOf(tokens.renewed(outcome.value), [SECRET]);
      }
      for (const url of usedAddresses)
        expect(url).toMatch(/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/);
      await budgetErrorOf(tokens.describe(), [SECRET]);

      const io = { stdout: new PassThrough(), stderr: new PassThrough() };
      const printed = new Printed(io);
      const parts = { store, clock, io, signal: new AbortController().signal };
      const nothing = {
        budgets: async () => ({ budgets: [], default_budget: null }),
        loginCommand: '',
        providedToken: async () => undefined,
      };
      await budgetErrorOf(runStatus({ profile: 'default' }, { ...parts, ...nothing }), [SECRET]);
      const removal = await budgetErrorOf(
        runLogout(
          { profile: 'default' },
          { ...parts, lock: (_, work) => work(), removeState: async () => true },
        ),
        [SECRET],
      );
      if ('value' in removal) expect(await store.read('default')).toBeUndefined();
      else expect(removal.error.code).toBe('file_unusable');
      expect(printed.stdout + printed.stderr).not.toContain(SECRET);
    }),
    { numRuns: RUNS },
  );
  expect(credentials).toBeGreaterThan(0);
});
