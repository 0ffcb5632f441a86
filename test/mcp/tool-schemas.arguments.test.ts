/** Arguments are limited in size before they are validated, and error messages are limited too. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listProblems } from '../../src/answers/text.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { createSharedState } from '../../src/mcp/server.ts';
import { parseArguments } from '../../src/mcp/tool-schemas.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding, startWarm } from '../session/holding.helper.ts';
import { connectedClient, hostOf } from './connected.helper.ts';

const repeat = <Value>(length: number, value: Value) => Array.from({ length }, () => value);
const leg = { amount: 'much' };
const row = { account_id: 'a', date: '2026-11-20', amount: -1 };

const tooLarge: readonly (readonly [description: string, tool: string, args: JsonObject])[] = [
  ['200,000 elements', 'assign_money', { categories: repeat(200_000, 'nonsense') }],
  ['2,001 elements', 'assign_money', { categories: repeat(2_001, 'Rent') }],
  [
    'many long lists',
    'create_transactions',
    { transactions: repeat(100, { ...row, subtransactions: repeat(1_900, leg) }) },
  ],
  ['100,000 fields', 'list_accounts', Object.fromEntries(repeat(100_000, 0).map((_, at) => [`k${at}`, at]))],
  ['a text of a million characters', 'get_account', { account_id: 'x'.repeat(1_000_000) }],
  ['an unknown name of a million characters', 'list_accounts', { ['x'.repeat(1_000_000)]: 1 }],
  [
    'deeply nested lists',
    'list_accounts',
    { budget_id: JSON.parse('['.repeat(60_000) + ']'.repeat(60_000)) },
  ],
];

const invalid: readonly (readonly [description: string, tool: string, args: JsonObject])[] = [
  ['2,000 wrong elements', 'update_transaction', { transaction_id: 'a', clear: repeat(2_000, 'nonsense') }],
  ['1,000 empty rows', 'create_transactions', { transactions: repeat(1_000, {}) }],
  [
    '49,000 wrong legs',
    'create_transactions',
    { transactions: repeat(25, { ...row, subtransactions: repeat(1_950, leg) }) },
  ],
  ['an id of 501 characters', 'get_account', { account_id: 'x'.repeat(501) }],
  ['a budget of 501 characters', 'list_accounts', { budget_id: 'x'.repeat(501) }],
];

describe('the arguments of a call', () => {
  it.each([...tooLarge, ...invalid])(
    'a call with %s is refused with a short message',
    async (_, name, args) => {
      const client = await connectedClient();
      const { content, isError } = await client.callTool({ name, arguments: args });
      expect(isError).toBe(true);
      const text = JSON.stringify(content);
      expect(text).toContain('Correct the arguments');
      expect(text.length).toBeLessThan(5_000);
    },
  );

  it('the error of a call contains the first ten problems and the number of the others', async () => {
    const client = await connectedClient();
    const transactions = repeat(1_000, row).map((each, at) => ({
      ...each,
      date: at < 900 ? 'someday' : each.date,
    }));
    const { content } = await client.callTool({ name: 'create_transactions', arguments: { transactions } });
    const text = JSON.stringify(content);
    expect(text).toMatch(/transactions\.0\.date: must be a day.*transactions\.9\.date: must be a day/);
    expect(text).not.toContain('transactions.10.');
    expect(text).toContain('and 890 more problems');
  });

  it('a call may have as many rows as the service accepts, each with a split', () => {
    const transactions = repeat(1_000, {
      ...row,
      amount: -4,
      subtransactions: repeat(4, { amount: -1, category_id: 'c', memo: 'm' }),
    });
    const schema = z.object({ transactions: z.array(z.unknown()) });
    expect(parseArguments(schema, schema, { transactions })).toEqual({
      value: { transactions },
      notes: [],
    });
  });
});

describe('an unknown argument without which a write would not be what was meant', () => {
  it.each([
    ['account', 'each row of transactions has its own'],
    ['payee_name', 'each row of transactions has its own'],
    ['clear', 'each row of transactions has its own'],
    ['plan_id', 'use budget_id'],
    ['preview', 'use dry_run'],
    ['validateOnly', 'use dry_run'],
  ])('%s is refused beside the rows of a write', async (name, hint) => {
    const client = await connectedClient();
    const { content, isError } = await client.callTool({
      name: 'update_transactions',
      arguments: { transactions: [{ id: 'abcdef', amount: -1 }], [name]: 'x' },
    });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(hint);
  });

  it('a field of rows that is null or empty is ignored', () => {
    const schema = z.strictObject({ transactions: z.array(z.strictObject({ memo: z.string() })) });
    const given = { transactions: [{ memo: 'x' }], memo: null };
    expect(parseArguments(schema, schema, given)).toMatchObject({ notes: [] });
  });
});

describe('a payee that is given by id and by name', () => {
  const twice = { payee_id: 'Corner Bakery', payee_name: 'Baker' };
  const writes: readonly (readonly [where: string, tool: string, args: (payee: JsonObject) => JsonObject])[] =
    [
      ['transactions.0.', 'create_transactions', (payee) => ({ transactions: [{ ...row, ...payee }] })],
      [
        'transactions.1.subtransactions.0.',
        'create_transactions',
        (payee) => ({ transactions: [row, { ...row, subtransactions: [{ amount: -1, ...payee }] }] }),
      ],
      ['transactions.0.', 'update_transactions', (payee) => ({ transactions: [{ id: 'a', ...payee }] })],
      ['', 'update_transaction', (payee) => ({ transaction_id: 'a', ...payee })],
      ['', 'create_scheduled_transaction', (payee) => ({ ...row, ...payee })],
      [
        '',
        'update_scheduled_transaction',
        (payee) => ({ ...row, scheduled_transaction_id: 'a', amount: -1, ...payee }),
      ],
    ];

  it.each(writes)(
    'a payee_id with another payee_name at "%s" of %s is refused without a request',
    async (where, name, args) => {
      const { client, clock, asked } = await startHolding();
      const host = await hostOf({ client, clock });
      const { content, isError } = await host.callTool({ name, arguments: args(twice) });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain(
        `This call changed nothing. ${where}payee_name: there is a payee_id too, give one of them.`,
      );
      expect(asked()).toEqual([]);
    },
  );

  it('the same text in both is the name of the payee', async () => {
    const { client, clock, ledger } = await startHolding();
    const host = await hostOf({ client, clock });
    const [payee] = ledger.payees().filter(({ transfer_account_id }) => transfer_account_id === null);
    const name = payee?.name ?? expect.unreachable();
    const transactions = [{ ...row, account_id: 'Wallet', memo: 'Proof', payee_id: name, payee_name: name }];
    const { isError } = await host.callTool({ name: 'create_transactions', arguments: { transactions } });
    expect(isError ?? false).toBe(false);
    const written = ledger.transactions(undefined).find(({ memo }) => memo === 'Proof');
    expect(written?.payee_id).toBe(payee?.id);
  });
});

describe('the URI of a resource', () => {
  const keys = repeat(100_000, '')
    .map((_, at) => `k${at}=`)
    .join('&');
  const uris = [
    ['100,000 keys', `budget://v1/budgets?${keys}`],
    ['some hundred keys', `budget://v1/budgets?${keys.slice(0, 5_000)}`],
    ['an id of a million characters', `budget://v1/budgets/${'x'.repeat(1_000_000)}`],
    ['more than a million characters in its path', `budget://v1/budgets/b/payees/${'x'.repeat(1_100_000)}`],
  ] as const;

  it.each(uris)('a read of a URI with %s is refused with a short message', async (_, uri) => {
    const client = await connectedClient();
    const error = await client.readResource({ uri }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32602 });
    expect(String(error).length).toBeLessThan(1_000);
  });

  it.each(uris)('a subscription to a URI with %s is refused with a short message', async (_, uri) => {
    const { client, clock } = await startWarm((client) => callOperation(client, listPayees, {}));
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

it('the error about rows that depend on the date is limited to ten problems too', async () => {
  const { client, clock } = await startWarm((client) => callOperation(client, listPayees, {}));
  const host = await hostOf({ client, clock });
  const transactions = repeat(1_000, { ...row, date: '2099-01-01' });
  const { content } = await host.callTool({ name: 'create_transactions', arguments: { transactions } });
  expect(JSON.stringify(content)).toContain('and 990 more problems');
});

it('a list of few problems contains all of them', () => {
  expect(listProblems(['a is missing', 'b is wrong'])).toBe('a is missing; b is wrong');
});
