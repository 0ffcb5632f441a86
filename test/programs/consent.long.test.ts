import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { dateOf, systemClock } from '../../src/base/clock.ts';
import { operations } from '../../src/operations/index.ts';
import { connectModern, eras, type Host, type Person } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { exampleOf, someIds } from '../ids.helper.ts';

/** `current` is resolved before anything is sent. */
const withThisMonth = (input: Record<string, unknown>) =>
  input['month'] === 'current' ? { ...input, month: `${dateOf(systemClock.now()).slice(0, 7)}-01` } : input;

const asking = z.object({ resultType: z.literal('input_required'), requestState: z.string() });

const writes = operations.filter(({ kind }) => kind !== 'read');

let home: Household;
beforeAll(async () => {
  home = await Household.start();
});
afterAll(() => home.close());

/** Adds a transaction to the budget without the server. */
async function someTransaction(memo = 'To be deleted'): Promise<string> {
  const { id } = await home.account('Checking');
  const transaction = {
    account_id: id,
    date: home.today,
    amount: -12_340,
    payee_name: 'Corner Bakery',
    memo,
  };
  const data = await home.write('POST', 'transactions', { transaction });
  return z.object({ transaction: z.object({ id: z.string() }) }).parse(data).transaction.id;
}

describe.each(eras)('a host that can ask, speaking %s', (_, connect) => {
  let answer: ReturnType<Person>;
  /** Used instead of `answer`: changes something while the question is shown. */
  let change: (() => ReturnType<Person>) | undefined;
  let questions: string[];
  let host: Host;
  const start = (...args: string[]) =>
    connect({
      args,
      env: home.env(),
      person: (question) => {
        questions.push(question);
        return change?.() ?? answer;
      },
    });
  beforeEach(() => {
    answer = 'accept';
    change = undefined;
    questions = [];
  });

  describe('by default', () => {
    beforeAll(async () => {
      host = await start();
    });
    afterAll(() => host.close());

    test('by default the server asks before it deletes, and names what it deletes', async () => {
      const transaction_id = await someTransaction('Bread');
      const { balance } = await home.account('Checking');
      const { isError } = await host.call('delete_transaction', { transaction_id });
      expect(isError).toBe(false);
      expect(await home.transaction(transaction_id)).toBeUndefined();
      expect((await home.account('Checking')).balance).toBe(balance + 12_340);
      expect(questions).toHaveLength(1);
      expect(questions[0]).toMatch(/^Delete transaction in "Household"\?\n/);
      expect(questions[0]).toContain('-12,34€ · "Corner Bakery" · memo "Bread" · account "Checking"');
      expect(questions[0]).toMatch(/^Account "Checking": now [\d.,]+€, afterwards [\d.,]+€\.$/m);
      expect(questions[0], 'ids mean nothing to a person').not.toMatch(/[0-9a-f]{8}-/);
    });

    test.each(['decline', 'cancel'] as const)(
      'nothing is deleted if the user answers %s',
      async (refusal) => {
        const transaction_id = await someTransaction();
        const knowledge = await home.knowledge();
        answer = refusal;
        const { isError, text } = await host.call('delete_transaction', { transaction_id });
        expect(isError).toBe(true);
        expect(text).toContain(
          'Ask the user in the chat before trying it again. For unattended use the user can start the server with --confirm none.',
        );
        expect(questions).toHaveLength(1);
        expect(await home.knowledge()).toBe(knowledge);
      },
    );

    test('the server asks again if the entry changes during the question, and shows the new entry', async () => {
      const transaction_id = await someTransaction('worth a cent');
      change = async () => {
        change = undefined;
        await home.patch(transaction_id, { memo: 'the rent', amount: -5_000_000 });
        answer = 'decline';
        return 'accept' as const;
      };
      const { isError, text } = await host.call('delete_transaction', { transaction_id });
      expect(isError).toBe(true);
      expect(text).toMatch(/^This call changed nothing\. The host answered "decline"\./);
      expect(questions).toEqual([
        expect.stringContaining('"worth a cent"'),
        expect.stringMatching(/^This has changed since the last question\.\n.*\n-?.*"the rent"/),
      ]);
      expect(await home.transaction(transaction_id)).toMatchObject({ amount: -5_000_000 });
    });

    test('the server asks although the model sets confirm: true, because the user has to decide', async () => {
      const transaction_id = await someTransaction();
      answer = 'decline';
      const { isError } = await host.call('delete_transaction', { transaction_id, confirm: true });
      expect(isError).toBe(true);
      expect(questions).toHaveLength(1);
      expect(await home.transaction(transaction_id)).toBeDefined();
    });

    test('the server asks before it deletes a scheduled transaction', async () => {
      const { scheduled_transaction_id } = await someIds(home.service);
      answer = 'decline';
      const { isError } = await host.call('delete_scheduled_transaction', { scheduled_transaction_id });
      expect(isError).toBe(true);
      expect(questions).toEqual([
        expect.stringMatching(/^Delete scheduled transaction in "Household"\?\nnext /),
      ]);
      expect(await home.get(`scheduled_transactions/${scheduled_transaction_id}`)).toBeDefined();
    });

    test('the server does not ask about an entry that does not exist', async () => {
      const transaction_id = '00000000-0000-4000-8000-000000000000';
      const { isError, text } = await host.call('delete_transaction', { transaction_id });
      expect(isError).toBe(true);
      expect(text).toContain(transaction_id);
      expect(questions).toEqual([]);
    });

    test('by default the server does not ask about other writes', async () => {
      const { id } = await home.category('Groceries');
      await host.call('update_category', { category_id: id, note: 'Markets' });
      expect(await home.category('Groceries')).toMatchObject({ note: 'Markets' });
      expect(questions).toEqual([]);
    });
  });

  describe('with --confirm', () => {
    afterEach(() => host.close());

    test('with --confirm none the server never asks', async () => {
      host = await start('--confirm', 'none');
      const transaction_id = await someTransaction();
      expect((await host.call('delete_transaction', { transaction_id })).isError).toBe(false);
      expect(await home.transaction(transaction_id)).toBeUndefined();
      expect(questions).toEqual([]);
    });

    test('with --confirm writes the server asks about every write and shows what it would write', async () => {
      host = await start('--confirm', 'writes');
      const [checking, groceries] = [await home.account('Checking'), await home.category('Groceries')];
      const bread = { account_id: checking.id, date: home.today, amount: -4.5, payee_name: 'Corner Bakery' };
      const args = { transactions: [{ ...bread, category_id: groceries.id }] };
      answer = 'decline';
      const knowledge = await home.knowledge();
      expect((await host.call('create_transactions', args)).isError).toBe(true);
      expect(await home.knowledge()).toBe(knowledge);
      expect(questions).toHaveLength(1);
      expect(questions[0]?.split('\n')).toEqual([
        'Create transactions in "Household"?',
        `account "Checking" · date ${home.today} · amount -4,50€ · payee name "Corner Bakery" · category "Groceries"`,
        expect.stringMatching(/^Account "Checking": .*afterwards .*\.$/),
        expect.stringMatching(/^Category "Groceries": .*afterwards .*\.$/),
      ]);

      answer = 'accept';
      expect((await host.call('create_transactions', args)).isError).toBe(false);
      expect((await home.account('Checking')).balance).toBe(checking.balance - 4_500);
      const { id } = await home.category('Groceries');
      await host.call('update_month_category', { month: 'current', category_id: id, budgeted: 500 });
      expect(questions.at(-1)).toMatch(/^Budget a month's category in "Household"\?\n"Groceries" /);
      expect(questions.at(-1)).toMatch(/Change: month \d{4}-\d{2}-01 · budgeted 500,00€/);
      expect(questions).toHaveLength(3);
    });

    test('with --confirm writes the questions contain names instead of ids', async () => {
      host = await start('--confirm', 'writes');
      answer = 'decline';
      const savings = await home.account('Savings');
      const transaction_id = await someTransaction('Bread');
      const ids = { ...(await someIds(home.service)), transaction_id };
      for (const operation of writes) await host.call(operation.name, exampleOf(operation, ids));
      expect(questions.map((question) => question.split(' in "Household"?')[0])).toEqual(
        writes.map(({ title }) => title),
      );
      const transactions = [{ id: transaction_id, payee_id: savings.transfer_payee_id }];
      await host.call('update_transactions', { transactions });
      expect(questions.at(-1)).toContain(
        `\n${home.today} · -12,34€ · "Corner Bakery": transfer to "Savings"\n`,
      );
      expect(questions.join('\n\n')).not.toMatch(/[0-9a-f]{8}-/);
    });
  });
});

describe.each(eras)('a host that cannot ask, speaking %s', (_, connect) => {
  let host: Host;
  beforeAll(async () => {
    host = await connect({ args: [], env: home.env() });
  });
  afterAll(() => host.close());

  test('a host that cannot ask has to set confirm: true to delete, and gets a description of what it deletes', async () => {
    const transaction_id = await someTransaction('Bread');
    const knowledge = await home.knowledge();
    const refused = await host.call('delete_transaction', { transaction_id });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(
      /^This call changed nothing\. This needs the agreement of the user, and this host cannot ask for it\.\nDelete transaction in "Household"\?\n.*"Corner Bakery"/,
    );
    expect(refused.text).toMatch(/call again with .*confirm: true.*--confirm none/);
    expect(await home.knowledge()).toBe(knowledge);

    expect((await host.call('delete_transaction', { transaction_id, confirm: false })).isError).toBe(true);
    expect(await home.knowledge()).toBe(knowledge);

    expect((await host.call('delete_transaction', { transaction_id, confirm: true })).isError).toBe(false);
    expect(await home.transaction(transaction_id)).toBeUndefined();
  });

  test('a first call with confirm: true gets the question as its answer', async () => {
    const transaction_id = await someTransaction('Bread');
    const knowledge = await home.knowledge();
    const { isError, text } = await host.call('delete_transaction', { transaction_id, confirm: true });
    expect(isError).toBe(true);
    expect(text).toMatch(/\nDelete transaction in "Household"\?\n.*"Bread"/);
    expect(await home.knowledge()).toBe(knowledge);
  });

  test('a host that cannot ask has to set confirm: true to change more than 20 rows', async () => {
    const { id } = await home.account('Checking');
    const row = { account_id: id, date: home.today, amount: -0.01 };
    const args = { transactions: Array.from({ length: 21 }, () => row) };
    const knowledge = await home.knowledge();
    expect((await host.call('create_transactions', args)).text).toContain('… and 11 more rows.');
    expect(await home.knowledge()).toBe(knowledge);
    const { structured } = await host.call('create_transactions', { ...args, confirm: true });
    expect(structured['transaction_ids']).toHaveLength(21);
  });

  test('a host that cannot ask makes all other writes without confirm', async () => {
    const { id } = await home.category('Groceries');
    expect((await host.call('update_category', { category_id: id, note: 'x' })).isError).toBe(false);
  });

  test.each(writes.map((operation) => [operation.name, operation] as const))(
    'a dry run of %s shows what the write would do, and nothing is sent',
    async (name, operation) => {
      const ids = await someIds(home.service);
      const before = await home.knowledge();
      const { structured, text, isError } = await host.call(name, {
        ...exampleOf(operation, ids),
        dry_run: true,
      });
      expect(isError, text).toBe(false);
      expect(structured).toMatchObject({
        outcome: 'dry_run',
        would_send: { route: operation.route, input: withThisMonth(exampleOf(operation, ids)) },
      });
      expect(structured).not.toHaveProperty('problems');
      expect(text).toMatch(/^Dry run: this call wrote nothing\./m);
      expect(text, 'it repeats the input of the model').not.toContain('would_send');
      expect(await home.knowledge()).toBe(before);
    },
  );

  test('a dry run shows the balances that the write then causes', async () => {
    const [checking, groceries] = [await home.account('Checking'), await home.category('Groceries')];
    const args = {
      transactions: [{ account_id: checking.id, date: home.today, amount: -4.5, category_id: groceries.id }],
    };
    const { structured, text } = await host.call('create_transactions', { ...args, dry_run: true });
    expect(text).toMatch(/^Account "Checking": now [\d.]+, afterwards [\d.]+\.$/m);
    await host.call('create_transactions', args);
    expect(structured['balances']).toEqual({
      accounts: [
        { id: checking.id, name: 'Checking', balance: (await home.account('Checking')).balance / 1000 },
      ],
      categories: [
        { id: groceries.id, name: 'Groceries', balance: (await home.category('Groceries')).balance / 1000 },
      ],
    });
  });

  test('a dry run shows why the write would be refused', async () => {
    const account_id = '00000000-0000-4000-8000-000000000000';
    const args = { transactions: [{ account_id, date: home.today, amount: -4.5 }], dry_run: true };
    const { structured, text } = await host.call('create_transactions', args);
    expect(text).toContain(
      `It would be refused: transactions.0.account_id: there is no account ${account_id}.`,
    );
    expect(structured['problems']).toEqual([`transactions.0.account_id: there is no account ${account_id}`]);
  });
});

test('a host of the newer era that accepts a question that was not asked deletes nothing', async () => {
  const host = await connectModern({ args: [], env: home.env(), person: () => 'decline' });
  onTestFinished(() => host.close());
  const { client } = host;
  const [a, b] = [await someTransaction('A'), await someTransaction('B')];
  const inputResponses = { confirmation: { action: 'accept' } };
  const send = async (transaction_id: string, retry: object) => {
    const params = { name: 'delete_transaction', arguments: { transaction_id }, ...retry };
    const request = { method: 'tools/call', params };
    return client.request(request, asking, { allowInputRequired: true });
  };
  await send(a, { inputResponses });
  expect(await home.transaction(a)).toBeDefined();
  const { requestState } = await send(a, {});
  expect((await send(b, { inputResponses, requestState })).resultType).toBe('input_required');
  expect(await home.transaction(b)).toBeDefined();
  expect(await home.transaction(a)).toBeDefined();
});
