/** What a cache reports for other processes, and what it takes from them. */
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/base/clock.ts';
import { payeesOf, startCache } from '../../model/replica/cache-fixture.helper.ts';
import { START } from '../../service/ledger/random-changes.helper.ts';

describe('responses that other processes can use', () => {
  it('a load is reported without a delta, and a sync with its delta', async () => {
    const { syncNow, addPayee, reads } = startCache();
    const { replica, asOf } = await syncNow();
    const since = replica.knowledge;
    expect(reads).toEqual([{ budgetId: 'home', replica, asOf }]);
    addPayee('Florist');
    await syncNow();
    expect(reads[1]).toMatchObject({
      budgetId: 'home',
      delta: { since, data: { server_knowledge: since + 1 } },
    });
  });

  it('a delta that was read after a write is reported if it was applied', async () => {
    const { cache, marks, syncNow, service, addPayee, clock, reads } = startCache();
    const { replica } = await syncNow();
    const since = replica.knowledge;
    addPayee('Florist');
    clock.advance(500);
    const asOf = momentOf(clock);
    const data = await service.export(since);
    cache.applyDelta('home', data, since + 2, asOf);
    expect(reads).toHaveLength(1);
    cache.applyDelta('home', data, since, asOf);
    expect(reads.slice(1)).toEqual([{ budgetId: 'home', replica, asOf, delta: { data, since } }]);
    marks.recordKnowledge('home', data.server_knowledge + 1);
    cache.applyDelta('home', data, since, asOf);
    expect(reads).toHaveLength(2);
  });

  it('a budget that is too large for the cache is not reported', async () => {
    const { syncNow, reads } = startCache(1000);
    await syncNow();
    expect(reads).toEqual([]);
  });
});

describe('what another process has read', () => {
  it('that nothing had changed makes the budget younger, and never older', async () => {
    const { cache, clock, syncNow } = startCache();
    clock.advance(1_000);
    const early = momentOf(clock);
    clock.advance(1_000);
    await syncNow();
    const between = momentOf(clock);
    clock.advance(1_000);
    expect(cache.applyRead('home', early)).toBe(true);
    expect(cache.entries.peek('home')?.asOf).toEqual(between);
    expect(cache.applyRead('home', momentOf(clock))).toBe(true);
    expect(cache.entries.peek('home')?.asOf.wall).toBe(START + 3_000);
  });

  it('that nothing had changed at the moment of the last read shows the writes before it', async () => {
    const { cache, clock, marks, syncNow } = startCache();
    await syncNow();
    marks.recordWrite('home');
    expect(cache.entries.peek('home')?.lacksWrite).toBe(true);
    clock.advance(1);
    expect(cache.applyRead('home', momentOf(clock))).toBe(true);
    expect(cache.entries.peek('home')?.lacksWrite).toBe(false);
  });

  it('that nothing had changed is not used without the budget, or for another month', async () => {
    const { cache, clock, syncNow } = startCache();
    expect(cache.applyRead('home', momentOf(clock))).toBe(false);
    await syncNow();
    clock.advance(Date.parse('2026-02-01') - clock.now());
    expect(cache.applyRead('home', momentOf(clock))).toBe(false);
  });

  it('a delta is not used if it does not follow, contradicts the budget or lacks a write', async () => {
    const { cache, clock, marks, service, syncNow, addPayee } = startCache();
    const since = (await syncNow()).replica.knowledge;
    addPayee('Florist');
    const data = await service.export(since);
    const read = (change: object, from = since) =>
      cache.applyRead('home', momentOf(clock), { data: { ...data, ...change }, since: from });
    expect(read({}, since + 1)).toBe(false);
    expect(read({})).toBe(true);
    marks.recordWrite('home', { id: 'w', shows: () => false });
    clock.advance(1);
    expect(read({})).toBe(false);
    expect(read({ budget: { ...data.budget, id: 'another' } })).toBe(false);
    expect(cache.entries.peek('home')).toBeUndefined();
  });

  it('a whole budget of a lower knowledge than the highest known one is of a lagging copy', async () => {
    const { cache, clock, marks, syncNow } = startCache();
    const { replica } = await syncNow('studio');
    cache.restore('home', replica, momentOf(clock));
    expect(cache.entries.peek('home')).toMatchObject({ isLagging: false });
    marks.recordKnowledge('cabin', replica.knowledge + 1);
    cache.restore('cabin', replica, momentOf(clock));
    expect(cache.entries.peek('cabin')).toMatchObject({ isLagging: true });
  });

  it('a delta that a sync does not contain stays when the sync ends', async () => {
    const { cache, clock, service, syncNow, request, addPayee } = startCache();
    const since = (await syncNow()).replica.knowledge;
    const sync = cache.sync('home');
    const earlier = await service.export(since);
    addPayee('Florist');
    clock.advance(1);
    cache.applyRead('home', momentOf(clock), { data: await service.export(since), since });
    await request(1).respond(() => earlier);
    expect(payeesOf(await sync)).toContain('Florist');
    expect(cache.entries.status()).toMatchObject({ loads: 1, syncs: 1 });
  });

  it('a delta that was read after a write is ignored during a sync', async () => {
    const { cache, clock, service, syncNow, request, addPayee } = startCache();
    const since = (await syncNow()).replica.knowledge;
    addPayee('Florist');
    const sync = cache.sync('home');
    clock.advance(1);
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    expect(cache.entries.peek('home')).toMatchObject({ asOf: { wall: START } });
    await request(1).respond();
    expect(payeesOf(await sync)).toContain('Florist');
  });
});
