import { describe, expect, it } from 'vitest';
import { type AccessSettings, createAccess, describeTrust } from '../../../src/transports/http/access.ts';
import type { CallerTokens } from '../../../src/transports/http/callers.ts';

const tokens: CallerTokens = { current: async () => ['a-token-of-those-who-may-call-by-http'] };
const refusal = expect.objectContaining({
  code: 'invalid_configuration',
  message: expect.stringContaining('needs a token'),
});

const refusalOf = (settings: AccessSettings): unknown => {
  try {
    return createAccess(settings);
  } catch (error) {
    return error;
  }
};

describe('a server on this machine', () => {
  it.each(['127.0.0.1', 'localhost', '::1'])(
    'a server on %s needs no token and accepts only the names of this machine',
    (host) => {
      expect(createAccess({ host })).toEqual({
        hosts: ['localhost', '127.0.0.1', '[::1]'],
        origins: new Set(),
        tokens: undefined,
      });
    },
  );

  it.each<Partial<AccessSettings>>([
    { publicUrl: 'https://budget.example.com/mcp' },
    { allowedHosts: ['budget.example.com'] },
  ])('a server on this machine needs a token if it has public names: %j', (behind) => {
    expect(refusalOf({ host: '127.0.0.1', ...behind })).toEqual(refusal);
    const { hosts } = createAccess({ host: '127.0.0.1', tokens, ...behind });
    expect(hosts).toEqual(['localhost', '127.0.0.1', '[::1]', 'budget.example.com']);
  });
});

describe('a server on any other address', () => {
  it.each(['0.0.0.0', '::', '192.168.0.10', '127.0.0.2', 'budget.example.com'])(
    'a server on the address %s needs a token',
    (host) => {
      expect(refusalOf({ host })).toEqual(refusal);
      expect(createAccess({ host, tokens })).toMatchObject({ tokens, origins: new Set() });
    },
  );

  it('a server on another address accepts any name, unless its names are set', () => {
    expect(createAccess({ host: '0.0.0.0', tokens }).hosts).toBeUndefined();
    expect(createAccess({ host: '0.0.0.0', tokens, allowedHosts: ['budget.lan'] }).hosts).toContain(
      'budget.lan',
    );
  });
});

it('pages of the public address and of the allowed origins may call', () => {
  const publicUrl = 'https://budget.example.com/mcp';
  const allowedOrigins = ['https://app.example.com', 'http://localhost:6274'];
  const { origins } = createAccess({ host: '127.0.0.1', tokens, publicUrl, allowedOrigins });
  expect([...origins]).toEqual(['https://budget.example.com', ...allowedOrigins]);
});

it('an origin may include the default port', () => {
  const { origins } = createAccess({
    host: '127.0.0.1',
    tokens,
    allowedOrigins: ['https://app.example.com:443'],
  });
  expect([...origins]).toEqual(['https://app.example.com']);
});

describe('without a token', () => {
  it('without a token, pages of this machine can be allowed, each with its port', () => {
    const { origins } = createAccess({ host: '127.0.0.1', allowedOrigins: ['http://localhost:6274'] });
    expect([...origins]).toEqual(['http://localhost:6274']);
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://192.168.0.10:3000',
    'http://127.0.0.2',
  ])('without a token, no page of another site can be allowed: %s', (origin) => {
    expect(refusalOf({ host: '127.0.0.1', allowedOrigins: [origin] })).toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('set a token'),
    });
    expect(createAccess({ host: '127.0.0.1', allowedOrigins: [origin], tokens }).origins.has(origin)).toBe(
      true,
    );
  });
});

it.each(['https://[', 'http://a:99999'])('an origin that no browser could send is refused: %s', (origin) => {
  expect(refusalOf({ host: '127.0.0.1', allowedOrigins: [origin], tokens })).toMatchObject({
    code: 'invalid_configuration',
  });
});

describe('the description of the access', () => {
  const descriptionOf = (settings: AccessSettings) =>
    describeTrust(settings, createAccess(settings)).join('\n');

  it('without a token, the description says that every program on this machine may call', () => {
    expect(descriptionOf({ host: '127.0.0.1' })).toBe(
      'No token is set: every program of every user on this machine may call. Web pages may not call.',
    );
  });

  it('the description names the pages that may call', () => {
    expect(
      descriptionOf({ host: '127.0.0.1', allowedOrigins: ['http://localhost:1', 'http://localhost:2'] }),
    ).toContain('Web pages of http://localhost:1, http://localhost:2 may call too.');
  });

  it.each(['0.0.0.0', '::', '192.168.0.10'])(
    'the description warns that nothing is encrypted on %s',
    (host) => {
      expect(descriptionOf({ host, tokens })).toMatch(
        /^Callers need a token\. Web pages may not call\.\nWarning: .*unencrypted/,
      );
    },
  );

  it('the description has no warning about encryption on this machine', () => {
    expect(descriptionOf({ host: '::1', tokens })).toBe('Callers need a token. Web pages may not call.');
  });
});
