import { expect, it } from 'vitest';
import type { RequestLogEntry } from '../../src/client/requests.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { NO_FAULT } from '../faulty-proxy.helper.ts';
import { startHolding } from './holding.helper.ts';

it('every request is logged with its route and its outcome', async () => {
  const logged: RequestLogEntry[] = [];
  const { client, clock, faults } = await startHolding({ onRequest: (exchange) => logged.push(exchange) });
  const payees = () => client.call(listPayees, {});
  faults.push(NO_FAULT, { deliveries: 0, answer: 'cut' }, { deliveries: 1, answer: '503' });
  await payees();
  clock.advance(60_000);
  await payees();
  const since = expect.any(Number);
  expect(logged.map(({ milliseconds: _, ...exchange }) => exchange)).toMatchObject([
    { route: 'GET /budgets', outcome: 200 },
    { route: 'GET /budgets/{budget_id}', outcome: 'connection_lost' },
    { route: 'GET /budgets/{budget_id}', outcome: 503 },
    { route: 'GET /budgets/{budget_id}', outcome: 200 },
    { route: 'GET /budgets/{budget_id}', since, outcome: 200 },
  ]);
});
