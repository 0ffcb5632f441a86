import { describe, expect, it, onTestFinished } from 'vitest';
import { dateOf } from '../../src/base/clock.ts';
import { createSharedState } from '../../src/mcp/server.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees, updatePayee } from '../../src/operations/payees.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { addTransaction, deleteTransaction } from '../../src/service/ledger/transactions.ts';
import type { BudgetClient, BudgetClientOptions } from '../../src/session/budget-client.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding, startWarm } from '../session/holding.helper.ts';

const payees = (client: BudgetClient) => callOperation(client, listPayees, {});

type Started = Awaited<ReturnType<typeof startHolding>>;

/** Subscriptions to resources of the cached budget, and the notifications that they get. */
function startSubscriptions({ client, clock, ledger }: Started) {
  const { subscriptions } = createSharedState({
    client,
    clock,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes',
  });
  const notified = new Arrivals<string>();
  const home = (path = '') => `budget://v1/budgets/${ledger.id}${path}`;
  const subscribe = async (...uris: string[]) => {
    const subscribed = uris.map((uri) => subscriptions.subscribe(uri, notified.add));
    for (const each of subscribed) {
      onTestFinished(() => each.end());
      await each.ready;
    }
    return subscribed;
  };
  /** Reads after the cache has become too old, so that the client syncs. */
  const sync = () => {
    clock.advance(6_000);
    return callOperation(client, listAccounts, {});
  };
  return { subscriptions, notified, home, subscribe, sync };
}

async function warm(options: Partial<BudgetClientOptions> = {}) {
  const started = await startWarm(payees, options);
  return { ...started, ...startSubscriptions(started) };
}

