import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Budget, startWritingService, UNKNOWN, type WritingService } from './writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const putRefused = (id: string, fields: unknown) =>
  budget.refusal('PUT', `/transactions/${id}`, { transaction: fields });

describe('transfers', () => {
  test('a transaction with the transfer payee of an account creates a transaction in both accounts', async () => {
    const fromSide = await budget.create({ payee_id: budget.transferTo('Savings') });
    const toSide = await budget.read(fromSide.transfer_transaction_id ?? '');
    expect(fromSide).toMatchObject({
      payee_name: 'Transfer : Savings',
      transfer_account_id: budget.account('Savings'),
    });
    expect(toSide).toMatchObject({
      account_name: 'Savings',
      amount: 10_000,
      transfer_account_id: budget.account('Checking'),
      transfer_transaction_id: fromSide.id,
    });
    budget.expectBalanced();
  });

  test('a transfer to the same account gets 400', async () => {
    expect(await budget.createRefused({ payee_id: budget.transferTo('Checking') })).toBe(
      '400 payee_id must not transfer to the account of the transaction itself (index: 0)',
    );
  });
});

describe('splits', () => {
  const legs = (budget: Budget) => [
    { amount: -7_000, category_id: budget.category('Fun 1'), memo: 'cake', payee_name: 'Confectioner' },
    { amount: -3_000, payee_id: budget.transferTo('Savings') },
  ];

  test('each leg of a split has its own payee, category and memo, and can be a transfer', async () => {
    const split = await budget.create({ category_id: null, subtransactions: legs(budget) });
    expect(split).toMatchObject({ category_name: 'Split', amount: -10_000 });
    expect(split.subtransactions).toMatchObject([
      { amount: -7_000, category_name: 'Fun 1', memo: 'cake', payee_name: 'Confectioner' },
      { amount: -3_000, transfer_account_id: budget.account('Savings') },
    ]);
    expect(budget.balance('Savings')).toBe(3_000);
    budget.expectBalanced();
  });

  test('the legs of a split must add up to its amount', async () => {
    expect(await budget.createRefused({ amount: -10_001, subtransactions: legs(budget) })).toBe(
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
  ])('a split gets 400 with a leg of %o', async (fields, problem) => {
    const subtransactions = [{ amount: -10_000, ...fields }];
    expect(await budget.createRefused({ subtransactions })).toBe(`400 ${problem} (index: 0)`);
  });

  test('a split cannot be a transfer itself, and its leg cannot transfer to the same account', async () => {
    const transfer = { payee_id: budget.transferTo('Savings'), subtransactions: legs(budget) };
    expect(await budget.createRefused(transfer)).toMatch(
      /^400 payee_id must not transfer to an account when there are/,
    );
    const legsToSameAccount = [{ amount: -10_000, payee_id: budget.transferTo('Checking') }];
    expect(await budget.createRefused({ subtransactions: legsToSameAccount })).toMatch(
      /^400 subtransactions\[0\]\.payee_id must not transfer to the account of the transaction itself/,
    );
  });

  test('an empty list of legs means no split', async () => {
    const fields = { subtransactions: [], category_id: budget.category('Fun 1') };
    expect(await budget.create(fields)).toMatchObject({ category_name: 'Fun 1', subtransactions: [] });
  });
});

describe('updates of splits', () => {
  const split = () =>
    budget.create({
      payee_name: 'Baker',
      subtransactions: [
        { amount: -7_000, category_id: budget.category('Fun 1') },
        { amount: -3_000, payee_id: budget.transferTo('Savings') },
      ],
    });

  test('an update of a split ignores date, amount, category_id and subtransactions, and changes the rest', async () => {
    const before = await split();
    const fields = {
      date: '2030-01-01',
      amount: -1,
      category_id: budget.category('Fun 2'),
      subtransactions: [{ amount: -1 }],
    };
    const after = await budget.update(before.id, { ...fields, memo: 'kept', cleared: 'cleared' });
    expect(after).toEqual({ ...before, memo: 'kept', cleared: 'cleared' });
  });

  test('an update can turn a transaction into a split, and a transfer too, whose other side is removed', async () => {
    const { id } = await budget.create({ category_id: budget.category('Fun 2') });
    const legs = [{ amount: -4_000, category_id: budget.category('Fun 1') }, { amount: -6_000 }];
    const split = await budget.update(id, { category_id: null, subtransactions: legs });
    expect(split).toMatchObject({ category_name: 'Split', subtransactions: legs });
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

  test('a split cannot be moved to the account that a leg transfers to', async () => {
    const { id } = await split();
    expect(await putRefused(id, { account_id: budget.account('Savings') })).toBe(
      '400 account_id must not be the account that the transaction transfers to (index: 0)',
    );
  });

  test('an update of the other side of a leg ignores the fields that the split determines', async () => {
    const otherSide = (await split()).subtransactions[1]?.transfer_transaction_id ?? '';
    const before = await budget.read(otherSide);
    const fields = { amount: 1, date: '2026-01-01', account_id: budget.account('Card'), payee_id: null };
    expect(await budget.update(otherSide, { ...fields, memo: 'saved' })).toEqual({
      ...before,
      memo: 'saved',
    });
    budget.expectBalanced();
  });
});

describe('updates of transfers', () => {
  test('an update of a transaction can start, change and end a transfer, and updates its other side', async () => {
    const { id } = await budget.create();
    const fromSide = await budget.update(id, { payee_id: budget.transferTo('Savings') });
    const otherSide = fromSide.transfer_transaction_id ?? '';
    await budget.update(otherSide, { amount: 2_500, date: '2026-01-02' });
    expect(await budget.read(id)).toMatchObject({ amount: -2_500, date: '2026-01-02' });
    await budget.update(id, { payee_id: budget.transferTo('Card') });
    expect(await budget.read(otherSide)).toMatchObject({ account_name: 'Card' });
    await budget.update(id, { payee_name: 'Baker' });
    expect(await budget.read(otherSide)).toBeUndefined();
    budget.expectBalanced();
  });

  test('a transfer cannot be moved to the account of its other side', async () => {
    const { id } = await budget.create({ payee_id: budget.transferTo('Savings') });
    expect(await putRefused(id, { account_id: budget.account('Savings') })).toBe(
      '400 account_id must not be the account that the transaction transfers to (index: 0)',
    );
  });
});
