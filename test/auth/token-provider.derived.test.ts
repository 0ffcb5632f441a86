import { expect, test } from 'vitest';
import { keyOfToken, signInOfToken } from '../../src/auth/token-provider.ts';

const TOKEN = 'tok-8d1f0c';

test('the same token gives the same key and the same sign-in in every process and version', () => {
  expect(Buffer.from(keyOfToken(TOKEN)).toString('hex')).toMatchInlineSnapshot(
    `"8acab93269de408f7a48c7e3e227754a56b70f815e42b6a9fd0e4d9869c49420"`,
  );
  expect(signInOfToken(TOKEN)).toMatchInlineSnapshot(`"ae1ec787d5485aa07d1a49041b76d6ac"`);
});

test('another token gives another key and another sign-in', () => {
  expect(keyOfToken('tok-8d1f0d')).not.toEqual(keyOfToken(TOKEN));
  expect(signInOfToken('tok-8d1f0d')).not.toBe(signInOfToken(TOKEN));
});

test('neither the token nor the key can be seen in the name of the sign-in', () => {
  const key = Buffer.from(keyOfToken(TOKEN)).toString('hex');
  expect(key).not.toContain(signInOfToken(TOKEN));
  expect(signInOfToken(TOKEN)).not.toContain(Buffer.from(TOKEN).toString('hex'));
});
