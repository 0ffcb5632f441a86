import { describe, expect, test } from 'vitest';
import { isLoopback } from '../../src/auth/service-address.ts';
import { type Flags, loadConfig, wantsColour } from '../../src/config/load-config.ts';
import { BudgetError } from '../../src/errors.ts';

const BASE_URL = 'https://api.example.com/v1';
const TOKEN = 'tok-8d1f0c';
const THIS_MACHINE = 'localhost,127.0.0.1,[::1]';

/** The message with which a configuration is refused. */
function refusal(flags: Flags, env: NodeJS.ProcessEnv = {}): string {
  try {
    loadConfig(flags, env);
  } catch (error) {
    expect(error).toBeInstanceOf(BudgetError);
    expect(error).toMatchObject({ code: 'invalid_configuration' });
    if (error instanceof Error) return error.message;
  }
  throw new Error('It was accepted.');
}

describe('the configuration', () => {
  test('of nothing is no demo, no address, no token, a quiet log, and consent to deletions', () => {
    expect(loadConfig({}, {})).toEqual({
      demo: false,
      profile: 'default',
      insecureStorage: false,
      readOnly: false,
      confirm: 'deletes',
      cacheMb: 256,
      reserve: 20,
      http: false,
      host: '127.0.0.1',
      port: 3000,
      logLevel: 'warn',
      proxy: { httpProxy: '', httpsProxy: '', noProxy: THIS_MACHINE },
      checksCertificates: true,
    });
  });

  test('comes from variables', () => {
    const env = {
      BUDGET_MCP_BASE_URL: BASE_URL,
      BUDGET_MCP_TOKEN: TOKEN,
      BUDGET_MCP_BUDGET: ' Home ',
      BUDGET_MCP_READ_ONLY: 'true',
      BUDGET_MCP_TOOLSETS: 'accounts, transactions',
      BUDGET_MCP_CONFIRM: 'writes',
      BUDGET_MCP_CACHE_MB: '64',
      BUDGET_MCP_RESERVE: '0',
      BUDGET_MCP_LOG_LEVEL: 'debug',
    };
    expect(loadConfig({}, env)).toMatchObject({
      baseUrl: BASE_URL,
      token: TOKEN,
      budget: 'Home',
      readOnly: true,
      toolsets: ['accounts', 'transactions'],
      confirm: 'writes',
      cacheMb: 64,
      reserve: 0,
      logLevel: 'debug',
    });
  });

  test('comes from flags, which win over variables', () => {
    const env = {
      BUDGET_MCP_BASE_URL: 'https://other.example.com/v1',
      BUDGET_MCP_BUDGET: 'Other',
      BUDGET_MCP_CONFIRM: 'none',
      BUDGET_MCP_READ_ONLY: '0',
      BUDGET_MCP_LOG_LEVEL: 'silent',
    };
    const flags = {
      baseUrl: BASE_URL,
      budget: 'Home',
      confirm: 'deletes',
      readOnly: true,
      logLevel: 'info',
    };
    expect(loadConfig(flags, env)).toMatchObject(flags);
  });

  test.each([{ BUDGET_MCP_DEMO: '1' }, { BUDGET_MCP_DEMO: 'true' }])('is the demo with %j', (env) => {
    expect(loadConfig({}, env).demo).toBe(true);
  });

  test.each([{ BUDGET_MCP_DEMO: '0' }, { BUDGET_MCP_DEMO: 'false' }, { BUDGET_MCP_DEMO: '' }])(
    'is not the demo with %j',
    (env) => expect(loadConfig({}, env).demo).toBe(false),
  );

  test('counts an empty variable as unset', () => {
    const env = {
      BUDGET_MCP_DEMO: '',
      BUDGET_MCP_BASE_URL: '',
      BUDGET_MCP_TOKEN: '',
      BUDGET_MCP_BUDGET: '',
      BUDGET_MCP_READ_ONLY: '',
      BUDGET_MCP_CACHE_MB: '',
      BUDGET_MCP_RESERVE: '',
      BUDGET_MCP_TOOLSETS: '',
      BUDGET_MCP_CONFIRM: '',
      BUDGET_MCP_LOG_LEVEL: '',
    };
    expect(loadConfig({}, env)).toEqual(loadConfig({}, {}));
  });

  test('takes the proxy from the usual variables, those in lower case first', () => {
    const env = {
      http_proxy: 'http://a.example:1',
      HTTP_PROXY: 'http://b.example:2',
      HTTPS_PROXY: 'http://c.example:3',
      no_proxy: 'intranet',
    };
    expect(loadConfig({}, env).proxy).toEqual({
      httpProxy: 'http://a.example:1',
      httpsProxy: 'http://c.example:3',
      noProxy: `intranet,${THIS_MACHINE}`,
    });
  });

  test('asks no proxy at all where NO_PROXY says so', () => {
    expect(loadConfig({}, { NO_PROXY: '*' }).proxy.noProxy).toBe('*');
  });

  test('treats a setting that a host left as its placeholder as one that is not there', () => {
    const env = { BUDGET_MCP_BASE_URL: '$' + '{user_config.base_url}' };
    expect(loadConfig({}, env)).toEqual(loadConfig({}, {}));
  });

  test('is frozen', () => {
    expect(Object.isFrozen(loadConfig({}, {}))).toBe(true);
  });
});

