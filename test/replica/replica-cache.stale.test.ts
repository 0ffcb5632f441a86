/** What is held, and whether it may still be answered from: after a write, and after a delta that makes no sense. */
import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { momentOf } from '../../src/platform/clock.ts';
import type { Export } from '../../src/replica/entities.ts';
import { failureOf } from '../client/sending.ts';
import { START } from '../service/ledger/random-changes.ts';
import { payeesOf, start, unavailable } from './holding-cache.ts';

const ofAnother = (data: Export): Export => ({ ...data, budget: { ...data.budget, id: 'another' } });
/** Its last transaction is on an account that there is not. */
const dangling = ({ budget, ...rest }: Export): Export => ({ ...rest, budget: { ...budget, accounts: [] } });

describe('after a write', () => {
  it('what is held is stale until a sync that was asked for later', async () => {
    const { cache, marks, synced } = start();
    await synced();
    expect(cache.peek('home')?.lacksWrite).toBe(false);
    marks.written('home');
    expect(cache.peek('home')?.lacksWrite).toBe(true);
    await synced();
    expect(cache.peek('home')?.lacksWrite).toBe(false);
  });

  it('a sync that was under way does not count: who asks then gets another one', async () => {
    const { cache, marks, synced, request, requests, addPayee } = start();
    await synced();
    const early = cache.sync('home');
    const answered = request(1).answer();
    await answered;
    addPayee('Florist');
    marks.written('home');
    const late = [cache.sync('home'), cache.sync('home')];
    expect(payeesOf(await early)).toEqual(expect.any(Array));
    expect(cache.peek('home')?.lacksWrite).toBe(true);
    await Promise.resolve();
    expect(requests).toHaveLength(3);
    await request(2).answer();
    for (const held of await Promise.all(late)) expect(payeesOf(held)).toContain('Florist');
    expect(cache.peek('home')?.lacksWrite).toBe(false);
  });

  it('a caller who waits for another sync may leave at once', async () => {
    const { cache, marks, request, requests } = start();
    const early = cache.sync('home');
    marks.written('home');
    const leaving = new AbortController();
    const failure = failureOf(cache.sync('home', leaving.signal));
    leaving.abort();
    expect((await failure).code).toBe('cancelled');
    await request(0).answer();
    await early;
    expect(requests).toHaveLength(1);
  });

  it('what was read for its sake is learnt, and needs no sync', async () => {
    const { cache, marks, synced, service, addPayee, clock } = start();
    const { replica } = await synced();
    const since = replica.knowledge;
    addPayee('Florist');
    marks.written('home');
    clock.advance(500);
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    const held = cache.peek('home');
    expect(held).toMatchObject({ lacksWrite: false, asOf: { wall: START + 500 } });
    expect(held && payeesOf(held)).toContain('Florist');
  });

  it('what was read for its sake is no news to a sync that has come meanwhile', async () => {
    const { cache, marks, synced, service, addPayee, clock } = start();
    const since = (await synced()).replica.knowledge;
    addPayee('Florist');
    const delta = await service.export(since);
    addPayee('Glazier');
    clock.advance(500);
    marks.written('home');
    await synced();
    cache.applyDelta('home', delta, since, momentOf(clock));
    expect(cache.peek('home')).toMatchObject({ lacksWrite: false, asOf: { wall: START + 500 } });
    expect(payeesOf(await synced())).toContain('Glazier');
    expect(cache.status().loads).toBe(1);
  });

  it('the service has not been asked until the next sync', async () => {
    const { cache, marks, synced } = start();
    await synced();
    expect(cache.peek('home')?.isAskedSinceWrite).toBe(true);
    marks.written('home');
    expect(cache.peek('home')?.isAskedSinceWrite).toBe(false);
    await synced();
    expect(cache.peek('home')?.isAskedSinceWrite).toBe(true);
  });

  it('what was read for its sake makes nothing younger where it does not show another write', async () => {
    const { cache, marks, synced, service, addPayee, clock } = start();
    const since = (await synced()).replica.knowledge;
    addPayee('Florist');
    marks.written('home', { id: 'w', shows: () => false });
    clock.advance(500);
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    expect(cache.peek('home')).toMatchObject({ lacksWrite: true, asOf: { wall: START } });
  });

  it('what was read for its sake makes nothing older', async () => {
    const { cache, synced, service, clock } = start();
    const earlier = momentOf(clock);
    clock.advance(500);
    const since = (await synced()).replica.knowledge;
    cache.applyDelta('home', await service.export(since), since, earlier);
    expect(cache.peek('home')).toMatchObject({ asOf: { wall: START + 500 } });
  });

  it('what was read for its sake is left alone where newer knowledge was seen', async () => {
    const { cache, marks, synced, service, addPayee, clock } = start();
    const since = (await synced()).replica.knowledge;
    addPayee('Florist');
    const delta = await service.export(since);
    marks.seen('home', delta.server_knowledge + 1);
    clock.advance(500);
    cache.applyDelta('home', delta, since, momentOf(clock));
    const held = cache.peek('home') ?? expect.unreachable();
    expect(held.asOf.wall).toBe(START);
    expect(payeesOf(held)).not.toContain('Florist');
  });

  it('what was read for its sake is left alone where it does not follow on what is held', async () => {
    const { cache, marks, synced, service, addPayee, clock } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const since = replica.knowledge + 1;
    marks.written('home');
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    cache.applyDelta('studio', await service.export(since), since, momentOf(clock));
    expect(cache.peek('home')?.lacksWrite).toBe(true);
    expect(cache.peek('studio')).toBeUndefined();
  });

  it('what was read for its sake is not learnt once the month has ended, of which no delta need tell', async () => {
    const { cache, marks, synced, service, clock } = start();
    const { replica } = await synced();
    const since = replica.knowledge;
    clock.advance(Date.parse('2026-02-01') - clock.now());
    marks.written('home');
    cache.applyDelta('home', await service.export(since), since, momentOf(clock));
    expect(cache.peek('home')).toMatchObject({ lacksWrite: true, asOf: { wall: START } });
    await synced();
    expect(cache.status()).toMatchObject({ loads: 2, syncs: 0 });
  });

  it('what contradicts what is held spoils it', async () => {
    const { cache, synced, service, clock } = start();
    const { replica } = await synced();
    cache.applyDelta(
      'home',
      ofAnother(await service.export(replica.knowledge)),
      replica.knowledge,
      momentOf(clock),
    );
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.status().cached).toEqual([]);
  });
});

