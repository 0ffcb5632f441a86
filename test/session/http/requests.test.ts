import { expect, it } from 'vitest';
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { listPayees } from '../../../src/operations/payees.ts';
import { type RequestLogEntry, Requests } from '../../../src/session/http/requests.ts';
import { ServiceInterface } from '../../../src/session/http/service-interface.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { NO_FAULT } from '../../faulty-proxy.helper.ts';
import { startHolding } from '../holding.helper.ts';
import { failureOf, startSender } from '../sending.helper.ts';

it('every request is logged with its route and its outcome', async () => {
  const logged: RequestLogEntry[] = [];
  const { client, clock, faults } = await startHolding({ onRequest: (exchange) => logged.push(exchange) });
  const payees = () => callOperation(client, listPayees, {});
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

it('a request that can only be sent later than it may be is not sent, and is not counted', async () => {
  const { clock, sender } = startSender();
  const rateBudget = new RateBudget({ clock });
  const tokens = fixedTokenProvider({ baseUrl: 'http://127.0.0.1:9/v1', token: 'secret' });
  const { signIn } = await tokens.credential();
  const requests = new Requests({
    tokens,
    sender,
    clock,
    rateBudget,
    signIn,
    serviceInterface: new ServiceInterface(() => {}),
    recordKnowledge: () => () => {},
  });
  const send = (beforeSending: () => Promise<void>) =>
    failureOf(requests.send(listPayees, { budget_id: 'b' }, { beforeSending }));
  const refuse = async () => {
    throw new BudgetError('not_written', 'Too late.');
  };
  expect((await send(refuse)).code).toBe('not_written');
  expect((await rateBudget.status()).used).toBe(0);
  expect((await send(async () => {})).code).toBe('unreachable');
});
