import { describe, expect, test } from 'vitest';
import { type Flags, hostedSecrets, loadConfig } from '../../../src/app/config/load-config.ts';
import { infoOf, settingNames } from '../../../src/app/config/settings.ts';
import { isLoopback } from '../../../src/auth/service-address.ts';
import { BudgetError } from '../../../src/base/errors.ts';

const BASE_URL = 'https://api.example.com/v1';
const TOKEN = 'tok-8d1f0c';
const THIS_MACHINE = 'localhost,127.0.0.1,[::1]';

/** The message of the error about a configuration. */
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
  test('the default configuration has no demo, address or token, logs warnings, and asks before deletions', () => {
    expect(loadConfig({}, {})).toEqual({
      demo: false,
      drainSeconds: 0,
      structured: false,
      hosted: false,
      redisReplicas: 0,
      workers: 1,
      noRegistration: false,
      noState: false,
      profile: 'default',
      insecureStorage: false,
      allowCallbacks: false,
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

  test('the configuration is read from variables', () => {
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

  test('the configuration is read from flags, which win over variables', () => {
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

  test.each([{ BUDGET_MCP_DEMO: '1' }, { BUDGET_MCP_DEMO: 'true' }])('the demo is on with %j', (env) => {
    expect(loadConfig({}, env).demo).toBe(true);
  });

  test.each([{ BUDGET_MCP_DEMO: '0' }, { BUDGET_MCP_DEMO: 'false' }, { BUDGET_MCP_DEMO: '' }])(
    'the demo is off with %j',
    (env) => expect(loadConfig({}, env).demo).toBe(false),
  );

  test('an empty variable counts as not set', () => {
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

  test('the proxy is read from the usual variables, lower case first', () => {
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

  test('NO_PROXY can turn the proxy off for all addresses', () => {
    expect(loadConfig({}, { NO_PROXY: '*' }).proxy.noProxy).toBe('*');
  });

  test('a placeholder that a host did not replace counts as not set', () => {
    const env = { BUDGET_MCP_BASE_URL: '$' + '{user_config.base_url}' };
    expect(loadConfig({}, env)).toEqual(loadConfig({}, {}));
  });

  test('the configuration is frozen', () => {
    expect(Object.isFrozen(loadConfig({}, {}))).toBe(true);
  });
});

describe('the token', () => {
  test('child processes do not inherit the token', () => {
    const env = { BUDGET_MCP_TOKEN: TOKEN, OTHER: 'stays' };
    expect(loadConfig({}, env).token).toBe(TOKEN);
    expect(env).toEqual({ OTHER: 'stays' });
  });

  test('child processes do not inherit the token even if the configuration is refused', () => {
    const env = { BUDGET_MCP_TOKEN: TOKEN, BUDGET_MCP_BASE_URL: 'nonsense' };
    refusal({}, env);
    expect(env).not.toHaveProperty('BUDGET_MCP_TOKEN');
  });

  test.each(['two words', 'tok\nen', 'tok\u00e9n', 'tok\u0000'])(
    'a token that a header does not allow is refused and not repeated: %j',
    (token) => {
      const message = refusal({}, { BUDGET_MCP_TOKEN: token });
      expect(message).toMatch(/^BUDGET_MCP_TOKEN must be a single word/);
      expect(message).not.toContain(token);
    },
  );
});

describe('the client secret', () => {
  test('child processes do not inherit the client secret', () => {
    const env = { BUDGET_MCP_CLIENT_SECRET: 'cs-77', BUDGET_MCP_CLIENT_ID: 'ci-1' };
    expect(loadConfig({}, env)).toMatchObject({ clientId: 'ci-1', clientSecret: 'cs-77' });
    expect(env).toEqual({ BUDGET_MCP_CLIENT_ID: 'ci-1' });
  });
});

describe('a known service', () => {
  test('a known service sets both addresses, and its name may be in upper or lower case', () => {
    const config = loadConfig({ service: 'YNAB' }, {});
    expect(config).toMatchObject({ baseUrl: 'https://api.ynab.com/v1', appUrl: 'https://app.ynab.com' });
    expect(config).not.toHaveProperty('service');
  });

  test.each([
    [{ service: 'nonesuch' }, '--service (BUDGET_MCP_SERVICE) must be one of ynab.'],
    [{ service: 'ynab', baseUrl: BASE_URL }, 'leave out --base-url and --app-url, or --service'],
    [{ service: 'ynab', appUrl: 'https://app.example.com' }, 'leave out --base-url and --app-url'],
    [{ service: 'ynab', demo: true }, 'the demo has its own service'],
    [{ tokenFile: '/run/secrets/token', demo: true }, 'the demo has its own service'],
  ])('a known service is refused with %j', (flags, message) => {
    expect(refusal(flags)).toContain(message);
  });
});

describe('a profile', () => {
  test.each(['', 'Work', 'a.b', 'a/b', '../x', 'x'.repeat(33), 'née'])(
    'a profile name cannot be %j',
    (profile) => {
      expect(refusal({ profile })).toContain('--profile (BUDGET_MCP_PROFILE) must be 1 to 32');
    },
  );

  test.each(['default', 'work-2', 'x'.repeat(32)])('a profile name can be %s', (profile) => {
    expect(loadConfig({ profile }, {}).profile).toBe(profile);
  });
});

describe('the base URL', () => {
  test.each([
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1'],
    ['https://api.example.com/budget/v1/', 'https://api.example.com/budget/v1'],
  ])('the base URL has no trailing slashes: %s', (given, kept) => {
    expect(loadConfig({ baseUrl: given }, {}).baseUrl).toBe(kept);
  });

  test.each(['http://localhost:8080/v1', 'http://127.0.0.1:8080/v1', 'http://[::1]:8080/v1'])(
    'the base URL may be http:// on this machine: %s',
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
  ])('the base URL may not be http:// on another machine: %s', (baseUrl) => {
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
  ])('the base URL must be a URL: %s', (baseUrl) => {
    const message = refusal({ baseUrl });
    expect(message).toMatch(/^--base-url \(BUDGET_MCP_BASE_URL\) must be a URL such as \S+$/);
    expect(message).not.toContain('hunter2');
  });

  test.each(['https://api.example.com', 'https://api.example.com/', 'https://api.example.com/v1/budgets'])(
    'a base URL that does not end with the version of the interface is refused, with an example: %s',
    (baseUrl) => {
      expect(refusal({ baseUrl })).toBe(
        '--base-url (BUDGET_MCP_BASE_URL) must end with /v1, such as https://api.example.com/v1.',
      );
    },
  );

  test('the scheme of the base URL may be in upper case', () => {
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
  ])('a base URL with credentials or a query is refused, and they are not repeated: %s', (baseUrl) => {
    const message = refusal({ baseUrl });
    expect(message).toContain('--base-url (BUDGET_MCP_BASE_URL) must not contain credentials or a query');
    expect(message).not.toContain('hunter2');
  });
});

describe('the HTTP settings', () => {
  test('the HTTP settings are read from flags and variables', () => {
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
    [{ http: true, metricsPort: '65536' }, /^--metrics-port .* at most 65535/],
    [{ metricsPort: '9464' }, /^--metrics-port .* needs --http/],
    [{ drainSeconds: '-1' }, /^--drain-seconds .* whole number/],
    [{ publicUrl: 'http://budget.example.com' }, /^--public-url .* must be https/],
    [{ allowedHosts: 'budget.lan:3000' }, /^--allowed-hosts .* host names without a port/],
    [{ allowedHosts: 'https://budget.lan' }, /^--allowed-hosts /],
    [{ hosted: true, http: true, allowPeople: 'ann@example.com' }, /^--allow-people .* ids of people/],
    [{ hosted: true, http: true, allowPeople: '' }, /^--allow-people .* ids of people/],
    [{ http: true, allowPeople: 'none' }, /^--allow-people .* needs --hosted/],
    [{ allowedOrigins: 'app.example.com' }, /^--allowed-origins .* origins such as/],
    [{ allowedOrigins: 'https://app.example.com/' }, /^--allowed-origins /],
    [{ allowedOrigins: '*' }, /^--allowed-origins /],
    [{ allowedOrigins: 'null' }, /^--allowed-origins /],
    [{ allowedOrigins: 'tauri://localhost' }, /^--allowed-origins /],
    [{ allowedOrigins: 'moz-extension://0b1c' }, /^--allowed-origins /],
  ])('an invalid HTTP setting is refused: %j', (flags, message) => {
    expect(refusal(flags)).toMatch(message);
  });
});

describe('a refusal', () => {
  test.each<[Flags, NodeJS.ProcessEnv]>([
    [{ demo: true, baseUrl: BASE_URL }, {}],
    [{ demo: true }, { BUDGET_MCP_BASE_URL: BASE_URL }],
    [{ demo: true }, { BUDGET_MCP_TOKEN: TOKEN }],
    [{}, { BUDGET_MCP_DEMO: '1', BUDGET_MCP_TOKEN: TOKEN }],
  ])('the demo together with another service is refused: %j %j', (flags, env) => {
    const message = refusal(flags, env);
    expect(message).toMatch(/^--demo \(BUDGET_MCP_DEMO\) the demo has its own service/);
    expect(message).not.toContain(TOKEN);
  });

  test('an unknown log level is refused with a list of the known ones', () => {
    const message = refusal({}, { BUDGET_MCP_LOG_LEVEL: 'loud' });
    expect(message).toContain('--log-level (BUDGET_MCP_LOG_LEVEL)');
    for (const level of ['silent', 'error', 'warn', 'info', 'debug']) expect(message).toContain(level);
  });

  test.each(['unknown', 'accounts,unknown', 'constructor', ''])(
    'unknown toolsets are refused with a list of the known ones: %j',
    (given) => {
      const message = refusal({ toolsets: given });
      expect(message).toMatch(/^--toolsets \(BUDGET_MCP_TOOLSETS\) must be some of user, budgets, accounts,/);
    },
  );

  test('an unknown confirm policy is refused with a list of the known ones', () => {
    expect(refusal({ confirm: 'all' })).toContain(
      '--confirm (BUDGET_MCP_CONFIRM) must be one of none, deletes, writes',
    );
  });

  test('a read-only setting that is neither true nor false is refused', () => {
    expect(refusal({}, { BUDGET_MCP_READ_ONLY: 'perhaps' })).toContain(
      '--read-only (BUDGET_MCP_READ_ONLY) must be true or false',
    );
  });

  test.each(['-1', '1.5', '64 MB', '1e3', '1000000000'])(
    'an amount of memory or requests that is not a whole number is refused: %j',
    (text) => {
      expect(refusal({ cacheMb: text })).toBe('--cache-mb (BUDGET_MCP_CACHE_MB) must be a whole number.');
      expect(refusal({ reserve: text })).toBe('--reserve (BUDGET_MCP_RESERVE) must be a whole number.');
    },
  );

  test('several workers are refused for a server whose state is in its memory, or which is not for several people', () => {
    const message = '--workers (BUDGET_MCP_WORKERS) needs --hosted';
    expect(refusal({ workers: '2', http: true })).toContain(message);
    expect(refusal({ workers: '2', http: true, hosted: true, noState: true })).toContain(message);
    expect(loadConfig({ workers: '2', http: true, hosted: true }, {}).workers).toBe(2);
  });

  test('a hosted server has memory for the budgets of 200 people, and any memory that is given counts', () => {
    const hosted = { http: true, hosted: true };
    expect(loadConfig(hosted, {}).cacheMb).toBe(640);
    expect(loadConfig({ ...hosted, cacheMb: '0' }, {}).cacheMb).toBe(0);
  });

  test('further processes of a hosted server get all secrets that this one has deleted from its variables', () => {
    const env = { BUDGET_MCP_CLIENT_SECRET: 'secret-of-the-application', BUDGET_MCP_CLIENT_ID: 'id' };
    const config = loadConfig({ http: true, hosted: true }, env);
    expect(env).toEqual({ BUDGET_MCP_CLIENT_ID: 'id' });
    expect(hostedSecrets.parse(config)).toEqual({ clientSecret: 'secret-of-the-application' });
    const others = settingNames.filter((name) => infoOf(name).isSecret && !(name in hostedSecrets.shape));
    for (const name of others) {
      const secret = { [infoOf(name).variable]: 'secret-of-more-than-thirty-two-letters' };
      expect(refusal({ http: true, hosted: true }, secret)).toContain('people sign in by themselves');
    }
  });

  test('an empty default budget is refused', () => {
    expect(refusal({ budget: ' ' })).toContain('--budget (BUDGET_MCP_BUDGET)');
  });

  test('the error names every invalid setting and never repeats a token', () => {
    const token = 'tok 8d1f0c';
    const env = { BUDGET_MCP_TOKEN: token, BUDGET_MCP_LOG_LEVEL: 'loud' };
    const message = refusal({ baseUrl: 'http://api.example.com/v1' }, env);
    for (const name of ['BUDGET_MCP_BASE_URL', 'BUDGET_MCP_TOKEN', 'BUDGET_MCP_LOG_LEVEL'])
      expect(message).toContain(name);
    expect(message).not.toContain('8d1f0c');
  });
});