describe('a delta that cannot be applied', () => {
  it('since it is of another budget makes the budget be loaded anew, within the same call', async () => {
    const { cache, synced, request, requests, addPayee } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const sync = cache.sync('home');
    await request(1).answer(ofAnother);
    await Promise.resolve();
    expect(cache.peek('home')).toBeUndefined();
    await request(2).answer();
    const held = await sync;
    expect(held.replica).not.toBe(replica);
    expect(payeesOf(held)).toContain('Florist');
    expect(requests.map(({ since }) => since)).toEqual([undefined, replica.knowledge, undefined]);
    expect(cache.status()).toMatchObject({ syncs: 1, loads: 2 });
  });

  it('is never answered from, also where loading anew fails, and rests then', async () => {
    const { cache, synced, request, clock } = start();
    await synced();
    const failure = failureOf(cache.sync('home'));
    await request(1).answer(ofAnother);
    await Promise.resolve();
    request(2).fail();
    expect(await failure).toBe(unavailable);
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.status().cached).toEqual([]);
    expect(cache.canCache('home')).toBe(false);
    clock.advance(60_000);
    const held = cache.sync('home');
    expect(request(3).since).toBeUndefined();
    await request(3).answer();
    expect(payeesOf(await held)).toContain('Baker');
  });

  it('is an answer that nobody expected where the budget as a whole contradicts itself', async () => {
    const { cache, request } = start();
    const failure = failureOf(cache.sync('home'));
    await request(0).answer(dangling);
    expect(await failure).toMatchObject({ code: 'unexpected_response' });
    expect(await failure).toBeInstanceOf(BudgetError);
    expect(cache.peek('home')).toBeUndefined();
  });

  it('is no such delta when it comes twice', async () => {
    const { cache, synced, service, request, addPayee } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const delta = await service.export(replica.knowledge);
    for (const index of [1, 2]) {
      const sync = cache.sync('home');
      await request(index).answer(() => delta);
      expect(payeesOf(await sync).filter((name) => name === 'Florist')).toHaveLength(1);
    }
    expect(cache.status()).toMatchObject({ syncs: 2, loads: 1 });
  });
});