/** Resources are notified in the order of subscription, so that all are when the last one is. */
describe('subscriptions to resources', () => {
  it('after a sync with changes, subscribers are notified of each resource of the budget, once', async () => {
    const { subscribe, home, ledger, sync, notified } = await warm();
    await subscribe(home('/accounts'), home('/transactions?limit=1'), home('/payees'));
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    for (const path of ['/accounts', '/transactions?limit=1', '/payees'])
      expect(await notified.next()).toBe(home(path));
    expect(notified.waiting).toEqual([]);
  });

  it('a sync without changes causes no notification', async () => {
    const { subscribe, home, ledger, sync, notified } = await warm();
    await subscribe(home('/payees'));
    await sync();
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await notified.next()).toBe(home('/payees'));
    expect(notified.waiting).toEqual([]);
  });

  it.each(['last-used', 'Household'])(
    'a subscription that names its budget %s sends no request after a sync',
    async (name) => {
      const { subscribe, ledger, client, sync, notified, asked } = await warm();
      ledger.commit((books) => createPayee(books, 'Baker'));
      await subscribe(`budget://v1/budgets/${name}/payees`);
      await sync();
      await notified.next();
      asked();
      for (const payee of ['Florist', 'Cobbler']) {
        ledger.commit((books) => createPayee(books, payee));
        await sync();
        expect(await notified.next()).toBe(`budget://v1/budgets/${name}/payees`);
      }
      expect(asked()).toHaveLength(2);
      await client.writesSettled();
    },
  );

  it('subscriptions send no request', async () => {
    const { subscribe, home, ledger, sync, notified, asked } = await warm();
    await subscribe(home('/accounts'), home('/payees'), 'budget://v1/budgets', 'budget://status');
    expect(asked()).toEqual([]);
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    for (const uri of [home('/accounts'), home('/payees'), 'budget://v1/budgets', 'budget://status'])
      expect(await notified.next()).toBe(uri);
    expect(asked()).toHaveLength(1);
  });

  it('subscribers are notified of writes of this server', async () => {
    const { subscribe, home, client, notified, ledger, asked } = await warm();
    const payee_id = ledger.payees().at(-1)?.id ?? '';
    await subscribe(home('/accounts'), home('/payees'), home(`/payees/${payee_id}`));
    asked();
    await callOperation(client, updatePayee, { payee_id, name: 'Florist' });
    for (const path of ['/accounts', '/payees', `/payees/${payee_id}`])
      expect(await notified.next()).toBe(home(path));
    await client.writesSettled();
    expect(notified.waiting).toEqual([]);
    expect(asked()).toEqual([expect.stringContaining('payees'), expect.stringContaining('last_knowledge')]);
  });

  it('subscribers are notified of every write to a budget that is not cached', async () => {
    const started = await startHolding({ cacheBytes: 0 });
    const { subscribe, home, notified } = startSubscriptions(started);
    await subscribe(home('/accounts'));
    const payee_id = started.ledger.payees().at(-1)?.id ?? '';
    await callOperation(started.client, updatePayee, { payee_id, name: 'Florist' });
    expect(await notified.next()).toBe(home('/accounts'));
  });

  it('subscribers are not notified of changes in another budget', async () => {
    const { subscribe, home, client, ledger, other, clock, notified } = await warm();
    await subscribe(home('/payees'), 'budget://v1/budgets');
    ledger.commit((books) => createPayee(books, 'Florist'));
    other.commit((books) => createPayee(books, 'Florist'));
    clock.advance(6_000);
    for (let asked = 0; asked < 2; asked += 1)
      await callOperation(client, listPayees, { budget_id: other.id });
    expect(await notified.next()).toBe('budget://v1/budgets');
    expect(notified.waiting).toEqual([]);
  });

  it('subscribers are notified of the deletion of a resource', async () => {
    const { subscribe, home, ledger, sync, notified } = await warm();
    const id = ledger.detail().transactions?.[0]?.id ?? '';
    await subscribe(home(`/transactions/${id}`));
    ledger.commit((books) => deleteTransaction(books, id));
    await sync();
    expect(await notified.next()).toBe(home(`/transactions/${id}`));
  });

  it('subscribers are notified of a change that came while the subscription was being created', async () => {
    const started = await startWarm(payees);
    const { client, ledger } = started;
    const permissions = new Arrivals<true>();
    const begin: typeof client.begin = (options) => {
      const call = client.begin(options);
      const { resolveBudget } = call;
      return Object.assign(call, {
        resolveBudget: async (wanted: unknown) => {
          await permissions.next();
          return resolveBudget.call(call, wanted);
        },
      });
    };
    const slow = new Proxy(client, {
      get(_, name) {
        const value: unknown = name === 'begin' ? begin : Reflect.get(client, name, client);
        return typeof value === 'function' ? value.bind(client) : value;
      },
    });
    const { subscriptions, home, notified } = startSubscriptions({ ...started, client: slow });
    const { sync } = startSubscriptions(started);
    const subscription = subscriptions.subscribe(home('/payees'), notified.add);
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    // The first read already contains the change. The second read follows the change.
    permissions.add(true);
    permissions.add(true);
    expect(await notified.next()).toBe(home('/payees'));
    subscription.end();
  });

  it('subscribers are notified once of every resource after a new sign-in', async () => {
    let signIn = 'first';
    const { service, ...started } = await startHolding();
    const tokens: BudgetClientOptions['tokens'] = {
      credential: async () => ({ baseUrl: service.baseUrl, token: service.accessToken, signIn }),
      renewed: async () => undefined,
      describe: async () => ({ kind: 'given', place: 'the test' }),
    };
    const client = started.connect(service.accessToken, { tokens });
    const { subscribe, home, notified } = startSubscriptions({ ...started, service, client });
    for (let asked = 0; asked < 2; asked += 1) await payees(client);
    await subscribe(home('/payees'), 'budget://v1/user');
    signIn = 'second';
    await callOperation(client, listBudgets, {});
    const both = [await notified.next(), await notified.next()];
    expect(both.toSorted()).toEqual([home('/payees'), 'budget://v1/user']);
    expect(notified.waiting).toEqual([]);
  });

  it.each([
    ['of another kind', 'budget://v1/nothing'],
    ['that is no URI', 'nothing'],
    ['of an unknown budget', 'budget://v1/budgets/Unknown/accounts'],
    ['with a bad argument', 'budget://v1/budgets/default/transactions?limit=0'],
    ['with a bad escape', 'budget://v1/budgets/%zz/accounts'],
  ])('a subscription to a resource %s is refused', async (_, uri) => {
    const { subscribe } = await warm();
    await expect(subscribe(uri)).rejects.toMatchObject({ code: -32602 });
  });

  it('a subscriber gets no notification after it has ended, and other subscribers do', async () => {
    const { subscribe, home, subscriptions, ledger, sync, notified } = await warm();
    const other = new Arrivals<string>();
    const [subscription] = await subscribe(home('/payees'));
    await subscriptions.subscribe(home('/payees'), other.add).ready;
    subscription?.end();
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await other.next()).toBe(home('/payees'));
    expect(notified.waiting).toEqual([]);
  });

  it('a function that is registered twice is called once', async () => {
    const { subscribe, home, ledger, sync, notified } = await warm();
    await subscribe(home('/payees'), home('/payees'), home('/accounts'));
    ledger.commit((books) => {
      createPayee(books, 'Florist');
      addTransaction(books, {
        account_id: ledger.accounts()[0]?.id ?? '',
        date: '2026-11-20',
        amount: -4_500,
      });
    });
    await sync();
    expect(await notified.next()).toBe(home('/payees'));
    expect(await notified.next()).toBe(home('/accounts'));
  });

  it('a caller can subscribe to 256 resources, independent of other callers', async () => {
    const { subscriptions, home, notified } = await warm();
    const days = Array.from({ length: 257 }, (_, day) => dateOf(Date.parse('2027-01-01') + day * 86_400_000));
    const [first = '', ...uris] = days.map((day) => home(`/transactions?since_date=${day}`));
    const started = [
      subscriptions.subscribeAll(uris, notified.add, 'one'),
      subscriptions.subscribe(first, notified.add),
    ];
    expect(() => subscriptions.subscribe(first, notified.add, 'one')).toThrow('At most 256 resources');
    expect(() => subscriptions.subscribeAll([first], notified.add, 'one')).toThrow('At most 256 resources');
    started.push(subscriptions.subscribe(uris[0] ?? '', notified.add, 'one'));
    for (const each of started) each.end();
    subscriptions.subscribe(first, notified.add, 'one').end();
  });
});
