import { describe, expect, it } from 'vitest';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { getBudget, listBudgets } from '../../../src/operations/budgets.ts';
import { getMonth, listMonths } from '../../../src/operations/months.ts';
import { listPayees, updatePayee } from '../../../src/operations/payees.ts';
import { createTransactions } from '../../../src/operations/transaction-writes.ts';
import { listTransactions } from '../../../src/operations/transactions.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import type { BudgetClient } from '../../../src/session/budget-client.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { NO_FAULT } from '../../faulty-proxy.helper.ts';
import { startHolding, startWarm } from '../holding.helper.ts';
import { failureOf } from '../sending.helper.ts';

const payees = (client: BudgetClient) => callOperation(client, listPayees, {});
const namesOf = ({ data }: Awaited<ReturnType<typeof payees>>) => data.payees.map(({ name }) => name);
const delta = expect.stringMatching(/^home\?last_knowledge_of_server=\d+$/);

describe('a budget that is read', () => {
  it('a budget is loaded by its first read, and other reads are answered from it', async () => {
    const { client, asked, clock } = await startHolding();
    const freshness = { source: 'replica', as_of: new Date(clock.now()).toISOString() };
    expect((await payees(client)).freshness).toMatchObject(freshness);
    expect(asked()).toEqual(['budgets', 'home']);
    expect((await callOperation(client, listAccounts, {})).freshness).toMatchObject(freshness);
    expect(asked()).toEqual([]);
  });

  it('a cached budget is not synced for five seconds, and then by a delta', async () => {
    const { client, ledger, asked, clock } = await startWarm(payees);
    ledger.commit((books) => createPayee(books, 'Florist'));
    const then = clock.now();
    clock.advance(5_000);
    const cached = await payees(client);
    expect(namesOf(cached)).not.toContain('Florist');
    expect(cached.freshness).toMatchObject({ source: 'replica', as_of: new Date(then).toISOString() });
    expect(asked()).toEqual([]);
    clock.advance(1);
    const synced = await payees(client);
    expect(namesOf(synced)).toContain('Florist');
    expect(Date.parse(synced.freshness.as_of)).toBe(clock.now());
    expect(asked()).toEqual([delta]);
    expect(await client.status()).toMatchObject({ hits: 1, replicas: { syncs: 1, loads: 1 } });
  });

  it('a cached budget is loaded again when a month begins (UTC), because a delta need not contain the changed amounts', async () => {
    const { client, asked, clock } = await startWarm(payees);
    clock.advance(Date.parse('2026-11-30T23:59:59Z') - clock.now());
    await payees(client);
    asked();
    clock.advance(999);
    const month = () => callOperation(client, getMonth, { month: 'current' });
    expect((await month()).data.month.month).toBe('2026-11-01');
    expect(asked()).toEqual([]);
    clock.advance(1);
    expect((await month()).data.month.month).toBe('2026-12-01');
    expect(asked()).toEqual(['home']);
  });

  it('a cached budget has the name in the list of budgets if the list was read later', async () => {
    const { client, clock, faults, ledger } = await startWarm(payees);
    clock.advance(16 * 60_000);
    // Its user renames it in the app.
    const renamed = { ...ledger.summary(), name: 'House' };
    Object.assign(ledger, { summary: () => renamed });
    faults.push(NO_FAULT, ...Array(9).fill({ deliveries: 0, answer: '503' }));
    const { data, freshness } = await callOperation(client, listBudgets, {});
    expect(Date.parse(freshness.as_of)).toBe(clock.now());
    expect(data.budgets.find(({ id }) => id === ledger.id)?.name).toBe('House');
  });

  it('a budget is loaded at once, and once, for 50 simultaneous reads', async () => {
    const { client, asked } = await startHolding();
    const answers = await Promise.all(Array.from({ length: 50 }, () => payees(client)));
    expect(asked()).toEqual(['budgets', 'home']);
    const [first] = answers;
    for (const { data } of answers) expect(data.payees).toEqual(first?.data.payees);
  });

  it('a cached budget is synced once for 50 simultaneous reads, also if 49 of them are cancelled', async () => {
    const { client, asked, clock } = await startWarm(payees);
    clock.advance(6_000);
    const leaving = Array.from({ length: 49 }, () => new AbortController());
    const leavers = leaving.map(({ signal }) => failureOf(callOperation(client, listPayees, {}, signal)));
    const stayer = payees(client);
    for (const each of leaving) each.abort();
    for (const { code } of await Promise.all(leavers)) expect(code).toBe('cancelled');
    expect(Date.parse((await stayer).freshness.as_of)).toBe(clock.now());
    expect(asked()).toEqual([delta]);
  });

  it('a budget is cached for one token only', async () => {
    const { service, connect, asked } = await startWarm(payees);
    const another = connect(service.access.issueToken(service.user));
    expect((await payees(another)).freshness.requests_left).toBe(198);
    expect(asked()).toEqual(['budgets', 'home']);
  });

  it('a budget is read from the service each time if the cache is disabled', async () => {
    const { client, asked } = await startHolding({ cacheBytes: 0 });
    for (let i = 0; i < 3; i += 1) expect((await payees(client)).freshness.source).toBe('service');
    expect(asked()).toEqual(['budgets', 'home/payees', 'home/payees', 'home/payees']);
    expect(await client.status()).toMatchObject({ hits: 0, replicas: { cached: [], loads: 0 } });
    expect((await failureOf(client.begin().refresh(false))).code).toBe('invalid_input');
  });

  it('a budget is read from the service each time if it is too large for the cache', async () => {
    const { client, asked, ledger } = await startHolding({ cacheBytes: 1_000 });
    for (let i = 0; i < 4; i += 1) await payees(client);
    expect(asked()).toEqual(['budgets', 'home', 'home/payees', 'home/payees', 'home/payees']);
    expect((await client.status()).replicas).toMatchObject({ cached: [], too_large: [ledger.id] });
  });
});

