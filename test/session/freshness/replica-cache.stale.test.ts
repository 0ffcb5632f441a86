/** The cached budget after a write, and after a delta that cannot be applied. */
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/base/clock.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { payeesOf, startCache, unavailable } from '../../model/replica/cache-fixture.helper.ts';
import { START } from '../../service/ledger/random-changes.helper.ts';
import { failureOf } from '../sending.helper.ts';

const ofAnotherBudget = (data: Export): Export => ({ ...data, budget: { ...data.budget, id: 'another' } });

describe('after a write', () => {
  it('after a write the cached budget lacks it until a later sync', async () => {
    const { cache, marks, syncNow } = startCache();
    await syncNow();
    expect(cache.entries.peek('home')?.lacksWrite).toBe(false);
    marks.recordWrite('home');
    expect(cache.entries.peek('home')?.lacksWrite).toBe(true);
    await syncNow();
    expect(cache.entries.peek('home')?.lacksWrite).toBe(false);
  });

  it('a sync that started before a write does not count, and later callers get another one', async () => {
    const { cache, marks, syncNow, request, requests, addPayee } = startCache();
    await syncNow();
    const earlySync = cache.sync('home');
    const response = request(1).respond();
    await response;
    addPayee('Florist');
    marks.recordWrite('home');
    const lateSyncs = [cache.sync('home'), cache.sync('home')];
    expect(payeesOf(await earlySync)).toEqual(expect.any(Array));
    expect(cache.entries.peek('home')?.lacksWrite).toBe(true);
    await Promise.resolve();
    expect(requests).toHaveLength(3);
    await request(2).respond();
    for (const cached of await Promise.all(lateSyncs)) expect(payeesOf(cached)).toContain('Florist');
    expect(cache.entries.peek('home')?.lacksWrite).toBe(false);
  });

  it('a caller that waits for another sync can be cancelled immediately', async () => {
    const { cache, marks, request, requests } = startCache();
    const earlySync = cache.sync('home');
    marks.recordWrite('home');
    const controller = new AbortController();
    const failure = failureOf(cache.sync('home', controller));
    controller.abort();
    expect((await failure).code).toBe('cancelled');
    await request(0).respond();
    await earlySync;
    expect(requests).toHaveLength(1);
  });

  it('a delta that was read after a write is applied and replaces a sync', async () => {
    const { cache, marks, syncNow, service, addPayee, clock } = startCache();
    const { replica } = await syncNow();
    const since = replica.knowledge;
    addPayee('Florist');
    marks.recordWrite('home');
    clock.advance(500);
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    const cached = cache.entries.peek('home');
    expect(cached).toMatchObject({ lacksWrite: false, asOf: { wall: START + 500 } });
    expect(cached && payeesOf(cached)).toContain('Florist');
  });

  it('a delta that was read after a write does not undo a later sync', async () => {
    const { cache, marks, syncNow, service, addPayee, clock } = startCache();
    const since = (await syncNow()).replica.knowledge;
    addPayee('Florist');
    const delta = await service.export(since);
    addPayee('Glazier');
    clock.advance(500);
    marks.recordWrite('home');
    await syncNow();
    cache.applyDelta('home', delta, since, momentOf(clock));
    expect(cache.entries.peek('home')).toMatchObject({ lacksWrite: false, asOf: { wall: START + 500 } });
    expect(payeesOf(await syncNow())).toContain('Glazier');
    expect(cache.entries.status().loads).toBe(1);
  });

  it('after a write the service counts as not read until the next sync', async () => {
    const { cache, marks, syncNow } = startCache();
    await syncNow();
    expect(cache.entries.peek('home')?.isReadSinceWrite).toBe(true);
    marks.recordWrite('home');
    expect(cache.entries.peek('home')?.isReadSinceWrite).toBe(false);
    await syncNow();
    expect(cache.entries.peek('home')?.isReadSinceWrite).toBe(true);
  });

  it('a delta that was read after a write does not make the budget younger when another write is missing from it', async () => {
    const { cache, marks, syncNow, service, addPayee, clock } = startCache();
    const since = (await syncNow()).replica.knowledge;
    addPayee('Florist');
    marks.recordWrite('home', { id: 'w', shows: () => false });
    clock.advance(500);
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    expect(cache.entries.peek('home')).toMatchObject({ lacksWrite: true, asOf: { wall: START } });
  });

  it('a delta that was read after a write does not make the budget older', async () => {
    const { cache, syncNow, service, clock } = startCache();
    const earlier = momentOf(clock);
    clock.advance(500);
    const since = (await syncNow()).replica.knowledge;
    cache.applyDelta('home', await service.export(since), since, earlier);
    expect(cache.entries.peek('home')).toMatchObject({ asOf: { wall: START + 500 } });
  });

  it('a delta that was read after a write is ignored when newer knowledge is known', async () => {
    const { cache, marks, syncNow, service, addPayee, clock } = startCache();
    const since = (await syncNow()).replica.knowledge;
    addPayee('Florist');
    const delta = await service.export(since);
    marks.recordKnowledge('home', delta.server_knowledge + 1);
    clock.advance(500);
    cache.applyDelta('home', delta, since, momentOf(clock));
    const cached = cache.entries.peek('home') ?? expect.unreachable();
    expect(cached.asOf.wall).toBe(START);
    expect(payeesOf(cached)).not.toContain('Florist');
  });

  it('a delta that does not follow the cached budget is ignored', async () => {
    const { cache, marks, syncNow, service, addPayee, clock } = startCache();
    const { replica } = await syncNow();
    addPayee('Florist');
    const since = replica.knowledge + 1;
    marks.recordWrite('home');
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    cache.applyDelta('studio', await service.export(since), since, momentOf(clock));
    expect(cache.entries.peek('home')?.lacksWrite).toBe(true);
    expect(cache.entries.peek('studio')).toBeUndefined();
  });

  it('a delta that was read in the next month is ignored', async () => {
    const { cache, marks, syncNow, service, clock } = startCache();
    const { replica } = await syncNow();
    const since = replica.knowledge;
    clock.advance(Date.parse('2026-02-01') - clock.now());
    marks.recordWrite('home');
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    expect(cache.entries.peek('home')).toMatchObject({ lacksWrite: true, asOf: { wall: START } });
    await syncNow();
    expect(cache.entries.status()).toMatchObject({ loads: 2, syncs: 0 });
  });

  it('a delta that contradicts the cached budget makes it unusable', async () => {
    const { cache, syncNow, service, clock } = startCache();
    const { replica } = await syncNow();
    cache.applyDelta(
      'home',
      ofAnotherBudget(await service.export(replica.knowledge)),
      replica.knowledge,
      momentOf(clock),
    );
    expect(cache.entries.peek('home')).toBeUndefined();
    expect(cache.entries.status().cached).toEqual([]);
  });
});

