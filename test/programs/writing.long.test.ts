import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eras, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';

const idSchema = z.object({ id: z.string() });

/** The id in the result of a write. */
const idOf = (structured: Record<string, unknown>, key = 'transaction') => idSchema.parse(structured[key]).id;
const idsOf = (structured: Record<string, unknown>) =>
  z.array(z.string()).parse(structured['transaction_ids']);

describe.each(eras)('writing, by a host that speaks %s', (_, connect) => {
  let home: Household;
  let host: Host;
  beforeAll(async () => {
    home = await Household.start();
    host = await connect({ args: [], env: home.env(), person: () => 'accept' });
  });
  afterAll(async () => {
    await host.close();
    await home.close();
  });

  /** Calls a tool that must succeed. The client checks the structured content against the tool's schema. */
  async function write(name: string, args: Record<string, unknown>) {
    const called = await host.call(name, args);
    expect(called.text).toContain('As of ');
    expect(called.isError, called.text).toBe(false);
    return called;
  }

  async function log(...transactions: Record<string, unknown>[]) {
    const { id } = await home.account('Checking');
    return write('create_transactions', {
      transactions: transactions.map((each) => ({ account_id: id, date: home.today, ...each })),
    });
  }

  test('a transaction is logged, account and category change by its amount, and the answer shows it', async () => {
    const [checking, groceries] = [await home.account('Checking'), await home.category('Groceries')];
    const { structured, text } = await log({
      amount: -4.5,
      payee_name: 'Corner Bakery',
      category_id: groceries.id,
      memo: 'Bread',
    });
    expect(await home.transaction(idOf(structured))).toMatchObject({
      amount: -4_500,
      payee_name: 'Corner Bakery',
      category_id: groceries.id,
      memo: 'Bread',
      account_id: checking.id,
      import_id: null,
    });
    expect((await home.account('Checking')).balance).toBe(checking.balance - 4_500);
    expect((await home.category('Groceries')).balance).toBe(groceries.balance - 4_500);
    expect(structured).toMatchObject({
      outcome: 'written',
      transaction_ids: [idOf(structured)],
      transaction: { amount: -4.5, payee_name: 'Corner Bakery' },
      balances: {
        accounts: [{ name: 'Checking', balance: (checking.balance - 4_500) / 1000 }],
        categories: expect.arrayContaining([
          { id: groceries.id, name: 'Groceries', balance: (groceries.balance - 4_500) / 1000 },
        ]),
      },
    });
    expect(structured).not.toHaveProperty('ignored');
    expect(text).toMatch(/^Written\.$/m);
    expect(text).toMatch(/^Account "Checking" has [\d.]+ now\.$/m);
    expect(text).toMatch(/^Category "Groceries" has -?[\d.]+ left this month\.$/m);
  });

  test('two equal coffees are two transactions, and neither is reported as a duplicate', async () => {
    const coffee = { amount: -2.8, payee_name: 'Noodle Lantern' };
    const [first, second] = [await log(coffee), await log(coffee)];
    expect(idOf(first.structured)).not.toBe(idOf(second.structured));
    expect(second.structured).not.toHaveProperty('possible_duplicates');
    const both = await log(coffee, coffee);
    expect(new Set(idsOf(both.structured)).size).toBe(2);
    expect(both.structured).not.toHaveProperty('possible_duplicates');
  });

  test('rounding errors of a sum of decimals are not written', async () => {
    const { structured } = await log({ amount: 0.1 + 0.2 });
    expect(structured).toMatchObject({ transaction: { amount: 0.3 } });
    expect(await home.transaction(idOf(structured))).toMatchObject({ amount: 300 });
  });

  test('a transfer is written on both sides', async () => {
    const savings = await home.account('Savings');
    const { structured } = await log({ amount: -20, payee_id: savings.transfer_payee_id });
    expect((await home.account('Savings')).balance).toBe(savings.balance + 20_000);
    const accounts = [
      expect.objectContaining({ name: 'Checking' }),
      expect.objectContaining({ name: 'Savings' }),
    ];
    expect(structured).toMatchObject({ balances: { accounts } });
  });

  test('a category that the service ignores in a transfer is named as ignored', async () => {
    const savings = await home.account('Savings');
    const groceries = await home.category('Groceries');
    const { structured, text } = await log({
      amount: -1,
      payee_id: savings.transfer_payee_id,
      category_id: groceries.id,
    });
    expect(structured['ignored']).toEqual(['transactions.0.category_id']);
    expect(text).toContain('The service ignored: transactions.0.category_id.');
  });

  test('a transaction with a known import_id is a conflict; among several it is skipped and named', async () => {
    const bread = { amount: -3, import_id: `bread:1` };
    await log(bread);
    const before = await home.knowledge();
    const { id } = await home.account('Checking');
    const again = { transactions: [{ account_id: id, date: home.today, ...bread }] };
    const refused = await host.call('create_transactions', again);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/409 conflict.*import_id/);
    expect(await home.knowledge()).toBe(before);

    const { structured, text } = await log(bread, { amount: -1 });
    expect(structured).toMatchObject({ duplicate_import_ids: ['bread:1'], transactions: [{ amount: -1 }] });
    expect(idsOf(structured)).toHaveLength(1);
    expect(text).toContain('Not created again, since the account has their import_id: "bread:1".');

    const none = await log(bread, bread);
    expect(none.text).toMatch(/^There was nothing new to write\.$/m);
  });

  test('a split is written with its legs, and an update names the fields that it ignores', async () => {
    const [groceries, hobbies] = [await home.category('Groceries'), await home.category('Hobbies')];
    const split = await log({
      amount: -0.3,
      subtransactions: [
        { amount: -0.1, category_id: groceries.id },
        { amount: -0.2, category_id: hobbies.id, memo: 'Strings' },
      ],
    });
    const id = idOf(split.structured);
    expect(await home.transaction(id)).toMatchObject({
      amount: -300,
      subtransactions: [
        { amount: -100, category_id: groceries.id },
        { amount: -200, category_id: hobbies.id, memo: 'Strings' },
      ],
    });

    const changes = { date: '2026-01-31', amount: -9, memo: 'Kept' };
    const { structured, text } = await write('update_transaction', { transaction_id: id, ...changes });
    expect(structured['ignored']).toEqual(['date', 'amount']);
    expect(text).toContain('The service ignored: date, amount.');
    expect(await home.transaction(id)).toMatchObject({ date: home.today, amount: -300, memo: 'Kept' });

    const many = await write('update_transactions', { transactions: [{ id, date: '2026-01-31' }] });
    expect(many.structured['ignored']).toEqual(['transactions.0.date']);
  });

  test('an update changes only the given fields of a transaction', async () => {
    const groceries = await home.category('Groceries');
    const id = idOf((await log({ amount: -7, memo: 'As it was', category_id: groceries.id })).structured);
    const { balance } = await home.account('Checking');
    const { structured } = await write('update_transaction', {
      transaction_id: id,
      amount: -8.25,
      clear: ['category'],
    });
    expect(structured).toMatchObject({
      outcome: 'written',
      transaction: { amount: -8.25, category_id: null },
    });
    expect(await home.transaction(id)).toMatchObject({
      amount: -8_250,
      category_id: null,
      memo: 'As it was',
    });
    expect((await home.account('Checking')).balance).toBe(balance - 1_250);
  });

  test('several transactions are changed at once, by id and by import_id', async () => {
    const { structured } = await log({ amount: -1 }, { amount: -2, import_id: 'two:2' });
    const [one = '', two = ''] = idsOf(structured);
    const updated = await write('update_transactions', {
      transactions: [
        { id: one, memo: 'One' },
        { import_id: 'two:2', approved: true, flag_color: 'blue' },
      ],
    });
    expect(idsOf(updated.structured).toSorted()).toEqual([one, two].toSorted());
    expect(await home.transaction(one)).toMatchObject({ memo: 'One', amount: -1_000 });
    expect(await home.transaction(two)).toMatchObject({ approved: true, flag_color: 'blue' });
  });

  test('a deleted transaction is removed, and of a transfer both sides', async () => {
    const savings = await home.account('Savings');
    const { structured } = await log({ amount: -20, payee_id: savings.transfer_payee_id });
    const transfer = z
      .object({ transaction: z.object({ id: z.string(), transfer_transaction_id: z.string() }) })
      .parse(structured).transaction;
    const deleted = await write('delete_transaction', { transaction_id: transfer.id });
    expect(deleted.structured).toMatchObject({
      outcome: 'written',
      transaction: { deleted: true, amount: -20 },
    });
    expect(await home.transaction(transfer.id)).toBeUndefined();
    expect(await home.transaction(transfer.transfer_transaction_id)).toBeUndefined();
    expect((await home.account('Savings')).balance).toBe(savings.balance);
  });

  test('an import adds the rows of the bank, and a second import adds nothing', async () => {
    const first = await write('import_transactions', {});
    const ids = idsOf(first.structured);
    expect(ids).not.toHaveLength(0);
    for (const id of ids) {
      expect(await home.transaction(id)).toMatchObject({ cleared: 'cleared', approved: false });
      expect(first.text).toMatch(new RegExp(`account "Checking".*${id.slice(0, 6)}`));
    }
    const second = await write('import_transactions', {});
    expect(idsOf(second.structured)).toEqual([]);
    expect(second.text).toMatch(/^There was nothing new to write\.$/m);
  });
});
