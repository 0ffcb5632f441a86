import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { InconsistentReplicaError } from '../../src/replica/inconsistent-replica-error.ts';
import { failureOf } from '../client/sending.ts';
import { START } from '../service/ledger/random-changes.ts';
import { payeesOf, start, unavailable } from './holding-cache.ts';

describe('a budget', () => {
  it('is loaded whole once, then asked for what has changed since', async () => {
    const { cache, requests, synced, addPayee, clock } = start();
    const { replica } = await synced();
    const { knowledge } = replica;
    addPayee('Florist');
    clock.advance(1000);
    const held = await synced();
    expect(payeesOf(held)).toContain('Florist');
    expect(held.asOf.wall).toBe(START + 1000);
    expect(requests.map(({ since }) => since)).toEqual([undefined, knowledge]);
    expect(cache.status()).toMatchObject({ syncs: 1, loads: 1, too_large: [] });
    expect(cache.status().cached).toEqual([
      { budget_id: 'home', as_of: held.asOf.wall, bytes: replica.bytes, server_knowledge: replica.knowledge },
    ]);
  });

  it('holds as of the moment at which it was asked for, not at which it came', async () => {
    const { cache, clock, request } = start();
    const held = cache.sync('home');
    clock.advance(9000);
    await request(0).answer();
    expect((await held).asOf.wall).toBe(START);
  });

  it('is told of while it is being synced', async () => {
    const { cache, synced, request } = start();
    await synced();
    const sync = cache.sync('home');
    expect(cache.status().cached).toHaveLength(1);
    expect(cache.peek('home')).toMatchObject({ asOf: { wall: START } });
    await request(1).answer();
    await sync;
  });
});

