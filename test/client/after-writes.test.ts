/** What reads say after a write, whatever became of it and whichever copy of the service answers. */
import { describe, expect, it } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import type { BudgetClient } from '../../src/client/budget-client.ts';
import { getAccount } from '../../src/operations/accounts.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees } from '../../src/operations/payees.ts';
import {
  createScheduledTransaction,
  listScheduledTransactions,
} from '../../src/operations/scheduled-transactions.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { getTransaction, listTransactions } from '../../src/operations/transactions.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { unusedUrl } from '../local-server.ts';
import { isDelta, laggingDelta, startHolding, startWarm } from './holding.ts';
import { failureOf } from './sending.ts';

const payees = (client: BudgetClient) => client.call(listPayees, {});
const memosOf = async (client: BudgetClient) => {
  const { data, freshness } = await client.call(listTransactions, { since_date: '2026-11-01' });
  return { memos: data.transactions.map(({ memo }) => memo), overdue: freshness.stale_reason };
};

type Started = Awaited<ReturnType<typeof startHolding>>;

const write = ({ client, ledger }: Started, more: Record<string, unknown> = {}) =>
  client.call(createTransactions, {
    transactions: [
      {
        account_id: ledger.accounts()[0]?.id ?? '',
        date: '2026-11-20',
        amount: -4_500,
        memo: 'Proof',
        ...more,
      },
    ],
  });

async function spendReads({ client, asked }: Started): Promise<void> {
  while ((await client.status()).requests.leftForReads > 0) await client.begin().refresh(false);
  asked();
}

const delta = expect.stringMatching(/^home\?last_knowledge_of_server=\d+$/);

describe('a write that was never sent', () => {
  it('makes nothing stale: what is held is answered as before, and so is the list of budgets', async () => {
    const started = await startHolding();
    const { service, clock } = started;
    const credential = { baseUrl: service.baseUrl, token: service.accessToken };
    const tokens = fixedTokenProvider(credential);
    const client = started.connect(service.accessToken, { tokens });
    await payees(client);
    await payees(client);
    clock.advance(2_000);
    const { signIn } = await tokens.credential();
    const url = await unusedUrl();
    tokens.credential = async () => ({ ...credential, baseUrl: `${url}/v1`, signIn });
    expect((await failureOf(write({ ...started, client }))).code).toBe('unreachable');
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
    expect((await client.call(listBudgets, {})).data.budgets).not.toEqual([]);
    clock.advance(60_000);
    const { stale_reason } = (await payees(client)).freshness;
    expect(stale_reason).toContain('cannot be reached');
    expect(stale_reason).not.toContain('may be missing');
    expect((await client.call(listBudgets, {})).data.budgets).not.toEqual([]);
  });
});

describe('with the requests for reading exhausted', () => {
  it('a write that is refused leaves what is held readable', async () => {
    const started = await startWarm(payees);
    const { client, clock } = started;
    await spendReads(started);
    clock.advance(60_000);
    expect((await failureOf(write(started, { account_id: 'none' }))).code).toBe('bad_request');
    const { stale_reason } = (await payees(client)).freshness;
    expect(stale_reason).toContain('reserved for writes');
    expect(stale_reason).not.toContain('may be missing');
  });

  it('a read right after a write shows it, by one request of the reserve', async () => {
    const started = await startWarm(payees);
    const { client, asked } = started;
    await spendReads(started);
    await write(started);
    asked();
    const { memos, overdue } = await memosOf(client);
    expect(memos).toContain('Proof');
    expect(overdue).toBeUndefined();
    expect(asked()).toEqual([delta]);
    started.clock.advance(10_000);
    expect((await memosOf(client)).overdue).toContain('reserved for writes');
    expect(asked()).toEqual([]);
  });
});

describe('a write whose outcome is unknown', () => {
  it('leaves what is held readable, and the answer says that the write may be missing', async () => {
    const started = await startWarm(payees);
    const { client, faults, passing } = started;
    faults.push(...Array(40).fill({ deliveries: 0, answer: '503' }));
    // The caller is answered after ten seconds; the write is still being looked for.
    expect((await passing(failureOf(write(started)))).code).toBe('outcome_unknown');
    const { data, freshness } = await payees(client);
    expect(data.payees).not.toEqual([]);
    expect(freshness.stale_reason).toContain('may be missing');
    expect((await client.call(listBudgets, {})).data.budgets).not.toEqual([]);
    faults.length = 0;
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
  });
});

