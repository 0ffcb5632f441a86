import { describe, expect, it, onTestFinished } from 'vitest';
import type { BudgetClient, BudgetClientOptions } from '../../src/client/budget-client.ts';
import { createSharedState } from '../../src/mcp/server.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees, updatePayee } from '../../src/operations/payees.ts';
import { dateOf } from '../../src/platform/clock.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { addTransaction, deleteTransaction } from '../../src/service/ledger/transactions.ts';
import { Arrivals } from '../arrivals.ts';
import { startHolding, startWarm } from '../client/holding.ts';

const payees = (client: BudgetClient) => client.call(listPayees, {});

type Started = Awaited<ReturnType<typeof startHolding>>;

/** Who wants to hear of the budget that is held, and what they have heard. */
function hearing({ client, clock, ledger }: Started) {
  const { subscriptions } = createSharedState({
    client,
    clock,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes',
  });
  const told = new Arrivals<string>();
  const home = (path = '') => `budget://v1/budgets/${ledger.id}${path}`;
  const watch = async (...uris: string[]) => {
    const watches = uris.map((uri) => subscriptions.subscribe(uri, told.add));
    for (const each of watches) {
      onTestFinished(() => each.end());
      await each.ready;
    }
    return watches;
  };
  /** What a sync that is due now tells. */
  const sync = () => {
    clock.advance(6_000);
    return client.call(listAccounts, {});
  };
  return { subscriptions, told, home, watch, sync };
}

async function warm(options: Partial<BudgetClientOptions> = {}) {
  const started = await startWarm(payees, options);
  return { ...started, ...hearing(started) };
}

