import { describe, expect, it } from 'vitest';
import { type AccessSettings, accessOf } from '../../../src/transports/http/access.ts';

const tokens = ['a-token-of-those-who-may-call-by-http'];
const refusal = expect.objectContaining({
  code: 'invalid_configuration',
  message: expect.stringContaining('needs a token'),
});

const refusalOf = (settings: AccessSettings): unknown => {
  try {
    return accessOf(settings);
  } catch (error) {
    return error;
  }
};

describe('a server on this machine', () => {
  it.each(['127.0.0.1', 'localhost', '::1'])('needs no token on %s, and answers to its own names', (host) => {
    expect(accessOf({ host })).toEqual({
      hosts: ['localhost', '127.0.0.1', '[::1]'],
      origins: new Set(),
      allowsLocalPages: true,
      tokens: [],
    });
  });

  it.each<Partial<AccessSettings>>([
    { publicUrl: 'https://budget.example.com/mcp' },
    { allowedHosts: ['budget.example.com'] },
  ])('needs one where a proxy makes it known elsewhere: %j', (behind) => {
    expect(refusalOf({ host: '127.0.0.1', ...behind })).toEqual(refusal);
    const { hosts } = accessOf({ host: '127.0.0.1', tokens, ...behind });
    expect(hosts).toEqual(['localhost', '127.0.0.1', '[::1]', 'budget.example.com']);
  });
});

describe('a server on any other address', () => {
  it.each(['0.0.0.0', '::', '192.168.0.10', '127.0.0.2', 'budget.example.com'])(
    'needs a token: %s',
    (host) => {
      expect(refusalOf({ host })).toEqual(refusal);
      expect(accessOf({ host, tokens })).toMatchObject({ tokens, allowsLocalPages: false });
    },
  );

  it('answers to whatever name, unless its names are told', () => {
    expect(accessOf({ host: '0.0.0.0', tokens }).hosts).toBeUndefined();
    expect(accessOf({ host: '0.0.0.0', tokens, allowedHosts: ['budget.lan'] }).hosts).toContain('budget.lan');
  });
});

it('pages may call from the public address, and from the origins that are allowed', () => {
  const publicUrl = 'https://budget.example.com/mcp';
  const allowedOrigins = ['https://app.example.com', 'moz-extension://0b1c'];
  const { origins } = accessOf({ host: '127.0.0.1', tokens, publicUrl, allowedOrigins });
  expect([...origins]).toEqual(['https://budget.example.com', ...allowedOrigins]);
});

it('an origin may be written with the port that goes without saying', () => {
  const { origins } = accessOf({
    host: '127.0.0.1',
    tokens,
    allowedOrigins: ['https://app.example.com:443'],
  });
  expect([...origins]).toEqual(['https://app.example.com']);
});
