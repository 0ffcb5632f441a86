/** Answers of a copy of the service that lags, or of a service that was set back. */
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../src/platform/clock.ts';
import type { Export } from '../../src/replica/entities.ts';
import { LAG_MS } from '../../src/replica/watermarks.ts';
import { START } from '../service/ledger/random-changes.ts';
import { payeesOf, start } from './holding-cache.ts';

/** What a copy says that knows nothing newer than `knowledge`. */
const behind =
  (knowledge: number) =>
  (data: Export): Export => ({
    budget: { ...data.budget, payees: [], categories: [], months: [], transactions: [], accounts: [] },
    server_knowledge: knowledge,
  });

/** Lets whatever waits for an answer go on. */
const turns = async () => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};

describe('a delta that is behind what was seen of the budget', () => {
  it('is asked for again, and what comes then counts', async () => {
    const { cache, synced, request, requests, addPayee, clock } = start();
    const { knowledge } = (await synced()).replica;
    addPayee('Florist');
    clock.advance(6_000);
    const sync = cache.sync('home');
    const before = clock.monotonic();
    await request(1).answer(behind(knowledge - 1));
    await turns();
    expect(clock.monotonic() - before).toBe(300);
    await request(2).answer();
    const held = await sync;
    expect(held).toMatchObject({ isBehind: false, lacksWrite: false, asOf: momentOf(clock) });
    expect(payeesOf(held)).toContain('Florist');
    expect(requests.map(({ since }) => since)).toEqual([undefined, knowledge, knowledge]);
  });

  it('three times leaves what is held as it was and as old as it was', async () => {
    const { cache, synced, request, requests, clock } = start();
    const { replica } = await synced();
    const { knowledge } = replica;
    clock.advance(6_000);
    const sync = cache.sync('home');
    const before = clock.monotonic();
    for (const index of [1, 2, 3]) {
      await request(index).answer(behind(knowledge - 1));
      await turns();
    }
    const held = await sync;
    expect(clock.monotonic() - before).toBe(300 + 1_000);
    expect(held).toMatchObject({ isBehind: true, asOf: { wall: START } });
    expect(held.replica).toBe(replica);
    expect(replica.knowledge).toBe(knowledge);
    expect(requests).toHaveLength(4);
  });

  it('is applied where it is news, but makes nothing younger while a write of ours is missing', async () => {
    const { cache, marks, synced, service, request, addPayee, clock } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const lagging = await service.export(replica.knowledge);
    addPayee('Glazier');
    clock.advance(500);
    marks.written('home', { knowledge: lagging.server_knowledge + 1 });
    const sync = cache.sync('home');
    for (const index of [1, 2, 3]) {
      await request(index).answer(() => lagging);
      await turns();
    }
    const held = await sync;
    expect(held).toMatchObject({ isBehind: true, lacksWrite: true, asOf: { wall: START } });
    expect(payeesOf(held)).toContain('Florist');
    await synced();
    expect(cache.peek('home')).toMatchObject({ isBehind: false, lacksWrite: false });
  });

  it('proves that the service was set back once it has lasted longer than a copy may lag', async () => {
    const { cache, synced, request, requests, addPayee, clock } = start();
    const { replica } = await synced();
    const setBack = behind(replica.knowledge - 5);
    const first = cache.sync('home');
    for (const index of [1, 2, 3]) {
      await request(index).answer(setBack);
      await turns();
    }
    await first;
    addPayee('Florist');
    clock.advance(LAG_MS);
    const second = cache.sync('home');
    await request(4).answer(setBack);
    await turns();
    expect(request(5).since).toBeUndefined();
    const restored = (data: Export) => ({ ...data, server_knowledge: replica.knowledge - 5 });
    await request(5).answer(restored);
    const held = await second;
    expect(held).toMatchObject({ isBehind: false, asOf: momentOf(clock) });
    expect(held.replica).not.toBe(replica);
    expect(payeesOf(held)).toContain('Florist');
    expect(requests).toHaveLength(6);
  });

  it('proves nothing where a newer answer has come in between', async () => {
    const { cache, synced, request, clock } = start();
    const { replica } = await synced();
    const lag = async (from: number) => {
      const sync = cache.sync('home');
      for (const index of [from, from + 1, from + 2]) {
        await request(index).answer(behind(replica.knowledge - 1));
        await turns();
      }
      return sync;
    };
    await lag(1);
    clock.advance(10_000);
    await synced();
    clock.advance(LAG_MS);
    expect(await lag(5)).toMatchObject({ isBehind: true });
    expect(cache.status().loads).toBe(1);
  });
});

describe('a whole budget that is behind what was seen of it', () => {
  it('does not take the place of what is held', async () => {
    const { cache, synced, request } = start();
    const { replica } = await synced();
    const reload = cache.reload('home');
    for (const index of [1, 2, 3]) {
      await request(index).answer((data) => ({ ...data, server_knowledge: replica.knowledge - 1 }));
      await turns();
    }
    expect(await reload).toMatchObject({ replica, isBehind: true });
  });

  it('is as old as a copy may be where nothing is held', async () => {
    const { cache, marks, service, request } = start();
    const { server_knowledge } = await service.export();
    marks.written('home', { knowledge: server_knowledge + 1 });
    const sync = cache.sync('home');
    for (const index of [0, 1, 2]) {
      await request(index).answer();
      await turns();
    }
    expect(await sync).toMatchObject({
      isBehind: true,
      lacksWrite: true,
      asOf: { wall: START - LAG_MS },
    });
  });
});

describe('a write that tells lower knowledge than was seen before it', () => {
  it('proves that the service was set back: the budget is loaded anew', async () => {
    const { cache, marks, synced, request, clock } = start();
    const { replica } = await synced();
    const before = marks.mark('home');
    const knowledge = replica.knowledge - 5;
    marks.written('home', { knowledge }, before);
    const sync = cache.sync('home');
    await request(1).answer(behind(knowledge));
    await turns();
    expect(request(2).since).toBeUndefined();
    await request(2).answer((data) => ({ ...data, server_knowledge: knowledge }));
    expect(await sync).toMatchObject({ isBehind: false, lacksWrite: false, asOf: momentOf(clock) });
  });
});

describe('a write whose answer told no knowledge', () => {
  const evidence = { id: 'w', shows: () => false };

  it('is taken to be missing until it shows', async () => {
    const { cache, marks, synced, request } = start();
    await synced();
    let isThere = false;
    marks.written('home', { id: 'w', shows: () => isThere });
    const sync = cache.sync('home');
    await request(1).answer();
    await turns();
    isThere = true;
    await request(2).answer();
    expect(await sync).toMatchObject({ isBehind: false, lacksWrite: false });
  });

  it('is looked for no longer than a copy may lag, since others may have changed it', async () => {
    const { marks, synced, clock } = start();
    await synced();
    marks.written('home', evidence);
    clock.advance(LAG_MS);
    expect(await synced()).toMatchObject({ isBehind: false, lacksWrite: false });
  });

  it('is not looked for where a later one was about the same', async () => {
    const { marks, synced } = start();
    await synced();
    marks.written('home', evidence);
    marks.written('home', { id: 'w', shows: () => true });
    expect(await synced()).toMatchObject({ isBehind: false, lacksWrite: false });
  });
});
