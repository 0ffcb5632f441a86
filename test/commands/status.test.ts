import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { SignIn } from '../../src/auth/token-store.ts';
import { runStatus, type StatusDeps } from '../../src/commands/status.ts';
import { BudgetError } from '../../src/errors.ts';
import { MemoryTokenStore } from '../auth/memory-token-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { startSigningIn } from './signing-in.ts';

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
      clock,
      budgets: async () => ['Household'],
      describeProvidedToken: async () => undefined,
      io: { stdout },
      signal: new AbortController().signal,
      ...parts,
    },
  );
  return String(stdout.read());
}

describe('budget-mcp status', () => {
  test('says who is signed in, how, until when and where that is kept, and no secret', async () => {
    const said = await statusOf(byCode);
    expect(said).toMatch(
      /^profile {2}default\nservice {2}https:\/\/api\.example\.com\/v1\nkind {5}OAuth, authorization code grant\nscope {4}read-only\nends {5}2026-11-2\d \d\d:\d\d, in 45 minutes; renewed by itself\nkept in {2}memory\nopens {4}the budgets "Household"\n$/,
    );
    expect(said).not.toContain('SECRET');
  });

  test('says of a personal access token that it lives until it is revoked', async () => {
    const { id, baseUrl, accessToken } = granted;
    const said = await statusOf({ kind: 'personal', id, baseUrl, accessToken });
    expect(said).toContain('kind     personal access token\nscope    full\nends     when it is revoked');
  });

  test('says of an implicit grant that it has to be made anew, and when it has ended', async () => {
    const implicit = { ...granted, kind: 'implicit', scope: 'full' } as const;
    expect(await statusOf(implicit)).toContain('in 45 minutes; sign in again then');
    const ended = await statusOf({ ...implicit, expiresAt: clock.now() - 60_000 });
    expect(ended).toContain(', 1 minute ago; sign in again then');
  });

  test('says that nobody is signed in, asks nothing and says how to', async () => {
    const budgets = () => Promise.reject(new Error('Nothing is to be asked.'));
    expect(await statusOf(undefined, { budgets })).toBe(
      'profile  default, not signed in: `budget-mcp login` does it\nkept in  memory\n',
    );
  });

  test('says so, and does not fail, where the service cannot be asked', async () => {
    const budgets = () => Promise.reject(new BudgetError('unreachable', 'The service cannot be reached.'));
    expect(await statusOf(byCode, { budgets })).toContain(
      'opens    could not be asked: The service cannot be reached. Check the network',
    );
  });

  test('fails where the store cannot be asked: that is not the same as nobody', async () => {
    const locked = new BudgetError('invalid_configuration', 'The keychain is locked.');
    const store = Object.assign(new MemoryTokenStore(), { read: () => Promise.reject(locked) });
    await expect(statusOf(undefined, { store })).rejects.toBe(locked);
  });

  test('says where a token is handed in, and does not ask the store then', async () => {
    const store = Object.assign(new MemoryTokenStore(), {
      read: () => Promise.reject(new Error('Nothing is to be read.')),
    });
    expect(await statusOf(undefined, { store, describeProvidedToken: async () => 'BUDGET_MCP_TOKEN' })).toBe(
      `token    handed in by BUDGET_MCP_TOKEN, which is used whatever profiles hold
opens    the budgets "Household"
`,
    );
  });

  test('names the budgets after one request', async () => {
    const { service, store, login, budgetsOf } = await startSigningIn();
    const { accessToken: token, baseUrl } = service;
    await login({}, { stdin: token }).ended;
    const said = await statusOf(undefined, {
      store,
      clock: service.clock,
      budgets: (signal) => budgetsOf({ baseUrl, token }, signal),
    });
    expect(said).toContain('opens    the budgets "Household", "Japan Trip"\n');
    const response = await fetch(`${baseUrl}/user?access_token=${token}`);
    expect(response.headers.get('x-rate-limit')).toMatch(/^3\//);
  });
});
