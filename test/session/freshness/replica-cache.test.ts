import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { payeesOf, startCache, unavailable } from '../../model/replica/cache-fixture.helper.ts';
import { START } from '../../service/ledger/random-changes.helper.ts';
import { failureOf } from '../sending.helper.ts';

describe('cached budgets', () => {
  it('a budget is loaded once, then updated with deltas', async () => {
    const { cache, requests, syncNow, addPayee, clock } = startCache();
    const { replica } = await syncNow();
    const { knowledge } = replica;
    addPayee('Florist');
    clock.advance(1000);
    const cached = await syncNow();
    expect(payeesOf(cached)).toContain('Florist');
    expect(cached.asOf.wall).toBe(START + 1000);
    expect(requests.map(({ since }) => since)).toEqual([undefined, knowledge]);
    expect(cache.entries.status()).toMatchObject({ syncs: 1, loads: 1, too_large: [] });
    expect(cache.entries.status().cached).toEqual([
      {
        budget_id: 'home',
        as_of: cached.asOf.wall,
        bytes: replica.bytes,
        server_knowledge: replica.knowledge,
      },
    ]);
  });

  it('the age of a budget starts when it was requested, not when it arrived', async () => {
    const { cache, clock, request } = startCache();
    const cached = cache.sync('home');
    clock.advance(9000);
    await request(0).respond();
    expect((await cached).asOf.wall).toBe(START);
  });

  it('the cached budget stays available during a sync', async () => {
    const { cache, syncNow, request } = startCache();
    await syncNow();
    const sync = cache.sync('home');
    expect(cache.entries.status().cached).toHaveLength(1);
    expect(cache.entries.peek('home')).toMatchObject({ asOf: { wall: START } });
    await request(1).respond();
    await sync;
  });
});

