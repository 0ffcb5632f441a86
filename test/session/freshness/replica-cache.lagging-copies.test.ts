/** Responses of a lagging copy of the service, or of a service that was reset. */
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/base/clock.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { LAG_MS } from '../../../src/session/freshness/watermarks.ts';
import { payeesOf, startCache } from '../../model/replica/cache-fixture.helper.ts';
import { START } from '../../service/ledger/random-changes.helper.ts';

/** The response of a copy that knows nothing newer than `knowledge`. */
const behind =
  (knowledge: number) =>
  (data: Export): Export => ({
    budget: { ...data.budget, payees: [], categories: [], months: [], transactions: [], accounts: [] },
    server_knowledge: knowledge,
  });

/** Runs pending promise callbacks. */
const flushPromises = async () => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};

describe('deltas of a lagging copy', () => {
  it('a delta that is behind is requested again, and the next one is used', async () => {
    const { cache, syncNow, request, requests, addPayee, clock } = startCache();
    const { knowledge } = (await syncNow()).replica;
    addPayee('Florist');
    clock.advance(6_000);
    const sync = cache.sync('home');
    const before = clock.monotonic();
    await request(1).respond(behind(knowledge - 1));
    await flushPromises();
    expect(clock.monotonic() - before).toBe(300);
    await request(2).respond();
    const cached = await sync;
    expect(cached).toMatchObject({ isLagging: false, lacksWrite: false, asOf: momentOf(clock) });
    expect(payeesOf(cached)).toContain('Florist');
    expect(requests.map(({ since }) => since)).toEqual([undefined, knowledge, knowledge]);
  });

  it('after three deltas that are behind, the cached budget and its age stay, and no other process gets them', async () => {
    const { cache, syncNow, request, requests, clock, reads } = startCache();
    const { replica } = await syncNow();
    const { knowledge } = replica;
    clock.advance(6_000);
    const sync = cache.sync('home');
    const before = clock.monotonic();
    for (const index of [1, 2, 3]) {
      await request(index).respond(behind(knowledge - 1));
      await flushPromises();
    }
    const cached = await sync;
    expect(clock.monotonic() - before).toBe(300 + 1_000);
    expect(cached).toMatchObject({ isLagging: true, asOf: { wall: START } });
    expect(cached.replica).toBe(replica);
    expect(replica.knowledge).toBe(knowledge);
    expect(requests).toHaveLength(4);
    expect(reads).toHaveLength(1);
  });

  it('a newer delta without a write of this process is applied, but the budget does not become younger', async () => {
    const { cache, marks, syncNow, service, request, addPayee, clock } = startCache();
    const { replica } = await syncNow();
    addPayee('Florist');
    const lagging = await service.export(replica.knowledge);
    addPayee('Glazier');
    clock.advance(500);
    marks.recordWrite('home', { knowledge: lagging.server_knowledge + 1 });
    const sync = cache.sync('home');
    for (const index of [1, 2, 3]) {
      await request(index).respond(() => lagging);
      await flushPromises();
    }
    const cached = await sync;
    expect(cached).toMatchObject({ isLagging: true, lacksWrite: true, asOf: { wall: START } });
    expect(payeesOf(cached)).toContain('Florist');
    await syncNow();
    expect(cache.entries.peek('home')).toMatchObject({ isLagging: false, lacksWrite: false });
  });

  it('when deltas are behind for longer than a copy can lag, the budget is loaded again, because the service was reset', async () => {
    const { cache, syncNow, request, requests, addPayee, clock } = startCache();
    const { replica } = await syncNow();
    const afterReset = behind(replica.knowledge - 5);
    const first = cache.sync('home');
    for (const index of [1, 2, 3]) {
      await request(index).respond(afterReset);
      await flushPromises();
    }
    await first;
    addPayee('Florist');
    clock.advance(LAG_MS);
    const second = cache.sync('home');
    await request(4).respond(afterReset);
    await flushPromises();
    expect(request(5).since).toBeUndefined();
    const restored = (data: Export) => ({ ...data, server_knowledge: replica.knowledge - 5 });
    await request(5).respond(restored);
    const cached = await second;
    expect(cached).toMatchObject({ isLagging: false, asOf: momentOf(clock) });
    expect(cached.replica).not.toBe(replica);
    expect(payeesOf(cached)).toContain('Florist');
    expect(requests).toHaveLength(6);
  });

  it('deltas that are behind do not prove a reset if a newer one arrived in between', async () => {
    const { cache, syncNow, request, clock } = startCache();
    const { replica } = await syncNow();
    const lag = async (from: number) => {
      const sync = cache.sync('home');
      for (const index of [from, from + 1, from + 2]) {
        await request(index).respond(behind(replica.knowledge - 1));
        await flushPromises();
      }
      return sync;
    };
    await lag(1);
    clock.advance(10_000);
    await syncNow();
    clock.advance(LAG_MS);
    expect(await lag(5)).toMatchObject({ isLagging: true });
    expect(cache.entries.status().loads).toBe(1);
  });
});

