import { describe, expect, test } from 'vitest';
import { isRegistered, isRegistrable, withParameters } from '../../../src/service/oauth/redirect-uri.ts';

describe('registration of redirect URIs', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example:8443/callback?tenant=1',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/',
    'http://[::1]/callback',
    'http://localhost:3000/callback',
    'com.example.app:/callback',
  ])('the redirect URI %s can be registered', (uri) => expect(isRegistrable(uri)).toBe(true));

  test.each([
    '',
    '/callback',
    'app.example/callback',
    'https://app.example/callback#fragment',
    'https://app.example/callback#',
    'https://user:password@app.example/',
    'https://app.example/two words',
    'https://ünicode.example/',
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'about:blank',
    'https://app.example/\r\nSet-Cookie: x',
  ])('the redirect URI %j cannot be registered', (uri) => expect(isRegistrable(uri)).toBe(false));
});

describe('redirect URIs of requests', () => {
  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:45678/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:45678/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1/callback'],
    ['http://[::1]/callback?a=b', 'http://[::1]:9/callback?a=b'],
    ['https://app.example/callback', 'https://app.example/callback'],
  ])('a redirect URI on the loopback interface can have any port: %s, %s', (registered, uri) =>
    expect(isRegistered(uri, ['https://other.example/', registered])).toBe(true),
  );

  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:45678/other'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:45678/callback/../other'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:45678/callback?a=b'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:45678@evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1.evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://[::1]:45678/callback'],
    ['http://127.0.0.1/callback', 'http://localhost:45678/callback'],
    ['http://127.0.0.1/callback', 'https://127.0.0.1:45678/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback'],
    ['http://localhost/callback', 'http://localhost:45678/callback'],
    ['https://app.example/callback', 'https://app.example:8443/callback'],
    ['https://app.example/callback', 'https://app.example/callback/'],
  ])('any other difference from the registered redirect URI is refused: %s, not %s', (registered, uri) =>
    expect(isRegistered(uri, [registered])).toBe(false),
  );
});

test.each([
  ['https://app.example/cb', 'query', 'https://app.example/cb?code=a%20b%2Bc'],
  ['https://app.example/cb?x=1', 'query', 'https://app.example/cb?x=1&code=a%20b%2Bc'],
  ['https://app.example/cb?x=1', 'fragment', 'https://app.example/cb?x=1#code=a%20b%2Bc'],
] as const)('parameters are added to %s in the %s', (uri, part, expected) => {
  expect(withParameters(uri, part, { code: 'a b+c' })).toBe(expected);
});
