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

describe('POST payees', () => {
  const post = (payee: unknown) => budget.send('POST', '/payees', { payee });

  test('POST payees returns 201 with payee and server_knowledge, and the deltas contain the payee', async () => {
    const { knowledge } = budget.ledger;
    const name = '🥖'.repeat(500);
    const { status, body } = await post({ name });
    const payee = { id: budget.payee(name), name, transfer_account_id: null, deleted: false };
    expect([status, body]).toEqual([201, { data: { payee, server_knowledge: knowledge + 1 } }]);
    expect(budget.ledger.payees(knowledge)).toEqual([payee]);
    expect(budget.ledger.detail(knowledge)).toMatchObject({ payees: [payee], accounts: [], categories: [] });
  });

  test('POST payees creates a second payee of the same name', async () => {
    const ids = new Set([budget.payee('Baker')]);
    for (const { body } of [await post({ name: 'Baker' }), await post({ name: 'Baker' })]) {
      ids.add(Object(body).data.payee.id);
    }
    expect(ids.size).toBe(3);
  });

  test.each([
    [{}, 'name is required'],
    [{ name: 'x'.repeat(501) }, 'name is too long (maximum is 500 characters)'],
    [{ name: ' ' }, 'name must not be blank'],
    [{ name: null }, 'name must be text'],
    [
      { name: 'Starting Balance' },
      "name must not begin with 'Starting Balance', which is a name of the service's own",
    ],
    [undefined, 'payee is required'],
  ])('POST payees returns 400 with %o: %s', async (payee, problem) => {
    expect(await budget.refusal('POST', '/payees', { payee })).toBe(`400 ${problem}`);
  });
});

describe('PATCH payees/{id}', () => {
  const patch = (id: string, payee: unknown) => budget.send('PATCH', `/payees/${id}`, { payee });
  const refused = (id: string, payee: unknown) => budget.refusal('PATCH', `/payees/${id}`, { payee });

  test('PATCH payees/{id} returns 200 with payee and server_knowledge, and transactions show the new name', async () => {
    const { id } = await budget.create({ payee_name: 'Baker' });
    const { knowledge } = budget.ledger;
    const name = '🥖'.repeat(500);
    const { status, body } = await patch(budget.payee('Baker'), { name });
    expect([status, body]).toEqual([
      200,
      {
        data: {
          payee: { id: budget.payee(name), name, transfer_account_id: null, deleted: false },
          server_knowledge: knowledge + 1,
        },
      },
    ]);
    expect(await budget.read(id)).toMatchObject({ payee_name: name });
  });

  test.each([
    [{ name: 'x'.repeat(501) }, 'name is too long (maximum is 500 characters)'],
    [{ name: ' ' }, 'name must not be blank'],
    [{ name: null }, 'name must be text'],
    [
      { name: 'Transfer : Savings' },
      "name must not begin with 'Transfer : ', which is a name of the service's own",
    ],
    [undefined, 'payee is required'],
  ])('PATCH payees/{id} returns 400 with %o: %s', async (payee, problem) => {
    expect(await refused(budget.payee('Baker'), payee)).toBe(`400 ${problem}`);
  });

  test('PATCH payees/{id} does not rename payees of the service, but accepts their current names', async () => {
    for (const name of ['Transfer : Savings', 'Starting Balance', 'Manual Balance Adjustment']) {
      expect(await refused(budget.payee(name), { name: 'x' })).toBe(
        '400 name of a payee of the service itself cannot be changed',
      );
      expect((await patch(budget.payee(name), { name })).status).toBe(200);
    }
  });

  test('PATCH payees/{id} without a name changes nothing, and returns 404.2 for an unknown id', async () => {
    const { body } = await patch(budget.payee('Baker'), {});
    expect(body).toMatchObject({ data: { payee: { name: 'Baker' } } });
    expect(await refused(UNKNOWN, { name: 'x' })).toBe('404.2 The payee does not exist.');
  });
});