describe('while a copy of the service answers that lags behind a write', () => {
  /** Held, then written, with the deltas after the write from a copy that does not know it for `lagging` answers. */
  async function startLagging(lagging: number, act: (started: Started) => Promise<unknown> = write) {
    const started = await startWarm(payees);
    const { ledger, altering } = started;
    const { knowledge } = ledger;
    let left = lagging;
    altering.answer = (path, body) => {
      if (!isDelta(path) || ledger.knowledge === knowledge || left === 0) return body;
      left -= 1;
      return laggingDelta(body, knowledge);
    };
    const written = await act(started);
    started.asked();
    return { ...started, written };
  }

  it('a read asks again until it shows', async () => {
    // The first two are answers to the write itself, which asks for what it has changed.
    const { client, asked } = await startLagging(3);
    const { memos, overdue } = await memosOf(client);
    expect(memos).toContain('Proof');
    expect(overdue).toBeUndefined();
    expect(asked()).toEqual([delta, delta]);
  });

  it('a read says after three requests that the write may be missing, and how old it is', async () => {
    const started = await startLagging(Number.POSITIVE_INFINITY, async (started) => {
      started.clock.advance(1_000);
      return write(started);
    });
    const { client, asked, altering, clock } = started;
    const { data, freshness } = await client.call(listTransactions, { since_date: '2026-11-01' });
    expect(data.transactions.map(({ memo }) => memo)).not.toContain('Proof');
    expect(freshness).toMatchObject({ as_of: '2026-11-21T12:00:00.000Z', source: 'replica' });
    expect(freshness.stale_reason).toBe(
      'The service answered from an older state than before. A write of 2026-11-21T12:00:01.000Z may be missing from it.',
    );
    expect(asked()).toEqual([delta, delta, delta]);
    // The next ones wait a little before they ask again.
    expect((await memosOf(client)).overdue).toContain('may be missing');
    expect(asked()).toEqual([]);
    clock.advance(6_000);
    altering.answer = (_, body) => body;
    expect(await memosOf(client)).toMatchObject({ memos: expect.arrayContaining(['Proof']) });
    expect(asked()).toEqual([delta]);
  });

  it('the write itself asks again, and tells what it has changed', async () => {
    const { written } = await startLagging(1);
    expect(written).toMatchObject({ changed: { transactions: [{ memo: 'Proof' }] } });
  });

  it('the write itself tells no balances of before it', async () => {
    const { written } = await startLagging(2);
    expect(written).not.toHaveProperty('changed');
  });

  it('a scheduled transaction, whose write tells no knowledge, is waited for as well', async () => {
    const { client } = await startLagging(2, ({ client, ledger }) =>
      client.call(createScheduledTransaction, {
        account_id: ledger.accounts()[0]?.id ?? '',
        date: '2026-12-24',
        amount: -4_500,
        frequency: 'never',
        memo: 'Gifts',
      }),
    );
    const { data, freshness } = await client.call(listScheduledTransactions, {});
    expect(data.scheduled_transactions.map(({ memo }) => memo)).toContain('Gifts');
    expect(freshness).not.toHaveProperty('stale_reason');
  });
});