describe('whole budgets of a lagging copy', () => {
  it('a whole budget that is behind does not replace the cached one', async () => {
    const { cache, syncNow, request } = startCache();
    const { replica } = await syncNow();
    const reload = cache.sync('home', {}, true);
    for (const index of [1, 2, 3]) {
      await request(index).respond((data) => ({ ...data, server_knowledge: replica.knowledge - 1 }));
      await flushPromises();
    }
    expect(await reload).toMatchObject({ replica, isLagging: true });
  });

  it('a whole budget that is behind is as old as a copy can lag when none was cached', async () => {
    const { cache, marks, service, request } = startCache();
    const { server_knowledge } = await service.export();
    marks.recordWrite('home', { knowledge: server_knowledge + 1 });
    const sync = cache.sync('home');
    for (const index of [0, 1, 2]) {
      await request(index).respond();
      await flushPromises();
    }
    expect(await sync).toMatchObject({
      isLagging: true,
      lacksWrite: true,
      asOf: { wall: START - LAG_MS },
    });
  });
});

describe('writes with lower knowledge', () => {
  it('a write whose response has lower knowledge than before proves a reset, and the budget is loaded again', async () => {
    const { cache, marks, syncNow, request, clock } = startCache();
    const { replica } = await syncNow();
    const before = marks.mark('home');
    const knowledge = replica.knowledge - 5;
    marks.recordWrite('home', { knowledge }, before);
    const sync = cache.sync('home');
    await request(1).respond(behind(knowledge));
    await flushPromises();
    expect(request(2).since).toBeUndefined();
    await request(2).respond((data) => ({ ...data, server_knowledge: knowledge }));
    expect(await sync).toMatchObject({ isLagging: false, lacksWrite: false, asOf: momentOf(clock) });
  });
});

describe('writes whose response had no knowledge', () => {
  const evidence = { id: 'w', shows: () => false };

  it('a write without knowledge counts as missing until the budget shows it', async () => {
    const { cache, marks, syncNow, request } = startCache();
    await syncNow();
    let isVisible = false;
    marks.recordWrite('home', { id: 'w', shows: () => isVisible });
    const sync = cache.sync('home');
    await request(1).respond();
    await flushPromises();
    isVisible = true;
    await request(2).respond();
    expect(await sync).toMatchObject({ isLagging: false, lacksWrite: false });
  });

  it('a write without knowledge counts as missing for no longer than a copy can lag', async () => {
    const { marks, syncNow, clock } = startCache();
    await syncNow();
    marks.recordWrite('home', evidence);
    clock.advance(LAG_MS);
    expect(await syncNow()).toMatchObject({ isLagging: false, lacksWrite: false });
  });

  it('a write without knowledge is replaced by a later write of the same entity', async () => {
    const { marks, syncNow } = startCache();
    await syncNow();
    marks.recordWrite('home', evidence);
    marks.recordWrite('home', { id: 'w', shows: () => true });
    expect(await syncNow()).toMatchObject({ isLagging: false, lacksWrite: false });
  });
});
