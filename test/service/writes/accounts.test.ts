import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inMilliunits } from '../in-milliunits.helper.ts';
import { Budget, startWritingService, type WritingService } from './writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

describe('POST accounts', () => {
  const create = (account: unknown) => budget.send('POST', '/accounts', { account });
  const refused = (account: unknown) => budget.refusal('POST', '/accounts', { account });

  test('POST accounts returns 201 with the account, whose opening balance is of today', async () => {
    const { knowledge } = budget.ledger;
    const { status, body } = await create({ name: 'Piggy bank 🐷', type: 'cash', balance: 12_340 });
    expect([status, inMilliunits(body)]).toEqual([
      201,
      {
        data: {
          account: {
            id: expect.any(String),
            name: 'Piggy bank 🐷',
            type: 'cash',
            on_budget: true,
            closed: false,
            note: null,
            balance: 12_340,
            cleared_balance: 12_340,
            uncleared_balance: 0,
            transfer_payee_id: budget.transferTo('Piggy bank 🐷'),
            direct_import_linked: false,
            direct_import_in_error: false,
            last_reconciled_at: null,
            debt_original_balance: null,
            debt_interest_rates: null,
            debt_minimum_payments: null,
            debt_escrow_amounts: null,
            deleted: false,
          },
        },
      },
    ]);
    expect(budget.ledger.knowledge).toBe(knowledge + 1);
    const account_id = budget.account('Piggy bank 🐷');
    expect(budget.ledger.transactions({ account_id })).toMatchObject([
      { date: '2026-01-20', payee_name: 'Starting Balance', category_name: 'Inflow: Ready to Assign' },
    ]);
    budget.expectBalanced();
  });

  test.each([
    ['checking', true],
    ['savings', true],
    ['cash', true],
    ['creditCard', true],
    ['otherAsset', false],
    ['otherLiability', false],
  ])('POST accounts accepts the type %s, on budget: %s', async (type, on_budget) => {
    const { body } = await create({ name: 'New', type, balance: -5 });
    expect(body).toMatchObject({ data: { account: { type, on_budget, balance: -5 } } });
    budget.expectBalanced();
  });

  test('POST accounts with a credit account creates its payment category', async () => {
    await create({ name: 'Gold', type: 'creditCard', balance: 0 });
    expect(budget.ledger.category(budget.category('Gold'))).toMatchObject({
      category_group_name: 'Credit Card Payments',
    });
  });

  test.each([
    [{}, 'name is required, type is required, balance is required'],
    [{ name: ' ', type: 'cash', balance: 0 }, 'name must not be blank'],
    [{ name: null, type: 'cash', balance: 0 }, 'name must be text'],
    [{ name: 'x', type: 'cash', balance: 0.5 }, 'balance must be an integer in milliunits'],
    [{ name: 'x', type: 'cash', balance: '1' }, 'balance must be an integer in milliunits'],
    [undefined, 'account is required'],
    ['x', 'account must be an object'],
  ])('POST accounts returns 400 with %o: %s', async (account, problem) => {
    expect(await refused(account)).toBe(`400 ${problem}`);
  });

  test.each([
    'piggy',
    'lineOfCredit',
    'mortgage',
    'autoLoan',
    'studentLoan',
    'personalLoan',
    'medicalDebt',
    'otherDebt',
  ])('POST accounts returns 400 with the type %s', async (type) => {
    expect(await refused({ name: 'x', type, balance: 0 })).toBe(
      '400 type must be one of checking, savings, cash, creditCard, otherAsset, otherLiability',
    );
  });
});