describe('when the requests of the hour are spent', () => {
  it('the cached budget is answered at any age, and after five seconds the answer says when the next request is free', async () => {
    const { client, asked, clock } = await startWarm(payees);
    const start = clock.now();
    while ((await client.status()).requests.leftForReads > 0) await client.begin().refresh(false);
    asked();
    clock.advance(5_000);
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
    clock.advance(1);
    expect((await payees(client)).freshness).toHaveProperty('stale_reason');
    clock.advance(10 * 60_000);
    const { freshness } = await payees(client);
    expect(freshness).toMatchObject({ as_of: new Date(start).toISOString(), source: 'replica' });
    expect(freshness.stale_reason).toContain(`at ${new Date(start + 3_600_000).toISOString()}`);
    expect(freshness.requests_left).toBe(20);
    expect(asked()).toEqual([]);
    clock.advance(50 * 60_000);
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
    expect(asked()).toEqual(['budgets', delta]);
  });

  it('a read of a budget that is not cached is an error that says when the next request is free', async () => {
    const { client, other, clock, asked } = await startWarm(payees);
    while ((await client.status()).requests.leftForReads > 0) await client.begin().refresh(false);
    asked();
    for (let i = 0; i < 2; i += 1)
      expect(await failureOf(callOperation(client, listPayees, { budget_id: other.id }))).toMatchObject({
        code: 'rate_budget_spent',
        message: expect.stringContaining(`at ${new Date(clock.now() + 3_600_000).toISOString()}`),
      });
    expect(asked()).toEqual([]);
  });

  it('a reload loses nothing when the requests are used', async () => {
    const { client } = await startWarm(payees);
    while ((await client.status()).requests.leftForReads > 0) await client.begin().refresh(false);
    expect((await failureOf(client.begin().refresh(true))).code).toBe('rate_budget_spent');
    expect((await payees(client)).freshness.source).toBe('replica');
  });
});

describe('after a write of this process', () => {
  const entry = (account_id: string) => ({
    transactions: [{ account_id, date: '2026-11-20', amount: -4_500, memo: 'Proof' }],
  });
  const memosOf = async (client: BudgetClient) =>
    (await callOperation(client, listTransactions, { since_date: '2026-11-01' })).data.transactions.map(
      ({ memo }) => memo,
    );

  it('a read shows the write without a request if the delta after the write was read', async () => {
    const { client, ledger, asked } = await startWarm(payees);
    const { freshness } = await callOperation(
      client,
      createTransactions,
      entry(ledger.accounts()[0]?.id ?? ''),
    );
    expect(freshness).toMatchObject({ source: 'service', requests_left: 200 - 4 });
    asked();
    expect(await memosOf(client)).toContain('Proof');
    expect(asked()).toEqual([]);
  });

  it('a read shows the write by a sync if the delta after the write was lost', async () => {
    const { client, ledger, asked, faults } = await startWarm(payees);
    const lost = { deliveries: 1, answer: 'html' } as const;
    const fine = { deliveries: 1, answer: 'whole' } as const;
    faults.push(fine, lost);
    await callOperation(client, createTransactions, entry(ledger.accounts()[0]?.id ?? ''));
    expect(asked()).toEqual(['home/transactions', delta]);
    expect(await memosOf(client)).toContain('Proof');
    expect(asked()).toEqual([delta]);
  });

  it('a result from before the write says so if no newer data is available', async () => {
    const { client, ledger, clock, faults, service } = await startWarm(payees);
    const then = new Date(clock.now()).toISOString();
    const fine = { deliveries: 1, answer: 'whole' } as const;
    faults.push(fine, { deliveries: 1, answer: 'html' });
    clock.advance(1_000);
    await callOperation(client, createTransactions, entry(ledger.accounts()[0]?.id ?? ''));
    service.maintenance = true;
    const { freshness } = await payees(client);
    expect(freshness).toMatchObject({ as_of: then, source: 'replica' });
    expect(freshness.stale_reason).toContain('in maintenance');
    expect(freshness.stale_reason).toContain('A write of 2026-11-21T12:00:01.000Z may be missing from it.');
    service.maintenance = false;
    expect(await memosOf(client)).toContain('Proof');
  });

  it('a read during the write may lack it, a read after the write does not', async () => {
    const { client, ledger, clock } = await startWarm(payees);
    const payee = ledger.commit((books) => createPayee(books, 'Florist'));
    for (let i = 0; i < 20; i += 1) {
      clock.advance(6_000);
      const name = `Renamed ${i}`;
      const during = [payees(client)];
      const write = callOperation(client, updatePayee, { payee_id: payee.id, name });
      during.push(payees(client), payees(client));
      await write;
      expect(namesOf(await payees(client))).toContain(name);
      await Promise.all(during);
      expect(namesOf(await payees(client))).toContain(name);
    }
  });
});