describe('deltas that cannot be applied', () => {
  it('a delta of another budget causes a load of the whole budget within the same call', async () => {
    const { cache, syncNow, request, requests, addPayee } = startCache();
    const { replica } = await syncNow();
    addPayee('Florist');
    const sync = cache.sync('home');
    await request(1).respond(ofAnotherBudget);
    await Promise.resolve();
    expect(cache.entries.peek('home')).toBeUndefined();
    await request(2).respond();
    const cached = await sync;
    expect(cached.replica).not.toBe(replica);
    expect(payeesOf(cached)).toContain('Florist');
    expect(requests.map(({ since }) => since)).toEqual([undefined, replica.knowledge, undefined]);
    expect(cache.entries.status()).toMatchObject({ syncs: 1, loads: 2 });
  });

  it('a replica with a failed delta is never used, and after a failed load the budget is not cached for a minute', async () => {
    const { cache, syncNow, request, clock } = startCache();
    await syncNow();
    const failure = failureOf(cache.sync('home'));
    await request(1).respond(ofAnotherBudget);
    await Promise.resolve();
    request(2).fail();
    expect(await failure).toBe(unavailable);
    expect(cache.entries.peek('home')).toBeUndefined();
    expect(cache.entries.status().cached).toEqual([]);
    expect(cache.entries.whyNotCached('home')).toBeDefined();
    clock.advance(60_000);
    const cached = cache.sync('home');
    expect(request(3).since).toBeUndefined();
    await request(3).respond();
    expect(payeesOf(await cached)).toContain('Baker');
  });

  it('the same delta can arrive twice', async () => {
    const { cache, syncNow, service, request, addPayee } = startCache();
    const { replica } = await syncNow();
    addPayee('Florist');
    const delta = await service.export(replica.knowledge);
    for (const index of [1, 2]) {
      const sync = cache.sync('home');
      await request(index).respond(() => delta);
      expect(payeesOf(await sync).filter((name) => name === 'Florist')).toHaveLength(1);
    }
    expect(cache.entries.status()).toMatchObject({ syncs: 2, loads: 1 });
  });
});
