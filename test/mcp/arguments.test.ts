/** What a caller sends is bounded before it is validated, and so is what is told of it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listProblems } from '../../src/format/text.ts';
import { validateArguments } from '../../src/mcp/arguments.ts';
import { createSharedState } from '../../src/mcp/server.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { startWarm } from '../client/holding.ts';
import { connectedClient, hostOf } from './connected.ts';

const times = <Value>(length: number, value: Value) => Array.from({ length }, () => value);
const leg = { amount: 'much' };
const row = { account_id: 'a', date: '2026-11-20', amount: -1 };

const tooMuch: readonly (readonly [what: string, tool: string, args: Record<string, unknown>])[] = [
  ['200,000 elements', 'get_budget', { collections: times(200_000, 'nonsense') }],
  ['2,001 elements', 'get_budget', { collections: times(2_001, 'payees') }],
  [
    'many lists of many',
    'create_transactions',
    { transactions: times(100, { ...row, subtransactions: times(1_900, leg) }) },
  ],
  ['100,000 fields', 'list_accounts', Object.fromEntries(times(100_000, 0).map((_, at) => [`k${at}`, at]))],
  ['a text of a million characters', 'get_account', { account_id: 'x'.repeat(1_000_000) }],
  ['a name of a million characters that there is not', 'list_accounts', { ['x'.repeat(1_000_000)]: 1 }],
  ['lists in lists', 'list_accounts', { budget_id: JSON.parse('['.repeat(60_000) + ']'.repeat(60_000)) }],
];

const wrong: readonly (readonly [what: string, tool: string, args: Record<string, unknown>])[] = [
  ['2,000 wrong elements', 'get_budget', { collections: times(2_000, 'nonsense') }],
  ['1,000 rows without anything', 'create_transactions', { transactions: times(1_000, {}) }],
  [
    '49,000 wrong legs',
    'create_transactions',
    { transactions: times(25, { ...row, subtransactions: times(1_950, leg) }) },
  ],
  ['an id of 201 characters', 'get_account', { account_id: 'x'.repeat(201) }],
  ['a budget of 501 characters', 'list_accounts', { budget_id: 'x'.repeat(501) }],
];

describe('a call', () => {
  it.each([...tooMuch, ...wrong])('with %s is refused in few words', async (_, name, args) => {
    const client = await connectedClient();
    const { content, isError } = await client.callTool({ name, arguments: args });
    expect(isError).toBe(true);
    const text = JSON.stringify(content);
    expect(text).toContain('Invalid arguments');
    expect(text.length).toBeLessThan(5_000);
  });

  it('tells the first ten problems and how many more there are', async () => {
    const client = await connectedClient();
    const transactions = times(1_000, row).map((each, at) => ({
      ...each,
      date: at < 900 ? 'today' : each.date,
    }));
    const { content } = await client.callTool({ name: 'create_transactions', arguments: { transactions } });
    const text = JSON.stringify(content);
    expect(text).toMatch(/transactions\.0\.date: must be a date.*transactions\.9\.date: must be a date/);
    expect(text).not.toContain('transactions.10.');
    expect(text).toContain('and 890 more problems');
  });

  it('may have all the rows that the service takes, each split', () => {
    const transactions = times(1_000, {
      ...row,
      amount: -4,
      subtransactions: times(4, { amount: -1, category_id: 'c', memo: 'm' }),
    });
    const schema = z.object({ transactions: z.array(z.unknown()) });
    expect(validateArguments(schema, { transactions })).toEqual({ value: { transactions } });
  });
});

describe('the URI of a resource', () => {
  const keys = times(100_000, '')
    .map((_, at) => `k${at}=`)
    .join('&');
  const uris = [
    ['100,000 keys', `budget://v1/budgets?${keys}`],
    ['some hundred keys', `budget://v1/budgets?${keys.slice(0, 5_000)}`],
    ['an id of a million characters', `budget://v1/budgets/${'x'.repeat(1_000_000)}`],
    ['more than a million characters in its path', `budget://v1/budgets/b/payees/${'x'.repeat(1_100_000)}`],
  ] as const;

  it.each(uris)('with %s is refused in few words', async (_, uri) => {
    const client = await connectedClient();
    const error = await client.readResource({ uri }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32602 });
    expect(String(error).length).toBeLessThan(1_000);
  });

  it.each(uris)('with %s cannot be subscribed to', async (_, uri) => {
    const { client, clock } = await startWarm((client) => client.call(listPayees, {}));
    const { subscriptions } = createSharedState({
      client,
      clock,
      log: { error: (details) => expect.fail(String(details.err)) },
      version: '0.0.0',
      confirm: 'deletes',
    });
    const { ready } = subscriptions.subscribe(uri, () => {});
    await expect(ready).rejects.toMatchObject({ code: -32602 });
    const message = await ready.catch(String);
    expect(String(message).length).toBeLessThan(1_000);
  });
});

it('what a budget forbids is told in few words too', async () => {
  const { client, clock } = await startWarm((client) => client.call(listPayees, {}));
  const host = await hostOf({ client, clock });
  const transactions = times(1_000, { ...row, date: '2099-01-01' });
  const { content } = await host.callTool({ name: 'create_transactions', arguments: { transactions } });
  expect(JSON.stringify(content)).toContain('and 990 more problems');
});

it('a few problems are all told', () => {
  expect(listProblems(['a is missing', 'b is wrong'])).toBe('a is missing; b is wrong');
});
