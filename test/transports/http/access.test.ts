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
  it.each(['127.0.0.1', 'localhost', '::1'])('needs no token on %s, and answers to its own names', (host) => {
    expect(createAccess({ host })).toEqual({
      hosts: ['localhost', '127.0.0.1', '[::1]'],
      origins: new Set(),
      tokens: undefined,
    });
  });

  it.each<Partial<AccessSettings>>([
    { publicUrl: 'https://budget.example.com/mcp' },
    { allowedHosts: ['budget.example.com'] },
  ])('needs one where a proxy makes it known elsewhere: %j', (behind) => {
    expect(refusalOf({ host: '127.0.0.1', ...behind })).toEqual(refusal);
    const { hosts } = createAccess({ host: '127.0.0.1', tokens, ...behind });
    expect(hosts).toEqual(['localhost', '127.0.0.1', '[::1]', 'budget.example.com']);
  });
});

describe('a server on any other address', () => {
  it.each(['0.0.0.0', '::', '192.168.0.10', '127.0.0.2', 'budget.example.com'])(
    'needs a token: %s',
    (host) => {
      expect(refusalOf({ host })).toEqual(refusal);
      expect(createAccess({ host, tokens })).toMatchObject({ tokens, origins: new Set() });
    },
  );

  it('answers to whatever name, unless its names are told', () => {
    expect(createAccess({ host: '0.0.0.0', tokens }).hosts).toBeUndefined();
    expect(createAccess({ host: '0.0.0.0', tokens, allowedHosts: ['budget.lan'] }).hosts).toContain(
      'budget.lan',
    );
  });
});

it('pages may call from the public address, and from the origins that are allowed', () => {
  const publicUrl = 'https://budget.example.com/mcp';
  const allowedOrigins = ['https://app.example.com', 'http://localhost:6274'];
  const { origins } = createAccess({ host: '127.0.0.1', tokens, publicUrl, allowedOrigins });
  expect([...origins]).toEqual(['https://budget.example.com', ...allowedOrigins]);
});

it('an origin may be written with the port that goes without saying', () => {
  const { origins } = createAccess({
    host: '127.0.0.1',
    tokens,
    allowedOrigins: ['https://app.example.com:443'],
  });
  expect([...origins]).toEqual(['https://app.example.com']);
});

describe('without a token', () => {
  it('pages of this machine may be allowed, each with its port', () => {
    const { origins } = createAccess({ host: '127.0.0.1', allowedOrigins: ['http://localhost:6274'] });
    expect([...origins]).toEqual(['http://localhost:6274']);
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://192.168.0.10:3000',
    'http://127.0.0.2',
  ])('no page from elsewhere may be allowed: %s', (origin) => {
    expect(refusalOf({ host: '127.0.0.1', allowedOrigins: [origin] })).toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('needs a token'),
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

describe('whoever starts the server is told', () => {
  const told = (settings: AccessSettings) => describeTrust(settings, createAccess(settings)).join('\n');

  it('that every program of the machine is trusted, where there is no token', () => {
    expect(told({ host: '127.0.0.1' })).toBe(
      'No token is set: every program on this machine may call, of whichever user. No web page may.',
    );
  });

  it('which pages are trusted', () => {
    expect(
      told({ host: '127.0.0.1', allowedOrigins: ['http://localhost:1', 'http://localhost:2'] }),
    ).toContain('Web pages of http://localhost:1, http://localhost:2 may call too.');
  });

  it.each(['0.0.0.0', '::', '192.168.0.10'])('that nothing is encrypted on %s', (host) => {
    expect(told({ host, tokens })).toMatch(
      /^Whoever shows a token may call\. No web page may\.\nWarning: .*unencrypted/,
    );
  });

  it('nothing of encryption on this machine', () => {
    expect(told({ host: '::1', tokens })).toBe('Whoever shows a token may call. No web page may.');
  });
});
