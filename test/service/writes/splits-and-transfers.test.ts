import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const putRefused = (id: string, said: unknown) =>
  budget.refusal('PUT', `/transactions/${id}`, { transaction: said });

describe('a transfer', () => {
  test('is made by the transfer payee of an account: a transaction on both sides', async () => {
    const here = await budget.create({ payee_id: budget.transferTo('Savings') });
    const there = await budget.read(here.transfer_transaction_id ?? '');
    expect(here).toMatchObject({
      payee_name: 'Transfer : Savings',
      transfer_account_id: budget.account('Savings'),
    });
    expect(there).toMatchObject({
      account_name: 'Savings',
      amount: 10_000,
      transfer_account_id: budget.account('Checking'),
      transfer_transaction_id: here.id,
    });
    budget.expectBalanced();
  });

  test('cannot go to the account that it comes from', async () => {
    expect(await budget.refused({ payee_id: budget.transferTo('Checking') })).toBe(
      '400 payee_id must not transfer to the account of the transaction itself (index: 0)',
    );
  });
});

describe('a split', () => {
  const legs = (budget: Budget) => [
    { amount: -7_000, category_id: budget.category('Fun 1'), memo: 'cake', payee_name: 'Confectioner' },
    { amount: -3_000, payee_id: budget.transferTo('Savings') },
  ];

  test('has legs with their own payee, category and memo; a leg may be a transfer', async () => {
    const whole = await budget.create({ category_id: null, subtransactions: legs(budget) });
    expect(whole).toMatchObject({ category_name: 'Split', amount: -10_000 });
    expect(whole.subtransactions).toMatchObject([
      { amount: -7_000, category_name: 'Fun 1', memo: 'cake', payee_name: 'Confectioner' },
      { amount: -3_000, transfer_account_id: budget.account('Savings') },
    ]);
    expect(budget.balance('Savings')).toBe(3_000);
    budget.expectBalanced();
  });

  test('must add up to the amount', async () => {
    expect(await budget.refused({ amount: -10_001, subtransactions: legs(budget) })).toBe(
      '400 subtransactions must add up to the amount (index: 0)',
    );
  });

  test.each([
    [{ amount: undefined }, 'subtransactions[0].amount is required'],
    [{ amount: 0.1 }, 'subtransactions[0].amount must be an integer in milliunits'],
    [{ memo: 'x'.repeat(501) }, 'subtransactions[0].memo is too long (maximum is 500 characters)'],
    [
      { payee_name: 'x'.repeat(201) },
      'subtransactions[0].payee_name is too long (maximum is 200 characters)',
    ],
    [{ category_id: UNKNOWN }, 'subtransactions[0].category_id does not exist'],
    [{ payee_id: UNKNOWN }, 'subtransactions[0].payee_id does not exist'],
    [
      { payee_name: 'Transfer : Savings' },
      "subtransactions[0].payee_name must not begin with 'Transfer : ', which is a name of the service's own",
    ],
  ])('is 400 with a leg of %o', async (said, problem) => {
    const subtransactions = [{ amount: -10_000, ...said }];
    expect(await budget.refused({ subtransactions })).toBe(`400 ${problem} (index: 0)`);
  });

  test('cannot transfer as a whole, nor a leg to its own account', async () => {
    const transfer = { payee_id: budget.transferTo('Savings'), subtransactions: legs(budget) };
    expect(await budget.refused(transfer)).toMatch(
      /^400 payee_id must not transfer to an account when there are/,
    );
    const own = [{ amount: -10_000, payee_id: budget.transferTo('Checking') }];
    expect(await budget.refused({ subtransactions: own })).toMatch(
      /^400 subtransactions\[0\]\.payee_id must not transfer to the account of the transaction itself/,
    );
  });

  test('is none with an empty list of legs', async () => {
    const said = { subtransactions: [], category_id: budget.category('Fun 1') };
    expect(await budget.create(said)).toMatchObject({ category_name: 'Fun 1', subtransactions: [] });
  });
});

describe('an update of a split', () => {
  const split = () =>
    budget.create({
      payee_name: 'Baker',
      subtransactions: [
        { amount: -7_000, category_id: budget.category('Fun 1') },
        { amount: -3_000, payee_id: budget.transferTo('Savings') },
      ],
    });

  test('ignores date, amount, category_id and subtransactions, and changes the rest', async () => {
    const before = await split();
    const said = {
      date: '2030-01-01',
      amount: -1,
      category_id: budget.category('Fun 2'),
      subtransactions: [{ amount: -1 }],
    };
    const after = await budget.update(before.id, { ...said, memo: 'kept', cleared: 'cleared' });
    expect(after).toEqual({ ...before, memo: 'kept', cleared: 'cleared' });
  });

  test('turns a plain transaction into a split, and a transfer too, whose other side goes', async () => {
    const { id } = await budget.create({ category_id: budget.category('Fun 2') });
    const legs = [{ amount: -4_000, category_id: budget.category('Fun 1') }, { amount: -6_000 }];
    const whole = await budget.update(id, { category_id: null, subtransactions: legs });
    expect(whole).toMatchObject({ category_name: 'Split', subtransactions: legs });
    expect(await putRefused((await budget.create()).id, { amount: -1, subtransactions: legs })).toBe(
      '400 subtransactions must add up to the amount (index: 0)',
    );
    const transfer = await budget.create({ payee_id: budget.transferTo('Savings') });
    expect(await budget.update(transfer.id, { subtransactions: legs })).toMatchObject({
      transfer_account_id: null,
      payee_id: null,
    });
    expect(await budget.read(transfer.transfer_transaction_id ?? '')).toBeUndefined();
    budget.expectBalanced();
  });

  test('does not move it to the account that a leg transfers to', async () => {
    const { id } = await split();
    expect(await putRefused(id, { account_id: budget.account('Savings') })).toBe(
      '400 account_id must not be the account that the transaction transfers to (index: 0)',
    );
  });

  test('on the other side of a leg ignores what follows from the split', async () => {
    const other = (await split()).subtransactions[1]?.transfer_transaction_id ?? '';
    const before = await budget.read(other);
    const said = { amount: 1, date: '2026-01-01', account_id: budget.account('Card'), payee_id: null };
    expect(await budget.update(other, { ...said, memo: 'saved' })).toEqual({ ...before, memo: 'saved' });
    budget.expectBalanced();
  });
});

describe('an update of a transfer', () => {
  test('keeps both sides in step, makes them and removes them', async () => {
    const { id } = await budget.create();
    const here = await budget.update(id, { payee_id: budget.transferTo('Savings') });
    const other = here.transfer_transaction_id ?? '';
    await budget.update(other, { amount: 2_500, date: '2026-01-02' });
    expect(await budget.read(id)).toMatchObject({ amount: -2_500, date: '2026-01-02' });
    await budget.update(id, { payee_id: budget.transferTo('Card') });
    expect(await budget.read(other)).toMatchObject({ account_name: 'Card' });
    await budget.update(id, { payee_name: 'Baker' });
    expect(await budget.read(other)).toBeUndefined();
    budget.expectBalanced();
  });

  test('does not move it to the account on its other side', async () => {
    const { id } = await budget.create({ payee_id: budget.transferTo('Savings') });
    expect(await putRefused(id, { account_id: budget.account('Savings') })).toBe(
      '400 account_id must not be the account that the transaction transfers to (index: 0)',
    );
  });
});
