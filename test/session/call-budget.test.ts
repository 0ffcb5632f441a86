import { describe, expect, it } from 'vitest';
import { getPayee, listPayees } from '../../src/operations/payees.ts';
import { getTransaction } from '../../src/operations/transactions.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startWarm } from './holding.helper.ts';
import { failureOf } from './sending.helper.ts';

const delta = expect.stringMatching(/^home\?last_knowledge_of_server=\d+$/);
const payees = (client: BudgetClient) => callOperation(client, listPayees, {});
const ELSEWHERE = '00000000-0000-4000-8000-000000000000';

describe('an id that is not in the cached budget', () => {
  it('costs one sync in ten seconds, however often and for whatever it is asked', async () => {
    const { client, clock, asked } = await startWarm(payees);
    clock.advance(1);
    const failures = [
      await failureOf(callOperation(client, getTransaction, { transaction_id: ELSEWHERE })),
      await failureOf(callOperation(client, getTransaction, { transaction_id: ELSEWHERE })),
      await failureOf(callOperation(client, getPayee, { payee_id: ELSEWHERE })),
    ];
    for (const { code } of failures) expect(code).toBe('resource_not_found');
    expect(failures[0]?.message).toBe(`The budget has no transaction "${ELSEWHERE}".`);
    expect(asked()).toEqual([delta]);
    // The budget is synced after five seconds anyway.
    clock.advance(10_000);
    await payees(client);
    asked();
    clock.advance(1);
    await failureOf(callOperation(client, getPayee, { payee_id: ELSEWHERE }));
    expect(asked()).toEqual([delta]);
  });

  it('costs no request if the budget was read for the same call', async () => {
    const { client, clock, asked } = await startWarm(payees);
    clock.advance(6_000);
    expect((await failureOf(callOperation(client, getPayee, { payee_id: ELSEWHERE }))).code).toBe(
      'resource_not_found',
    );
    expect(asked()).toEqual([delta]);
  });

  it('is found if another program has just created the thing', async () => {
    const { client, clock, ledger } = await startWarm(payees);
    clock.advance(1);
    const { id } = ledger.commit((books) => createPayee(books, 'Florist'));
    expect((await callOperation(client, getPayee, { payee_id: id })).data.payee.name).toBe('Florist');
  });

  it('is asked for at the service if the cached budget cannot be brought up to date', async () => {
    const { client, clock, ledger, altering } = await startWarm(payees);
    const { id } = ledger.commit((books) => createPayee(books, 'Florist'));
    clock.advance(6_000);
    altering.answer = (path, body) => (path.includes('last_knowledge') ? '<html>' : body);
    const { data, freshness } = await callOperation(client, getPayee, { payee_id: id });
    expect([data.payee.name, freshness.source]).toEqual(['Florist', 'service']);
    expect((await failureOf(callOperation(client, getPayee, { payee_id: ELSEWHERE }))).code).toBe(
      'resource_not_found',
    );
  });
});