describe('the token', () => {
  test('is not inherited by child processes', () => {
    const env = { BUDGET_MCP_TOKEN: TOKEN, OTHER: 'stays' };
    expect(loadConfig({}, env).token).toBe(TOKEN);
    expect(env).toEqual({ OTHER: 'stays' });
  });

  test('is not inherited even where the configuration is refused', () => {
    const env = { BUDGET_MCP_TOKEN: TOKEN, BUDGET_MCP_BASE_URL: 'nonsense' };
    refusal({}, env);
    expect(env).not.toHaveProperty('BUDGET_MCP_TOKEN');
  });

  test.each(['two words', 'tok\nen', 'tok\u00e9n', 'tok\u0000'])(
    'that cannot stand in a header is refused, and not repeated: %j',
    (token) => {
      const message = refusal({}, { BUDGET_MCP_TOKEN: token });
      expect(message).toMatch(/^BUDGET_MCP_TOKEN must be a single word/);
      expect(message).not.toContain(token);
    },
  );
});

describe('the client secret', () => {
  test('is not inherited either', () => {
    const env = { BUDGET_MCP_CLIENT_SECRET: 'cs-77', BUDGET_MCP_CLIENT_ID: 'ci-1' };
    expect(loadConfig({}, env)).toMatchObject({ clientId: 'ci-1', clientSecret: 'cs-77' });
    expect(env).toEqual({ BUDGET_MCP_CLIENT_ID: 'ci-1' });
  });
});

describe('a known service', () => {
  test('brings both addresses, in any case of its name', () => {
    const config = loadConfig({ service: 'YNAB' }, {});
    expect(config).toMatchObject({ baseUrl: 'https://api.ynab.com/v1', appUrl: 'https://app.ynab.com' });
    expect(config).not.toHaveProperty('service');
  });

  test.each([
    [{ service: 'nonesuch' }, '--service (BUDGET_MCP_SERVICE) must be one of ynab.'],
    [{ service: 'ynab', baseUrl: BASE_URL }, 'leave out --base-url and --app-url, or --service'],
    [{ service: 'ynab', appUrl: 'https://app.example.com' }, 'leave out --base-url and --app-url'],
    [{ service: 'ynab', demo: true }, 'the demo brings its own service'],
    [{ tokenFile: '/run/secrets/token', demo: true }, 'the demo brings its own service'],
  ])('is refused as %j', (flags, message) => {
    expect(refusal(flags)).toContain(message);
  });
});

describe('a profile', () => {
  test.each(['', 'Work', 'a.b', 'a/b', '../x', 'x'.repeat(33), 'née'])('cannot be called %j', (profile) => {
    expect(refusal({ profile })).toContain('--profile (BUDGET_MCP_PROFILE) must be 1 to 32');
  });

  test.each(['default', 'work-2', 'x'.repeat(32)])('can be called %s', (profile) => {
    expect(loadConfig({ profile }, {}).profile).toBe(profile);
  });
});