describe('when the service', () => {
  it.each([
    ['dies', 'cut'],
    ['resets the connection', 'reset'],
    ['hangs', 'never'],
    ['sends half a body', 'half'],
    ['is in maintenance', '503'],
    ['is hidden by another server', 'html'],
  ] as const)(
    'when the service %s, cached data is returned with a stale reason, and fresh data when it is back',
    async (_, answer) => {
      const { client, ledger, clock, faults, asked } = await startWarm(payees);
      const then = new Date(clock.now()).toISOString();
      ledger.commit((books) => createPayee(books, 'Florist'));
      clock.advance(60_000);
      faults.push(...Array(3).fill({ deliveries: 1, answer }));
      const cached = await payees(client);
      expect(cached.freshness).toMatchObject({
        as_of: then,
        source: 'replica',
        stale_reason: expect.any(String),
      });
      expect(namesOf(cached)).not.toContain('Florist');
      faults.length = 0;
      asked();
      const { freshness, ...back } = await payees(client);
      expect(freshness).not.toHaveProperty('stale_reason');
      expect(namesOf({ freshness, ...back })).toContain('Florist');
      expect(asked()).toEqual([delta]);
    },
  );

  it('when the service refuses the token, no cached data is returned', async () => {
    const { client, service, clock } = await startWarm(payees);
    service.access.revokeToken(service.accessToken);
    clock.advance(6_000);
    expect((await failureOf(payees(client))).code).toBe('not_authorized');
  });

  it('when the service fails to send the whole budget, each read goes to the service, and it is loaded again after a minute', async () => {
    const { client, clock, faults, asked } = await startHolding();
    faults.push(NO_FAULT, { deliveries: 1, answer: 'html' });
    for (let i = 0; i < 2; i += 1) expect((await payees(client)).freshness.source).toBe('service');
    expect(asked()).toEqual(['budgets', 'home', 'home/payees', 'home/payees']);
    clock.advance(60_000);
    expect((await payees(client)).freshness.source).toBe('replica');
    expect(asked()).toEqual(['home']);
  });
});

describe('the months of a budget', () => {
  it('the months stay in the order of the service when an earlier one appears', async () => {
    const { client, connect, service, ledger, clock, direct } = await startWarm(payees);
    const [first] = ledger.months();
    const date = `${Number(first?.month.slice(0, 4)) - 1}-06-15`;
    const account_id = ledger.accounts()[0]?.id ?? '';
    const elsewhere = connect(service.access.issueToken(service.user));
    await callOperation(elsewhere, createTransactions, {
      transactions: [{ account_id, date, amount: -1_000 }],
    });
    clock.advance(6_000);
    const monthsOf = (months: readonly { readonly month: string }[]) => months.map(({ month }) => month);
    const cached = await callOperation(client, listMonths, {});
    const expected = await direct(ledger.id).data(listMonths);
    expect(cached.freshness.source).toBe('replica');
    expect(monthsOf(cached.data.months)).toEqual(monthsOf(expected.months));
    expect(cached.data.months[0]?.month).toBe(`${date.slice(0, 7)}-01`);
    const exported = await callOperation(client, getBudget, {});
    expect(monthsOf(exported.data.budget.months)).toEqual(monthsOf(expected.months));
  });
});
