import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runStatus, type StatusDeps } from '../../../src/app/commands/status.ts';
import type { SignIn } from '../../../src/auth/token-store.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { MemoryTokenStore } from '../../auth/memory-token-store.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { listOf, startSigningIn } from './signing-in.helper.ts';

const clock = new ManualClock('2026-11-21T12:00:00Z');

const granted = {
  id: '1',
  baseUrl: 'https://api.example.com/v1',
  appUrl: 'https://app.example.com',
  clientId: 'c1',
  accessToken: 'SECRET-access',
  grantedAt: clock.now(),
  expiresAt: clock.now() + 45 * 60_000,
} as const;

const byCode: SignIn = {
  ...granted,
  kind: 'authorization_code',
  scope: 'read-only',
  clientSecret: 'SECRET-client',
  refreshToken: 'SECRET-refresh',
};

async function statusOf(signIn: SignIn | undefined, parts: Partial<StatusDeps> = {}) {
  const store = new MemoryTokenStore();
  if (signIn) await store.write('default', signIn);
  const stdout = new PassThrough({ encoding: 'utf8' });
  await runStatus(
    { profile: 'default' },
    {
      store,
      loginCommand: 'budget-mcp login',
      clock,
      budgets: async () => listOf('Household'),
      providedToken: async () => undefined,
      io: { stdout },
      signal: new AbortController().signal,
      ...parts,
    },
  );
  return String(stdout.read());
}

describe('budget-mcp status', () => {
  test('status shows the sign-in, its kind, its end and its store, but no secret', async () => {
    const output = await statusOf(byCode);
    expect(output).toMatch(
      /^profile {2}default\nservice {2}https:\/\/api\.example\.com\/v1\nkind {5}OAuth, authorization code grant\nscope {4}read-only\nends {5}2026-11-2\d \d\d:\d\d, in 45 minutes; renewed automatically\nstored {3}in memory\naccess {3}the budgets "Household"\ndefault {2}"Household", the only one\n$/,
    );
    expect(output).not.toContain('SECRET');
  });

  test('status says that a personal access token is valid until it is revoked', async () => {
    const { id, baseUrl, accessToken } = granted;
    const output = await statusOf({ kind: 'personal', id, baseUrl, accessToken });
    expect(output).toContain('kind     personal access token\nscope    full\nends     when it is revoked');
  });

  test('status says that a sign-in by the implicit grant cannot be renewed, and when it ended', async () => {
    const implicit = { ...granted, kind: 'implicit', scope: 'full' } as const;
    expect(await statusOf(implicit)).toContain('in 45 minutes; sign in again then');
    const ended = await statusOf({ ...implicit, expiresAt: clock.now() - 60_000 });
    expect(ended).toContain(', 1 minute ago; sign in again then');
  });

  test('without a sign-in, status says how to sign in and sends no request', async () => {
    const budgets = () => Promise.reject(new Error('No request is expected.'));
    expect(await statusOf(undefined, { budgets })).toBe(
      'profile  default, not signed in; run `budget-mcp login`\nstored   in memory\n',
    );
  });

  test('status reports an unreachable service, and does not fail', async () => {
    const budgets = () => Promise.reject(new BudgetError('unreachable', 'The service cannot be reached.'));
    expect(await statusOf(byCode, { budgets })).toContain(
      'access   could not be checked: The service cannot be reached. Check the network',
    );
  });

  test('status fails if the store cannot be read, because that is not the same as not signed in', async () => {
    const locked = new BudgetError('invalid_configuration', 'The keychain is locked.');
    const store = Object.assign(new MemoryTokenStore(), { read: () => Promise.reject(locked) });
    await expect(statusOf(undefined, { store })).rejects.toBe(locked);
  });

  test('status says where a token is provided, and does not read the store then', async () => {
    const store = Object.assign(new MemoryTokenStore(), {
      read: () => Promise.reject(new Error('No read is expected.')),
    });
    expect(
      await statusOf(undefined, {
        store,
        providedToken: async () => ({ place: 'BUDGET_MCP_TOKEN', read: async () => '' }),
      }),
    ).toBe(
      `token    provided by BUDGET_MCP_TOKEN, used instead of every stored sign-in
access   the budgets "Household"
default  "Household", the only one
`,
    );
  });

  test('status shows the names of the budgets after one request', async () => {
    const { service, store, login, budgetsOf } = await startSigningIn();
    const { accessToken: token, baseUrl } = service;
    await login({}, { stdin: token }).ended;
    const output = await statusOf(undefined, {
      store,
      clock: service.clock,
      budgets: (signal) => budgetsOf({ baseUrl, token }, signal),
    });
    expect(output).toContain('access   the budgets "Household", "Japan Trip"\n');
    const response = await fetch(`${baseUrl}/user?access_token=${token}`);
    expect(response.headers.get('x-rate-limit')).toMatch(/^3\//);
  });
});