/** Checked in the order in which they were watched: once the last one was told of, all others have been looked at. */
describe('whoever subscribes to resources', () => {
  it('is told, after a sync, of those that say something else, and of no other', async () => {
    const { watch, home, ledger, sync, told } = await warm();
    await watch(home('/accounts'), home('/months'), home('/settings'), home('/payees'));
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await told.next()).toBe(home('/payees'));
    expect(told.waiting).toEqual([]);
  });

  it('is told nothing by a sync that brings nothing', async () => {
    const { watch, home, ledger, sync, told } = await warm();
    await watch(home('/accounts'), home('/payees'));
    await sync();
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await told.next()).toBe(home('/payees'));
    expect(told.waiting).toEqual([]);
  });

  it.each(['last-used', 'Household'])('costs no request where the budget was called %s', async (name) => {
    const { watch, ledger, client, sync, told, asked } = await warm();
    ledger.commit((books) => createPayee(books, 'Baker'));
    await watch(`budget://v1/budgets/${name}/payees`);
    await sync();
    await told.next();
    asked();
    for (const payee of ['Florist', 'Cobbler']) {
      ledger.commit((books) => createPayee(books, payee));
      await sync();
      expect(await told.next()).toBe(`budget://v1/budgets/${name}/payees`);
    }
    expect(asked()).toHaveLength(2);
    await client.writesSettled();
  });

  it('costs the service no request', async () => {
    const { watch, home, ledger, sync, told, asked } = await warm();
    await watch(home('/accounts'), home('/payees'), 'budget://v1/budgets', 'budget://status');
    expect(asked()).toEqual([]);
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    for (const uri of [home('/payees'), 'budget://v1/budgets', 'budget://status'])
      expect(await told.next()).toBe(uri);
    expect(asked()).toHaveLength(1);
  });

  it('is told of what this server itself has written', async () => {
    const { watch, home, client, told, ledger, asked } = await warm();
    const payee_id = ledger.payees().at(-1)?.id ?? '';
    await watch(home('/accounts'), home('/payees'), home(`/payees/${payee_id}`));
    asked();
    await client.call(updatePayee, { payee_id, name: 'Florist' });
    expect(await told.next()).toBe(home('/payees'));
    expect(await told.next()).toBe(home(`/payees/${payee_id}`));
    expect(asked()).toEqual([expect.stringContaining('payees'), expect.stringContaining('last_knowledge')]);
  });

  it('is told of a write to a budget that is not held, whatever the write was about', async () => {
    const started = await startHolding({ cacheBytes: 0 });
    const { watch, home, told } = hearing(started);
    await watch(home('/accounts'));
    const payee_id = started.ledger.payees().at(-1)?.id ?? '';
    await started.client.call(updatePayee, { payee_id, name: 'Florist' });
    expect(await told.next()).toBe(home('/accounts'));
  });

  it('is not told of another budget', async () => {
    const { watch, home, client, ledger, other, clock, told } = await warm();
    await watch(home('/payees'), 'budget://v1/budgets');
    ledger.commit((books) => createPayee(books, 'Florist'));
    other.commit((books) => createPayee(books, 'Florist'));
    clock.advance(6_000);
    for (let asked = 0; asked < 2; asked += 1) await client.call(listPayees, { budget_id: other.id });
    expect(await told.next()).toBe('budget://v1/budgets');
    expect(told.waiting).toEqual([]);
  });

  it('is told of the part of a list that its query names, and not of the rest', async () => {
    const { watch, home, ledger, sync, told } = await warm();
    await watch(
      home('/transactions?since_date=2026-10-01'),
      home('/transactions?until_date=2026-09-30'),
      home('/accounts'),
    );
    const account_id = ledger.accounts()[0]?.id ?? '';
    ledger.commit((books) => addTransaction(books, { account_id, date: '2026-09-30', amount: -4_500 }));
    await sync();
    expect(await told.next()).toBe(home('/transactions?until_date=2026-09-30'));
    expect(await told.next()).toBe(home('/accounts'));
    expect(told.waiting).toEqual([]);
  });

  it('is told once that a resource has gone', async () => {
    const { watch, home, ledger, sync, told } = await warm();
    const id = ledger.detail().transactions?.[0]?.id ?? '';
    await watch(home(`/transactions/${id}`), home('/payees'));
    ledger.commit((books) => deleteTransaction(books, id));
    await sync();
    expect(await told.next()).toBe(home(`/transactions/${id}`));
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await told.next()).toBe(home('/payees'));
    expect(told.waiting).toEqual([]);
  });

  it('is told of a change that came while the subscription was being taken down', async () => {
    const started = await startWarm(payees);
    const { client, ledger } = started;
    const mayGoOn = new Arrivals<true>();
    const begin: typeof client.begin = (options) => {
      const call = client.begin(options);
      const { resolveBudget } = call;
      return Object.assign(call, {
        resolveBudget: async (wanted: unknown) => {
          await mayGoOn.next();
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
    const { subscriptions, home, told } = hearing({ ...started, client: slow });
    const { sync } = hearing(started);
    const watch = subscriptions.subscribe(home('/payees'), told.add);
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    // What it looks at first is what has changed already; then it looks again.
    mayGoOn.add(true);
    mayGoOn.add(true);
    expect(await told.next()).toBe(home('/payees'));
    watch.end();
  });

  it('is told of everything but once when somebody else signs in', async () => {
    let signIn = 'first';
    const { service, ...started } = await startHolding();
    const tokens: BudgetClientOptions['tokens'] = {
      credential: async () => ({ baseUrl: service.baseUrl, token: service.accessToken, signIn }),
      renewed: async () => undefined,
      describe: async () => ({ kind: 'given', place: 'the test' }),
    };
    const client = started.connect(service.accessToken, { tokens });
    const { watch, home, told } = hearing({ ...started, service, client });
    for (let asked = 0; asked < 2; asked += 1) await payees(client);
    await watch(home('/payees'), 'budget://v1/user');
    signIn = 'second';
    await client.call(listBudgets, {});
    expect(await told.next()).toBe(home('/payees'));
    expect(await told.next()).toBe('budget://v1/user');
    expect(told.waiting).toEqual([]);
  });

  it.each([
    ['of another kind', 'budget://v1/nothing'],
    ['that is no URI', 'nothing'],
    ['of an unknown budget', 'budget://v1/budgets/Nobody/accounts'],
    ['with a bad argument', 'budget://v1/budgets/default/transactions?limit=0'],
    ['with a bad escape', 'budget://v1/budgets/%zz/accounts'],
  ])('is refused a resource %s', async (_, uri) => {
    const { watch } = await warm();
    await expect(watch(uri)).rejects.toMatchObject({ code: -32602 });
  });

  it('hears nothing once it has ended, while another still does', async () => {
    const { watch, home, subscriptions, ledger, sync, told } = await warm();
    const other = new Arrivals<string>();
    const [watched] = await watch(home('/payees'));
    await subscriptions.subscribe(home('/payees'), other.add).ready;
    watched?.end();
    ledger.commit((books) => createPayee(books, 'Florist'));
    await sync();
    expect(await other.next()).toBe(home('/payees'));
    expect(told.waiting).toEqual([]);
  });

  it('is told once where it is there twice', async () => {
    const { watch, home, ledger, sync, told } = await warm();
    await watch(home('/payees'), home('/payees'), home('/accounts'));
    ledger.commit((books) => {
      createPayee(books, 'Florist');
      addTransaction(books, {
        account_id: ledger.accounts()[0]?.id ?? '',
        date: '2026-11-20',
        amount: -4_500,
      });
    });
    await sync();
    expect(await told.next()).toBe(home('/payees'));
    expect(await told.next()).toBe(home('/accounts'));
  });

  it('can be told of 256 resources and no more, however many others are told of', async () => {
    const { subscriptions, home, told } = await warm();
    const days = Array.from({ length: 257 }, (_, day) => dateOf(Date.parse('2027-01-01') + day * 86_400_000));
    const [first = '', ...uris] = days.map((day) => home(`/transactions?since_date=${day}`));
    const watches = [
      subscriptions.subscribeAll(uris, told.add, 'one'),
      subscriptions.subscribe(first, told.add),
    ];
    expect(() => subscriptions.subscribe(first, told.add, 'one')).toThrow('At most 256 resources');
    expect(() => subscriptions.subscribeAll([first], told.add, 'one')).toThrow('At most 256 resources');
    watches.push(subscriptions.subscribe(uris[0] ?? '', told.add, 'one'));
    for (const each of watches) each.end();
    subscriptions.subscribe(first, told.add, 'one').end();
  });

  it('leaves a turn to everybody else between any two resources that are looked at', async () => {
    const { subscriptions, home, told, ledger, sync } = await warm();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    onTestFinished(() => {
      isOver = true;
    });
    count();
    const uris = Array.from({ length: 100 }, (_, at) => home(`/transactions?limit=${at + 1}`));
    const watches = uris.map((uri) => subscriptions.subscribe(uri, told.add));
    for (const { ready } of watches) await ready;
    expect(turns).toBeGreaterThanOrEqual(uris.length);

    turns = 0;
    const account_id = ledger.accounts()[0]?.id ?? '';
    ledger.commit((books) => addTransaction(books, { account_id, date: '2026-11-20', amount: -4_500 }));
    await sync();
    // Each of them tells the total.
    for (const uri of uris) expect(await told.next()).toBe(uri);
    expect(turns).toBeGreaterThanOrEqual(uris.length);
    for (const watch of watches) watch.end();
  });
});