describe('shared requests', () => {
  it('concurrent callers share one request', async () => {
    const { cache, requests, request } = startCache();
    const callers = Array.from({ length: 50 }, () => cache.sync('home'));
    await request(0).respond();
    const cached = await Promise.all(callers);
    expect(new Set(cached.map(({ replica }) => replica)).size).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it('when 49 of 50 callers cancel, they return immediately and the request continues', async () => {
    const { cache, requests, request } = startCache();
    const controllers = Array.from({ length: 49 }, () => new AbortController());
    const cancelled = controllers.map((controller) => failureOf(cache.sync('home', controller)));
    const remaining = cache.sync('home', new AbortController());
    for (const controller of controllers) controller.abort();
    expect((await Promise.all(cancelled)).map(({ code }) => code)).toEqual(Array(49).fill('cancelled'));
    expect(request(0).signal.aborted).toBe(false);
    await request(0).respond();
    expect(payeesOf(await remaining)).toContain('Baker');
    expect(requests).toHaveLength(1);
  });

  it('a request is cancelled when its last caller cancels, and later callers share a new one', async () => {
    const { cache, requests, request } = startCache();
    const controllers = new AbortController();
    const failure = failureOf(cache.sync('home', controllers));
    controllers.abort();
    let laterSync: ReturnType<typeof cache.sync> | undefined;
    request(0).signal.addEventListener('abort', () => {
      laterSync = cache.sync('home');
    });
    expect((await failure).code).toBe('cancelled');
    expect(request(0).signal.aborted).toBe(true);
    const later = cache.sync('home');
    expect(requests).toHaveLength(2);
    await request(0).respond();
    expect(cache.entries.peek('home')).toBeUndefined();
    await request(1).respond();
    expect(payeesOf((await laterSync) ?? expect.unreachable())).toContain('Baker');
    expect((await later).replica).toBe((await laterSync)?.replica);
    expect(cache.entries.whyNotCached('home')).toBeUndefined();
    expect(cache.entries.status().loads).toBe(1);
  });

  it('a request that fails rejects for all callers, and the cached budget stays', async () => {
    const { cache, syncNow, request, clock } = startCache();
    await syncNow();
    clock.advance(1000);
    const callers = [cache.sync('home'), cache.sync('home')].map(failureOf);
    request(1).fail();
    expect(await Promise.all(callers)).toEqual([unavailable, unavailable]);
    expect(cache.entries.peek('home')).toMatchObject({ asOf: { wall: START }, lacksWrite: false });
    expect(cache.entries.status()).toMatchObject({ syncs: 0, loads: 1 });
  });

  it('a reload requests the whole budget, and the cached one stays until it arrives', async () => {
    const { cache, syncNow, request, requests } = startCache();
    const before = await syncNow();
    const sync = cache.sync('home');
    const reloads = [cache.sync('home', {}, true), cache.sync('home', {}, true)];
    await request(1).respond();
    await sync;
    expect(requests).toHaveLength(3);
    request(2).fail();
    for (const reload of reloads) await expect(reload).rejects.toBe(unavailable);
    expect(cache.entries.peek('home')?.replica).toBe(before.replica);

    const reload = cache.sync('home', {}, true);
    await request(3).respond();
    expect(request(3).since).toBeUndefined();
    expect((await reload).replica).not.toBe(before.replica);
    expect(cache.entries.peek('home')?.replica).toBe((await reload).replica);
  });
});

describe('changes of cached budgets', () => {
  it('a change is reported after a load and after a sync with changes, but not after a sync without', async () => {
    const { syncNow, addPayee, changed } = startCache();
    await syncNow();
    expect(changed).toEqual(['home']);
    await syncNow();
    expect(changed).toEqual(['home']);
    addPayee('Florist');
    await syncNow();
    expect(changed).toEqual(['home', 'home']);
  });

  it('a change is reported after a reload, because it replaces the replica', async () => {
    const { cache, syncNow, request, changed } = startCache();
    await syncNow();
    const reload = cache.sync('home', {}, true);
    await request(1).respond();
    await reload;
    expect(changed).toEqual(['home', 'home']);
  });
});

describe('budgets that do not exist', () => {
  const notFound = new BudgetError('resource_not_found', 'There is no such budget.');

  it('a budget that the service does not have is removed from the cache, and why is known', async () => {
    const { cache, syncNow, request } = startCache();
    await syncNow();
    const failure = failureOf(cache.sync('home'));
    request(1).fail(notFound);
    expect(await failure).toBe(notFound);
    expect(cache.entries.peek('home')).toBeUndefined();
    expect(cache.entries.whyNotCached('home')).toBe(notFound);
  });
});

describe('limits of the cache', () => {
  it('the status lists a budget for a minute after its load failed', async () => {
    const { cache, request, clock, syncNow } = startCache();
    clock.advance(90_000);
    const failure = failureOf(cache.sync('home'));
    request(0).fail();
    await failure;
    expect(cache.entries.status().failing).toEqual(['home']);
    await syncNow('studio');
    expect(cache.entries.status().failing).toEqual(['home']);
    clock.advance(60_000);
    expect(cache.entries.status().failing).toEqual([]);
  });

  it('the status does not list a cached budget whose sync failed as failing', async () => {
    const { cache, syncNow, request } = startCache();
    await syncNow();
    const failure = failureOf(cache.sync('home'));
    request(1).fail();
    await failure;
    expect(cache.entries.status().failing).toEqual([]);
    expect(cache.entries.whyNotCached('home')).toBeUndefined();
  });

  it('after a failed load a budget is not cached for a minute, but after a cancelled one it is', async () => {
    const { cache, request, syncNow, clock } = startCache();
    const controllers = new AbortController();
    const cancelled = failureOf(cache.sync('home', controllers));
    controllers.abort();
    await cancelled;
    request(0).fail();
    await syncNow('studio');
    expect(cache.entries.whyNotCached('home')).toBeUndefined();
    const failure = failureOf(cache.sync('home'));
    request(2).fail();
    await failure;
    expect(cache.entries.whyNotCached('home')).toBeDefined();
    clock.advance(59_999);
    expect(cache.entries.whyNotCached('home')).toBeDefined();
    clock.advance(1);
    expect(cache.entries.whyNotCached('home')).toBeUndefined();
  });

  it('a budget that is too large is returned but not cached, and the status lists it', async () => {
    const { cache, syncNow } = startCache(1000);
    expect(payeesOf(await syncNow())).toContain('Baker');
    expect(cache.entries.peek('home')).toBeUndefined();
    expect(cache.entries.whyNotCached('home')).toBeDefined();
    expect(cache.entries.status()).toMatchObject({ cached: [], bytes: 0, too_large: ['home'] });
  });

  it('the least recently used budget is evicted, and loaded again when it is needed', async () => {
    const { bytes } = (await startCache().syncNow()).replica;
    const { cache, syncNow, request } = startCache(2.5 * bytes);
    for (const id of ['a', 'b']) await syncNow(id);
    cache.entries.peek('a');
    await syncNow('c');
    expect(
      cache.entries
        .status()
        .cached.map(({ budget_id }) => budget_id)
        .toSorted(),
    ).toEqual(['a', 'c']);
    expect(cache.entries.status().too_large).toEqual([]);
    expect(cache.entries.whyNotCached('b')).toBeUndefined();
    await syncNow('b');
    expect(request(3)).toMatchObject({ budgetId: 'b', since: undefined });
  });

  it('eviction does not disturb a load: two budgets load at once with space for one', async () => {
    const { bytes } = (await startCache().syncNow()).replica;
    const { cache, syncNow, request } = startCache(1.5 * bytes);
    await syncNow('a');
    const firstLoad = cache.sync('a');
    const secondLoad = cache.sync('b');
    await request(2).respond();
    expect(payeesOf(await secondLoad)).toContain('Baker');
    await request(1).respond();
    expect(payeesOf(await firstLoad)).toContain('Baker');
    expect(cache.entries.status()).toMatchObject({ too_large: [] });
    expect(cache.entries.status().cached).toHaveLength(1);
  });
});
