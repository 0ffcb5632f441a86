/** Texts that a token store may find where it keeps a sign-in: right ones, nearly right ones, and anything else. */
import fc from 'fast-check';
import { granted } from './token-store-contract.helper.ts';

/** In every sign-in and in most other texts: it must never be shown. */
export const SECRET = 'SECRET-7c1e';

const { refreshToken: _, clientSecret: __, ...withoutRefresh } = granted;

const secrets = {
  accessToken: `${SECRET}-access`,
  refreshToken: `${SECRET}-refresh`,
  clientSecret: `${SECRET}-client`,
};

const signIns = [
  { kind: 'personal', id: 'one', baseUrl: 'https://api.example.com/v1', accessToken: secrets.accessToken },
  { ...granted, ...secrets },
  { ...withoutRefresh, kind: 'implicit', accessToken: secrets.accessToken },
] as const;

const fields = Object.keys({ ...granted, __proto__: null });

const addresses = fc.oneof(
  fc.webUrl({ validSchemes: ['http', 'https', 'ftp', 'file'], withQueryParameters: true }),
  fc.constantFrom(
    'http://127.0.0.1:1/v1',
    'http://api.example.com/v1',
    'https://user:pass@api.example.com',
    'https://api.example.com/v1/',
    'http://127.0.0.1.example.com',
    'javascript:alert(1)',
    'https://',
    'http://[::1]:80',
  ),
);

const replacements = fc.oneof(
  fc.jsonValue(),
  addresses,
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.constantFrom(0, -1, 1e300, 8.64e15, 8.64e15 + 1_000, Number.MAX_VALUE, 'personal', 'read-only'),
  fc.string().map((text) => `${SECRET}\n${text}`),
);

/** A sign-in with some fields replaced, left out or added. */
const changed = fc
  .tuple(
    fc.constantFrom(...signIns),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...fields), fc.string()), replacements), { maxLength: 3 }),
    fc.subarray(fields, { maxLength: 1 }),
  )
  .map(([signIn, replaced, left]) => {
    const entries = [...Object.entries(signIn), ...replaced].filter(([name]) => !left.includes(name));
    return JSON.stringify(Object.fromEntries(entries));
  });

export const storedTexts = fc.oneof(
  { weight: 4, arbitrary: changed },
  // Cut off, as by a full disk.
  fc.tuple(changed, fc.nat(400)).map(([text, length]) => text.slice(0, length)),
  fc.json(),
  fc.string({ unit: 'binary' }).map((text) => `${SECRET}${text}`),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'null',
    '[]',
    '""',
    '{"kind":"personal"}',
    '\u0000',
    '\ufeff{}',
    `${' '.repeat(2 ** 16)}{}`,
  ),
);