describe('the base URL', () => {
  test.each([
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1'],
    ['https://api.example.com/', 'https://api.example.com'],
  ])('loses its trailing slashes: %s', (given, kept) => {
    expect(loadConfig({ baseUrl: given }, {}).baseUrl).toBe(kept);
  });

  test.each(['http://localhost:8080/v1', 'http://127.0.0.1:8080/v1', 'http://[::1]:8080/v1'])(
    'may be http:// on this machine: %s',
    (baseUrl) => {
      expect(loadConfig({ baseUrl }, {}).baseUrl).toBe(baseUrl);
      expect(isLoopback(baseUrl)).toBe(true);
    },
  );

  test.each([
    'http://api.example.com/v1',
    'http://localhost.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://192.168.0.10/v1',
    'http://0.0.0.0/v1',
    'HTTP://api.example.com/v1',
  ])('may not be http:// elsewhere: %s', (baseUrl) => {
    expect(refusal({ baseUrl })).toMatch(/^--base-url \(BUDGET_MCP_BASE_URL\) must be https:\/\//);
  });

  test.each([
    'nonsense',
    'api.example.com/v1',
    'ftp://api.example.com/v1',
    'file:///v1',
    'https://',
    'http://[::1',
    'https:user:hunter2@api.example.com/v1',
    'https:\\\\user:hunter2@api.example.com/v1',
  ])('must be one: %s', (baseUrl) => {
    const message = refusal({ baseUrl });
    expect(message).toMatch(/^--base-url \(BUDGET_MCP_BASE_URL\) must be a URL such as \S+$/);
    expect(message).not.toContain('hunter2');
  });

  test('may have its scheme in capitals', () => {
    const baseUrl = 'HTTPS://api.example.com/v1';
    expect(loadConfig({ baseUrl }, {}).baseUrl).toBe(baseUrl);
  });

  test.each([
    'https://user:hunter2@api.example.com/v1',
    'https://hunter2@api.example.com/v1',
    'http://user:hunter2@localhost/v1',
    'https://api.example.com/v1?access_token=hunter2',
    'https://api.example.com/v1?',
    'https://api.example.com/v1#hunter2',
  ])('has neither credentials nor a query, and they are not repeated: %s', (baseUrl) => {
    const message = refusal({ baseUrl });
    expect(message).toContain('--base-url (BUDGET_MCP_BASE_URL) must have neither credentials nor a query');
    expect(message).not.toContain('hunter2');
  });
});

describe('what is served by HTTP', () => {
  test('comes from flags and variables', () => {
    const env = {
      BUDGET_MCP_HTTP: '1',
      BUDGET_MCP_PORT: '8080',
      BUDGET_MCP_PUBLIC_URL: 'https://budget.example.com/mcp/',
      BUDGET_MCP_ALLOWED_HOSTS: 'Budget.lan, [::1]',
      BUDGET_MCP_ALLOWED_ORIGINS: 'https://app.example.com,http://localhost:6274',
    };
    expect(loadConfig({ host: '0.0.0.0' }, env)).toMatchObject({
      http: true,
      host: '0.0.0.0',
      port: 8080,
      publicUrl: 'https://budget.example.com/mcp',
      allowedHosts: ['budget.lan', '[::1]'],
      allowedOrigins: ['https://app.example.com', 'http://localhost:6274'],
    });
  });

  test.each<[Flags, RegExp]>([
    [{ port: '65536' }, /^--port .* at most 65535/],
    [{ port: 'http' }, /^--port .* whole number/],
    [{ publicUrl: 'http://budget.example.com' }, /^--public-url .* must be https/],
    [{ allowedHosts: 'budget.lan:3000' }, /^--allowed-hosts .* host names without a port/],
    [{ allowedHosts: 'https://budget.lan' }, /^--allowed-hosts /],
    [{ allowedOrigins: 'app.example.com' }, /^--allowed-origins .* origins such as/],
    [{ allowedOrigins: 'https://app.example.com/' }, /^--allowed-origins /],
    [{ allowedOrigins: '*' }, /^--allowed-origins /],
    [{ allowedOrigins: 'null' }, /^--allowed-origins /],
    [{ allowedOrigins: 'tauri://localhost' }, /^--allowed-origins /],
    [{ allowedOrigins: 'moz-extension://0b1c' }, /^--allowed-origins /],
  ])('is refused where it is none: %j', (flags, message) => {
    expect(refusal(flags)).toMatch(message);
  });
});

describe('a refusal', () => {
  test.each<[Flags, NodeJS.ProcessEnv]>([
    [{ demo: true, baseUrl: BASE_URL }, {}],
    [{ demo: true }, { BUDGET_MCP_BASE_URL: BASE_URL }],
    [{ demo: true }, { BUDGET_MCP_TOKEN: TOKEN }],
    [{}, { BUDGET_MCP_DEMO: '1', BUDGET_MCP_TOKEN: TOKEN }],
  ])('meets the demo together with a service of one\u2019s own: %j %j', (flags, env) => {
    const message = refusal(flags, env);
    expect(message).toMatch(/^--demo \(BUDGET_MCP_DEMO\) the demo brings its own service/);
    expect(message).not.toContain(TOKEN);
  });

  test('meets an unknown log level, and lists the known ones', () => {
    const message = refusal({}, { BUDGET_MCP_LOG_LEVEL: 'loud' });
    expect(message).toContain('--log-level (BUDGET_MCP_LOG_LEVEL)');
    for (const level of ['silent', 'error', 'warn', 'info', 'debug']) expect(message).toContain(level);
  });

  test.each(['nobody', 'accounts,nobody', 'constructor', ''])(
    'meets toolsets that there are not, and lists those that there are: %j',
    (given) => {
      const message = refusal({ toolsets: given });
      expect(message).toMatch(/^--toolsets \(BUDGET_MCP_TOOLSETS\) must be some of user, budgets, accounts,/);
    },
  );

  test('meets an unknown policy of consent, and lists the known ones', () => {
    expect(refusal({ confirm: 'all' })).toContain(
      '--confirm (BUDGET_MCP_CONFIRM) must be one of none, deletes, writes',
    );
  });

  test('meets a read-only setting that is neither on nor off', () => {
    expect(refusal({}, { BUDGET_MCP_READ_ONLY: 'perhaps' })).toContain(
      '--read-only (BUDGET_MCP_READ_ONLY) must be true or false',
    );
  });

  test.each(['-1', '1.5', '64 MB', '1e3', '1000000000'])(
    'meets an amount of memory or of requests that is no whole number: %j',
    (text) => {
      expect(refusal({ cacheMb: text })).toBe('--cache-mb (BUDGET_MCP_CACHE_MB) must be a whole number.');
      expect(refusal({ reserve: text })).toBe('--reserve (BUDGET_MCP_RESERVE) must be a whole number.');
    },
  );

  test('meets a budget without a name', () => {
    expect(refusal({ budget: ' ' })).toContain('--budget (BUDGET_MCP_BUDGET)');
  });

  test('names every setting that is wrong, and never repeats a token', () => {
    const token = 'tok 8d1f0c';
    const env = { BUDGET_MCP_TOKEN: token, BUDGET_MCP_LOG_LEVEL: 'loud' };
    const message = refusal({ baseUrl: 'http://api.example.com/v1' }, env);
    for (const name of ['BUDGET_MCP_BASE_URL', 'BUDGET_MCP_TOKEN', 'BUDGET_MCP_LOG_LEVEL'])
      expect(message).toContain(name);
    expect(message).not.toContain('8d1f0c');
  });
});

describe('colour', () => {
  test.each<[boolean, NodeJS.ProcessEnv, boolean]>([
    [true, {}, true],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [false, {}, false],
  ])('on a terminal (%j) with %j: %j', (isTTY, env, wanted) => {
    expect(wantsColour({ isTTY }, env)).toBe(wanted);
  });
});