describe('where nothing is held, and a copy answers that lags behind a write', () => {
  async function startUnheld() {
    const started = await startHolding({ cacheBytes: 0 });
    const { client, ledger, altering, asked } = started;
    const { data } = await client.call(listTransactions, { since_date: '2026-11-01' });
    const before = JSON.stringify({ data });
    await write(started);
    asked();
    let left = 1;
    altering.answer = (path, body) => {
      if (!path.includes('/transactions') || left === 0) return body;
      left -= 1;
      return before;
    };
    return { ...started, accountId: ledger.accounts()[0]?.id ?? '', lag: (times: number) => (left = times) };
  }

  it('the question is asked again until it shows', async () => {
    const { client, asked } = await startUnheld();
    expect(await memosOf(client)).toEqual({ memos: expect.arrayContaining(['Proof']), overdue: undefined });
    expect(asked()).toHaveLength(2);
  });

  it('the answer says so if it does not help', async () => {
    const { client, asked, lag, clock } = await startUnheld();
    lag(9);
    const { freshness } = await client.call(listTransactions, { since_date: '2026-11-01' });
    expect(freshness.stale_reason).toContain('may be missing');
    expect(Date.parse(freshness.as_of)).toBe(clock.now() - 20_000);
    expect(asked()).toHaveLength(3);
  });

  it('an answer that tells no knowledge says for twenty seconds that the write may be missing', async () => {
    const { client, accountId, clock } = await startUnheld();
    const account = () => client.call(getAccount, { account_id: accountId });
    expect((await account()).freshness.stale_reason).toContain('may be missing');
    clock.advance(20_000);
    expect((await account()).freshness).not.toHaveProperty('stale_reason');
  });
});

describe('a thing that a write has just deleted', () => {
  it('is not there, and nothing is said to be missing', async () => {
    const started = await startWarm(payees);
    const { client } = started;
    const { data } = await write(started);
    const transaction_id = data.transaction_ids[0] ?? '';
    await client.call(deleteTransaction, { transaction_id });
    const { code, message } = await failureOf(client.call(getTransaction, { transaction_id }));
    expect(code).toBe('resource_not_found');
    expect(message).not.toContain('may be missing');
  });
});

describe('a thing that a write has just made', () => {
  it('is said to be perhaps missing where a copy that lags does not know it and nothing is held', async () => {
    const started = await startHolding({ cacheBytes: 0 });
    const { client, altering } = started;
    const { data } = await write(started);
    const transaction_id = data.transaction_ids[0] ?? '';
    const elsewhere = '00000000-0000-4000-8000-000000000000';
    expect((await failureOf(client.call(getTransaction, { transaction_id: elsewhere }))).message).toContain(
      'may be missing',
    );
    altering.answer = (_, body) => body;
    expect((await client.call(getTransaction, { transaction_id })).freshness).not.toHaveProperty(
      'stale_reason',
    );
  });
});

describe('an export', () => {
  it('of another budget than the one asked for is refused, and what is held is answered', async () => {
    const { client, other, clock, direct, altering } = await startWarm(payees);
    const foreign = JSON.stringify({ data: await direct(other.id).export() });
    altering.answer = (path, body) => (/^\/v1\/budgets\/[^/?]+(\?|$)/.test(path) ? foreign : body);
    clock.advance(60_000);
    const { data, freshness } = await payees(client);
    expect(freshness.stale_reason).toContain('another budget');
    expect(data.payees).not.toEqual([]);
    expect((await failureOf(client.begin().refresh(true))).code).toBe('unexpected_response');
    altering.answer = (_, body) => body;
    expect((await payees(client)).data).toMatchObject({ payees: data.payees });
  });
});

describe('what others have changed', () => {
  it.each([
    ['the wall clock was set back by an hour', -3_600_000, 6_000],
    ['the machine has slept for an hour, with its monotonic clock standing still', 3_600_000, 0],
  ])('is seen although %s', async (_, jump, later) => {
    const { client, clock, ledger } = await startWarm(payees);
    ledger.commit((books) => createPayee(books, 'Florist'));
    clock.setWallClock(clock.now() + jump);
    clock.advance(later);
    const { data, freshness } = await payees(client);
    expect(data.payees.map(({ name }) => name)).toContain('Florist');
    expect(Date.parse(freshness.as_of)).toBe(clock.now());
  });
});

describe('a service that was in maintenance for so long that all requests for reading were spent on it', () => {
  it('is read again a minute after it is back', async () => {
    const { client, clock, service } = await startWarm(payees);
    service.maintenance = true;
    while ((await client.status()).requests.leftForReads > 0) await failureOf(client.begin().refresh(false));
    clock.advance(30_000);
    expect((await payees(client)).freshness.stale_reason).toContain('reserved');
    service.maintenance = false;
    clock.advance(60_000);
    const { freshness } = await payees(client);
    expect(freshness).not.toHaveProperty('stale_reason');
    expect(freshness.requests_left).toBeGreaterThan(190);
  });
});