describe('a request', () => {
  it('is one for any number of callers', async () => {
    const { cache, requests, request } = start();
    const callers = Array.from({ length: 50 }, () => cache.sync('home'));
    await request(0).answer();
    const held = await Promise.all(callers);
    expect(new Set(held.map(({ replica }) => replica)).size).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it('goes on for the one who stays when 49 of 50 leave, who leave at once', async () => {
    const { cache, requests, request } = start();
    const leaving = Array.from({ length: 49 }, () => new AbortController());
    const leavers = leaving.map(({ signal }) => failureOf(cache.sync('home', signal)));
    const stayer = cache.sync('home', new AbortController().signal);
    for (const each of leaving) each.abort();
    expect((await Promise.all(leavers)).map(({ code }) => code)).toEqual(Array(49).fill('cancelled'));
    expect(request(0).signal.aborted).toBe(false);
    await request(0).answer();
    expect(payeesOf(await stayer)).toContain('Baker');
    expect(requests).toHaveLength(1);
  });

  it('is cancelled when the last of its callers has left; callers that come then share a new one', async () => {
    const { cache, requests, request } = start();
    const leaving = new AbortController();
    const failure = failureOf(cache.sync('home', leaving.signal));
    leaving.abort();
    let newcomer: ReturnType<typeof cache.sync> | undefined;
    request(0).signal.addEventListener('abort', () => {
      newcomer = cache.sync('home');
    });
    expect((await failure).code).toBe('cancelled');
    expect(request(0).signal.aborted).toBe(true);
    const later = cache.sync('home');
    expect(requests).toHaveLength(2);
    await request(0).answer();
    expect(cache.peek('home')).toBeUndefined();
    await request(1).answer();
    expect(payeesOf((await newcomer) ?? expect.unreachable())).toContain('Baker');
    expect((await later).replica).toBe((await newcomer)?.replica);
    expect(cache.canCache('home')).toBe(true);
    expect(cache.status().loads).toBe(1);
  });

  it('that fails fails for all, and what is held stays as it was', async () => {
    const { cache, synced, request, clock } = start();
    await synced();
    clock.advance(1000);
    const callers = [cache.sync('home'), cache.sync('home')].map(failureOf);
    request(1).fail();
    expect(await Promise.all(callers)).toEqual([unavailable, unavailable]);
    expect(cache.peek('home')).toMatchObject({ asOf: { wall: START }, lacksWrite: false });
    expect(cache.status()).toMatchObject({ syncs: 0, loads: 1 });
  });

  it('for the whole budget is made by a reload, and what is held stays until it has come', async () => {
    const { cache, synced, request, requests } = start();
    const before = await synced();
    const sync = cache.sync('home');
    const reloads = [cache.reload('home'), cache.reload('home')];
    await request(1).answer();
    await sync;
    expect(requests).toHaveLength(3);
    request(2).fail();
    for (const reload of reloads) await expect(reload).rejects.toBe(unavailable);
    expect(cache.peek('home')?.replica).toBe(before.replica);

    const reload = cache.reload('home');
    await request(3).answer();
    expect(request(3).since).toBeUndefined();
    expect((await reload).replica).not.toBe(before.replica);
    expect(cache.peek('home')?.replica).toBe((await reload).replica);
  });
});

describe('a change of what is held', () => {
  it('is told after a load and after a sync that brought something, and not after one that brought nothing', async () => {
    const { synced, addPayee, changed } = start();
    await synced();
    expect(changed).toEqual(['home']);
    await synced();
    expect(changed).toEqual(['home']);
    addPayee('Florist');
    await synced();
    expect(changed).toEqual(['home', 'home']);
  });

  it('is told after a reload, whose budget is another object', async () => {
    const { cache, synced, request, changed } = start();
    await synced();
    const reload = cache.reload('home');
    await request(1).answer();
    await reload;
    expect(changed).toEqual(['home', 'home']);
  });
});

describe('a budget that the service says is not there', () => {
  const notFound = new BudgetError('resource_not_found', 'There is no such budget.');

  it('is held no longer, and its load does not count as failed', async () => {
    const { cache, synced, request } = start();
    await synced();
    const failure = failureOf(cache.sync('home'));
    request(1).fail(notFound);
    expect(await failure).toBe(notFound);
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.canCache('home')).toBe(true);
    expect(cache.status()).toMatchObject({ cached: [], failing: [] });
  });
});

describe('a budget that contradicts itself', () => {
  it('is an answer that nobody expected, which says what is wrong with it', async () => {
    const { cache, request } = start();
    const failure = failureOf(cache.sync('home'));
    await request(0).answer(({ budget, ...rest }) => ({ ...rest, budget: { ...budget, accounts: [] } }));
    const { code, message, cause } = await failure;
    expect(code).toBe('unexpected_response');
    expect(cause).toBeInstanceOf(InconsistentReplicaError);
    expect(message).toMatch(/^The whole budget contradicts itself: .* refers to an unknown account/);
  });
});

describe('what can be held', () => {
  it('names the budgets whose load has failed, for a minute', async () => {
    const { cache, request, clock, synced } = start();
    clock.advance(90_000);
    const failure = failureOf(cache.sync('home'));
    request(0).fail();
    await failure;
    expect(cache.status().failing).toEqual(['home']);
    await synced('studio');
    expect(cache.status().failing).toEqual(['home']);
    clock.advance(60_000);
    expect(cache.status().failing).toEqual([]);
  });

  it('does not name a budget that is held although it could not be synced', async () => {
    const { cache, synced, request } = start();
    await synced();
    const failure = failureOf(cache.sync('home'));
    request(1).fail();
    await failure;
    expect(cache.status().failing).toEqual([]);
    expect(cache.canCache('home')).toBe(true);
  });

  it('rests for a minute where a load has failed, not where it was cancelled', async () => {
    const { cache, request, synced, clock } = start();
    const leaving = new AbortController();
    const cancelled = failureOf(cache.sync('home', leaving.signal));
    leaving.abort();
    await cancelled;
    request(0).fail();
    await synced('studio');
    expect(cache.canCache('home')).toBe(true);
    const failure = failureOf(cache.sync('home'));
    request(2).fail();
    await failure;
    expect(cache.canCache('home')).toBe(false);
    clock.advance(59_999);
    expect(cache.canCache('home')).toBe(false);
    clock.advance(1);
    expect(cache.canCache('home')).toBe(true);
  });

  it('leaves out a budget that is too large, and says so; its loader has it all the same', async () => {
    const { cache, synced } = start(1000);
    expect(payeesOf(await synced())).toContain('Baker');
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.canCache('home')).toBe(false);
    expect(cache.status()).toMatchObject({ cached: [], bytes: 0, too_large: ['home'] });
  });

  it('gives up the budget used longest ago, and loads it anew when it is wanted', async () => {
    const { bytes } = (await start().synced()).replica;
    const { cache, synced, request } = start(2.5 * bytes);
    for (const id of ['a', 'b']) await synced(id);
    cache.peek('a');
    await synced('c');
    expect(
      cache
        .status()
        .cached.map(({ budget_id }) => budget_id)
        .toSorted(),
    ).toEqual(['a', 'c']);
    expect(cache.status().too_large).toEqual([]);
    expect(cache.canCache('b')).toBe(true);
    await synced('b');
    expect(request(3)).toMatchObject({ budgetId: 'b', since: undefined });
  });

  it('disturbs no load by giving up others: two budgets at once where there is room for one', async () => {
    const { bytes } = (await start().synced()).replica;
    const { cache, synced, request } = start(1.5 * bytes);
    await synced('a');
    const again = cache.sync('a');
    const other = cache.sync('b');
    await request(2).answer();
    expect(payeesOf(await other)).toContain('Baker');
    await request(1).answer();
    expect(payeesOf(await again)).toContain('Baker');
    expect(cache.status()).toMatchObject({ too_large: [] });
    expect(cache.status().cached).toHaveLength(1);
  });
});
