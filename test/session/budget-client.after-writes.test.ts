/** What reads return after a write, whatever its outcome was and whichever copy of the service responds. */

import { describe, expect, it } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { getAccount, listAccounts } from '../../src/operations/accounts.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees } from '../../src/operations/payees.ts';
import {
  createScheduledTransaction,
  listScheduledTransactions,
} from '../../src/operations/scheduled-transactions.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { getTransaction, listTransactions } from '../../src/operations/transactions.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { isDelta, laggingDelta, startHolding, startWarm } from './holding.helper.ts';
import { failureOf } from './sending.helper.ts';

const payees = (client: BudgetClient) => callOperation(client, listPayees, {});
const memosOf = async (client: BudgetClient) => {
  const { data, freshness } = await callOperation(client, listTransactions, { since_date: '2026-11-01' });
  return { memos: data.transactions.map(({ memo }) => memo), staleReason: freshness.stale_reason };
};

type Started = Awaited<ReturnType<typeof startHolding>>;

const write = ({ client, ledger }: Started, more: Record<string, unknown> = {}) =>
  callOperation(client, createTransactions, {
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
  it('a write that was never sent makes nothing stale: cached data is used as before, and so is the list of budgets', async () => {
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
    expect((await callOperation(client, listBudgets, {})).data.budgets).not.toEqual([]);
    clock.advance(60_000);
    const { stale_reason } = (await payees(client)).freshness;
    expect(stale_reason).toContain('cannot be reached');
    expect(stale_reason).not.toContain('may be missing');
    expect((await callOperation(client, listBudgets, {})).data.budgets).not.toEqual([]);
  });
});

describe('when the requests for reads are used up', () => {
  it('a refused write leaves the cached budget readable when the requests for reads are used up', async () => {
    const started = await startWarm(payees);
    const { client, clock } = started;
    await spendReads(started);
    clock.advance(60_000);
    expect((await failureOf(write(started, { account_id: 'none' }))).code).toBe('bad_request');
    const { stale_reason } = (await payees(client)).freshness;
    expect(stale_reason).toContain('reserved for writes');
    expect(stale_reason).not.toContain('may be missing');
  });

  it('a read right after a write shows it, with one request of the reserve, when the requests for reads are used up', async () => {
    const started = await startWarm(payees);
    const { client, asked } = started;
    await spendReads(started);
    await write(started);
    asked();
    const { memos, staleReason } = await memosOf(client);
    expect(memos).toContain('Proof');
    expect(staleReason).toBeUndefined();
    expect(asked()).toEqual([delta]);
    started.clock.advance(10_000);
    expect((await memosOf(client)).staleReason).toContain('reserved for writes');
    expect(asked()).toEqual([]);
  });
});

describe('a write with an unknown outcome', () => {
  it('a write with an unknown outcome leaves the cached budget readable, and results say that the write may be missing', async () => {
    const started = await startWarm(payees);
    const { client, faults, passing } = started;
    faults.push(...Array(40).fill({ deliveries: 0, answer: '503' }));
    // The host gets a result after ten seconds, while the search for the write continues.
    expect((await passing(failureOf(write(started)))).code).toBe('outcome_unknown');
    const { data, freshness } = await payees(client);
    expect(data.payees).not.toEqual([]);
    expect(freshness.stale_reason).toContain('may be missing');
    expect((await callOperation(client, listBudgets, {})).data.budgets).not.toEqual([]);
    faults.length = 0;
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
  });
});

describe('while a copy of the service that lags behind a write responds', () => {
  /** Cached, then written. `lagging` responses to reads of the delta come from a copy without the write. */
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

  it('a read is repeated until it shows the write', async () => {
    // The first two are responses to the write itself, which reads its delta.
    const { client, asked } = await startLagging(3);
    const { memos, staleReason } = await memosOf(client);
    expect(memos).toContain('Proof');
    expect(staleReason).toBeUndefined();
    expect(asked()).toEqual([delta, delta]);
  });

  it('a read says after three requests that the write may be missing, and how old the data is', async () => {
    const started = await startLagging(Number.POSITIVE_INFINITY, async (started) => {
      started.clock.advance(1_000);
      return write(started);
    });
    const { client, asked, altering, clock } = started;
    const { data, freshness } = await callOperation(client, listTransactions, { since_date: '2026-11-01' });
    expect(data.transactions.map(({ memo }) => memo)).not.toContain('Proof');
    expect(freshness).toMatchObject({ as_of: '2026-11-21T12:00:00.000Z', source: 'replica' });
    expect(freshness.stale_reason).toBe(
      'The service answered from an older state than before. A write of 2026-11-21T12:00:01.000Z may be missing from it.',
    );
    expect(asked()).toEqual([delta, delta, delta]);
    // The service is not asked again for five seconds.
    clock.advance(5_000);
    expect((await memosOf(client)).staleReason).toContain('may be missing');
    expect(asked()).toEqual([]);
    clock.advance(1);
    altering.answer = (_, body) => body;
    expect(await memosOf(client)).toMatchObject({ memos: expect.arrayContaining(['Proof']) });
    expect(asked()).toEqual([delta]);
  });

  it('the write repeats the read of its delta, and returns what it changed', async () => {
    const { written } = await startLagging(1);
    expect(written).toMatchObject({ changed: { transactions: [{ memo: 'Proof' }] } });
  });

  it('the write returns no balances from before it', async () => {
    const { written } = await startLagging(2);
    expect(written).not.toHaveProperty('changed');
  });

  it('a read is also repeated until it shows a scheduled transaction, whose response has no knowledge', async () => {
    const { client } = await startLagging(2, ({ client, ledger }) =>
      callOperation(client, createScheduledTransaction, {
        account_id: ledger.accounts()[0]?.id ?? '',
        date: '2026-12-24',
        amount: -4_500,
        frequency: 'never',
        memo: 'Gifts',
      }),
    );
    const { data, freshness } = await callOperation(client, listScheduledTransactions, {});
    expect(data.scheduled_transactions.map(({ memo }) => memo)).toContain('Gifts');
    expect(freshness).not.toHaveProperty('stale_reason');
  });
});

