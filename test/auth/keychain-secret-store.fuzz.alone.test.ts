/**
 * Whatever another program has put where the real keychain keeps our sign-in: it is a sign-in by our rules, or an error
 * that says why. It is never shown, never replaced, and can always be removed.
 */
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runLogout, runStatus } from '../../src/app/commands/status.ts';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { parseSignIn, type TokenStore } from '../../src/auth/token-store.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { Printed } from '../app/commands/signing-in.helper.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { budgetErrorOf } from './budget-error-of.helper.ts';
import { openKeychain } from './keychain.helper.ts';
import { noSecretService, startSecretService } from './secret-service.helper.ts';
import { SECRET, storedTexts } from './stored-texts.helper.ts';
import { granted } from './token-store-contract.helper.ts';

const secretBytes = Buffer.from(SECRET);
/** As a library may show it in the message of an error. */
const shownSecrets = [
  SECRET,
  secretBytes.toString('hex'),
  secretBytes.toString('base64').slice(0, 12),
  [...secretBytes].join(', '),
  [...secretBytes].join(','),
];

const bytes = fc
  .tuple(fc.uint8Array({ maxLength: 50 }), fc.uint8Array({ minLength: 1, maxLength: 50 }))
  .map(([before, after]) => Buffer.concat([before, secretBytes, after]));

/** The keychain's own program keeps no empty entry. */
const entries = fc
  .oneof(
    { weight: 5, arbitrary: storedTexts.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: bytes },
    fc.constant(Buffer.from(`${SECRET}${'x'.repeat(2 ** 19)}`)),
  )
  .filter(({ length }) => length > 0);

const clock = new ManualClock(granted.grantedAt);

/** What the commands print, and the token that a call would use. */
async function useProgram(store: TokenStore): Promise<{ printed: string; isRemoved: boolean }> {
  const lock = <T>(_: string, work: () => Promise<T>) => work();
  const refresh = async () => {
    throw new BudgetError('unreachable', 'There is no network.');
  };
  const tokens = new StoredTokens({ store, profile: 'default', clock, refresh, lock });
  const credential = await budgetErrorOf(tokens.credential(), shownSecrets);
  if ('value' in credential)
    expect(() => new Headers({ authorization: `Bearer ${credential.value.token}` })).not.toThrow();

  const io = { stdout: new PassThrough(), stderr: new PassThrough() };
  const printed = new Printed(io);
  const parts = { store, clock, io, signal: new AbortController().signal };
  const nothing = {
    budgets: async () => ({ budgets: [], default_budget: null }),
    loginCommand: '',
    providedToken: async () => undefined,
  };
  await budgetErrorOf(runStatus({ profile: 'default' }, { ...parts, ...nothing }), shownSecrets);
  const left = await budgetErrorOf(
    runLogout({ profile: 'default' }, { ...parts, lock, removeState: async () => true }),
    shownSecrets,
  );
  return { printed: printed.stdout + printed.stderr, isRemoved: 'value' in left };
}

describe.skipIf(noSecretService)('with a real Secret Service', () => {
  test('any entry is a sign-in or an error that says why, is never shown or replaced, and can be removed', async () => {
    const service = await startSecretService();
    const store = openKeychain(service.env);
    let read = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(entries, async (entry) => {
        await service.plant('default', entry);
        const outcome = await budgetErrorOf(store.read('default'), shownSecrets);
        if ('error' in outcome) {
          refused += 1;
          expect(outcome.error.code).toBe('sign_in_unreadable');
          const before = await service.lookup('default');
          const written = await budgetErrorOf(store.write('default', granted), shownSecrets);
          expect(written).toMatchObject({ error: { code: 'sign_in_unreadable' } });
          expect(await service.lookup('default')).toBe(before);
        } else {
          read += 1;
          expect(parseSignIn(JSON.stringify(outcome.value), 'the keychain')).toEqual(outcome.value);
        }
        const { printed, isRemoved } = await useProgram(store);
        expect(printed).not.toContain(SECRET);
        expect(isRemoved).toBe(true);
        expect(await store.read('default')).toBeUndefined();
      }),
      { numRuns: fuzzRuns(15), examples: [[Buffer.from(JSON.stringify(granted))], [secretBytes]] },
    );
    expect(Math.min(read, refused)).toBeGreaterThan(0);
  });
});
