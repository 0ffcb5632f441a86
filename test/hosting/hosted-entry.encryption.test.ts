import { expect, test } from 'vitest';
import { startComposed } from './composed.helper.ts';

const PATHS = [
  ...['/', '/account', '/healthz', '/readyz', '/mcp', '/none', '/oauth/authorize', '/oauth/token'],
  '/.well-known/oauth-authorization-server',
];

test.each([
  ['https://budget.example.com', 'max-age=31536000'],
  [undefined, null],
])('browsers go on to use encryption where the address has it: %s', async (issuer, expected) => {
  const { url } = await startComposed(issuer === undefined ? {} : { issuer });
  for (const path of PATHS) {
    const { headers } = await fetch(url + path, { redirect: 'manual' });
    expect(headers.get('strict-transport-security'), path).toBe(expected);
  }
});