describe('a creation that equals an entry which another program has made since the budget was read', () => {
  it('says that it may be a second one, without a request for that', async () => {
    const started = await startWarm((client) => callOperation(client, listAccounts, {}));
    const { client, connect, clock, asked } = started;
    const first = await write({ ...started, client: connect() });
    clock.advance(2_000);
    asked();
    const second = await write(started);
    expect(second.possibleDuplicates).toEqual(first.data.transaction_ids);
    expect(asked()).toEqual([expect.stringMatching(/^home\/accounts/), 'home/transactions', delta]);
    expect(
      (await callOperation(client, listTransactions, { since_date: '2026-11-20' })).freshness.source,
    ).toBe('replica');
  });
});

describe('without a cache, while a copy of the service that lags behind a write responds', () => {
  async function startUnheld() {
    const started = await startHolding({ cacheBytes: 0 });
    const { client, ledger, altering, asked } = started;
    const { data } = await callOperation(client, listTransactions, { since_date: '2026-11-01' });
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

  it('a read without a cache is repeated until it shows the write', async () => {
    const { client, asked } = await startUnheld();
    expect(await memosOf(client)).toEqual({
      memos: expect.arrayContaining(['Proof']),
      staleReason: undefined,
    });
    expect(asked()).toHaveLength(2);
  });

  it('a read without a cache says if it may lack the write after all repetitions', async () => {
    const { client, asked, lag, clock } = await startUnheld();
    lag(9);
    const { freshness } = await callOperation(client, listTransactions, { since_date: '2026-11-01' });
    expect(freshness.stale_reason).toContain('may be missing');
    expect(Date.parse(freshness.as_of)).toBe(clock.now() - 20_000);
    expect(asked()).toHaveLength(3);
  });

  it('a read whose response has no knowledge says for twenty seconds that the write may be missing', async () => {
    const { client, accountId, clock } = await startUnheld();
    const account = () => callOperation(client, getAccount, { account_id: accountId });
    expect((await account()).freshness.stale_reason).toContain('may be missing');
    clock.advance(20_000);
    expect((await account()).freshness).not.toHaveProperty('stale_reason');
  });
});

describe('an entity that was just deleted', () => {
  it('an entity that was just deleted is not found, and the error does not mention a missing write', async () => {
    const started = await startWarm(payees);
    const { client } = started;
    const { data } = await write(started);
    const transaction_id = data.transaction_ids[0] ?? '';
    await callOperation(client, deleteTransaction, { transaction_id });
    const { code, message } = await failureOf(callOperation(client, getTransaction, { transaction_id }));
    expect(code).toBe('resource_not_found');
    expect(message).not.toContain('may be missing');
  });
});

describe('an entity that was just created', () => {
  it('an entity that was just created, and that a lagging copy does not contain, is not found with a remark on the write', async () => {
    const started = await startHolding({ cacheBytes: 0 });
    const { client, altering } = started;
    const { data } = await write(started);
    const transaction_id = data.transaction_ids[0] ?? '';
    const elsewhere = '00000000-0000-4000-8000-000000000000';
    expect(
      (await failureOf(callOperation(client, getTransaction, { transaction_id: elsewhere }))).message,
    ).toContain('may be missing');
    altering.answer = (_, body) => body;
    expect((await callOperation(client, getTransaction, { transaction_id })).freshness).not.toHaveProperty(
      'stale_reason',
    );
  });
});

describe('an export', () => {
  it('an export of another budget is refused, and cached data is returned', async () => {
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

describe('changes of other people', () => {
  it.each([
    ['the wall clock was set back by an hour', -3_600_000, 6_000],
    ['the machine has slept for an hour, with its monotonic clock standing still', 3_600_000, 0],
  ])('a change of other people is seen although %s', async (_, jump, later) => {
    const { client, clock, ledger } = await startWarm(payees);
    ledger.commit((books) => createPayee(books, 'Florist'));
    clock.setWallClock(clock.now() + jump);
    clock.advance(later);
    const { data, freshness } = await payees(client);
    expect(data.payees.map(({ name }) => name)).toContain('Florist');
    expect(Date.parse(freshness.as_of)).toBe(clock.now());
  });
});

describe('a service in maintenance', () => {
  it('a service is read again as soon as its maintenance is over, because its refusals use up no requests', async () => {
    const { client, clock, service } = await startWarm(payees);
    const { leftForReads } = (await client.status()).requests;
    service.maintenance = true;
    for (let asked = 0; asked < 200; asked += 1) await failureOf(client.begin().refresh(false));
    expect((await client.status()).requests.leftForReads).toBe(leftForReads);
    service.maintenance = false;
    clock.advance(60_000);
    expect((await payees(client)).freshness).not.toHaveProperty('stale_reason');
  });
});
