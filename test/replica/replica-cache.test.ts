import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import type { BudgetReplica } from '../../src/replica/budget-replica.ts';
import type { Export } from '../../src/replica/entities.ts';
import { ReplicaCache } from '../../src/replica/replica-cache.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { failureOf } from '../client/sending.ts';
import { ManualClock } from '../manual-clock.ts';
import { START, smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';
import { patientSource, unavailable } from './patient-source.ts';

function start(maxBytes = 10_000_000) {
  const ledger = smallLedger();
  const service = asked(ledger);
  const clock = new ManualClock(START);
  const { requests, source } = patientSource(() => service);
  const cache = new ReplicaCache({ clock, source, maxBytes });
  const request = (index: number) => {
    const found = requests[index];
    if (!found) throw new Error(`There are ${requests.length} requests.`);
    return found;
  };
  /** A sync whose requests are answered at once. */
  const synced = async (budgetId = 'home') => {
    const held = cache.sync(budgetId);
    await requests.at(-1)?.answer();
    return held;
  };
  const addPayee = (name: string) => ledger.commit((books) => createPayee(books, name));
  return { cache, clock, requests, request, service, synced, addPayee };
}

const payeesOf = ({ replica }: { readonly replica: BudgetReplica }) =>
  replica.payees.list().map(({ name }) => name);

const backwards = (data: Export): Export => ({ ...data, server_knowledge: 0 });
const ofAnother = (data: Export): Export => ({ ...data, budget: { ...data.budget, id: 'another' } });
/** Its last transaction is on an account that there is not. */
const dangling = ({ budget, ...rest }: Export): Export => ({ ...rest, budget: { ...budget, accounts: [] } });

describe('a budget', () => {
  it('is loaded whole once, then asked for what has changed since', async () => {
    const { cache, requests, synced, addPayee, clock } = start();
    const { replica } = await synced();
    const { knowledge } = replica;
    addPayee('Florist');
    clock.advance(1000);
    const held = await synced();
    expect(payeesOf(held)).toContain('Florist');
    expect(held.asOf).toBe(START + 1000);
    expect(requests.map(({ since }) => since)).toEqual([undefined, knowledge]);
    expect(cache.status()).toMatchObject({ syncs: 1, loads: 1, too_large: [] });
    expect(cache.status().held).toEqual([
      { budget_id: 'home', as_of: held.asOf, bytes: replica.bytes, server_knowledge: replica.knowledge },
    ]);
  });

  it('holds as of the moment at which it was asked for, not at which it came', async () => {
    const { cache, clock, request } = start();
    const held = cache.sync('home');
    clock.advance(9000);
    await request(0).answer();
    expect((await held).asOf).toBe(START);
  });

  it('is told of while it is being synced', async () => {
    const { cache, synced, request } = start();
    await synced();
    const sync = cache.sync('home');
    expect(cache.status().held).toHaveLength(1);
    expect(cache.peek('home')).toMatchObject({ asOf: START });
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
    const leaving = new AbortController();
    const leavers = Array.from({ length: 49 }, () => failureOf(cache.sync('home', leaving.signal)));
    const stayer = cache.sync('home', new AbortController().signal);
    leaving.abort();
    expect((await Promise.all(leavers)).map(({ code }) => code)).toEqual(Array(49).fill('cancelled'));
    expect(request(0).signal.aborted).toBe(false);
    await request(0).answer();
    expect(payeesOf(await stayer)).toContain('Baker');
    expect(requests).toHaveLength(1);
  });

  it('is cancelled when the last of its callers has gone; whoever comes then starts anew', async () => {
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
    expect(requests).toHaveLength(2);
    await request(0).answer();
    expect(cache.peek('home')).toBeUndefined();
    await request(1).answer();
    expect(payeesOf((await newcomer) ?? expect.unreachable())).toContain('Baker');
    expect(cache.canHold('home')).toBe(true);
    expect(cache.status().loads).toBe(1);
  });

  it('that fails fails for all, and what is held stays as it was', async () => {
    const { cache, synced, request, clock } = start();
    await synced();
    clock.advance(1000);
    const callers = [cache.sync('home'), cache.sync('home')].map(failureOf);
    request(1).fail();
    expect(await Promise.all(callers)).toEqual([unavailable, unavailable]);
    expect(cache.peek('home')).toMatchObject({ asOf: START, stale: false });
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

describe('after a write', () => {
  it('what is held is stale until a sync that was asked for later', async () => {
    const { cache, synced } = start();
    await synced();
    expect(cache.peek('home')?.stale).toBe(false);
    cache.written('home');
    expect(cache.peek('home')?.stale).toBe(true);
    await synced();
    expect(cache.peek('home')?.stale).toBe(false);
  });

  it('a sync that was under way does not count: who asks then gets another one', async () => {
    const { cache, synced, request, requests, addPayee } = start();
    await synced();
    const early = cache.sync('home');
    const answered = request(1).answer();
    await answered;
    addPayee('Florist');
    cache.written('home');
    const late = [cache.sync('home'), cache.sync('home')];
    expect(payeesOf(await early)).toEqual(expect.any(Array));
    expect(cache.peek('home')?.stale).toBe(true);
    await Promise.resolve();
    expect(requests).toHaveLength(3);
    await request(2).answer();
    for (const held of await Promise.all(late)) expect(payeesOf(held)).toContain('Florist');
    expect(cache.peek('home')?.stale).toBe(false);
  });

  it('a caller who waits for another sync may leave at once', async () => {
    const { cache, request, requests } = start();
    const early = cache.sync('home');
    cache.written('home');
    const leaving = new AbortController();
    const failure = failureOf(cache.sync('home', leaving.signal));
    leaving.abort();
    expect((await failure).code).toBe('cancelled');
    await request(0).answer();
    await early;
    expect(requests).toHaveLength(1);
  });

  it('what was read for its sake is learnt, and needs no sync', async () => {
    const { cache, synced, service, addPayee, clock } = start();
    const { replica } = await synced();
    const since = replica.knowledge;
    addPayee('Florist');
    cache.written('home');
    clock.advance(500);
    cache.learn('home', await service.export(since), since, clock.now());
    const held = cache.peek('home');
    expect(held).toMatchObject({ stale: false, asOf: START + 500 });
    expect(held && payeesOf(held)).toContain('Florist');
  });

  it('what was read for its sake is no news to a sync that has come meanwhile', async () => {
    const { cache, synced, service, addPayee, clock } = start();
    const since = (await synced()).replica.knowledge;
    addPayee('Florist');
    const delta = await service.export(since);
    addPayee('Glazier');
    clock.advance(500);
    await synced();
    cache.written('home');
    cache.learn('home', delta, since, START);
    expect(cache.peek('home')).toMatchObject({ stale: false, asOf: START + 500 });
    expect(payeesOf(await synced())).toContain('Glazier');
    expect(cache.status().loads).toBe(1);
  });

  it('what was read for its sake is left alone where it does not follow on what is held', async () => {
    const { cache, synced, service, addPayee } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const since = replica.knowledge + 1;
    cache.written('home');
    cache.learn('home', await service.export(since), since, START);
    cache.learn('studio', await service.export(since), since, START);
    expect(cache.peek('home')?.stale).toBe(true);
    expect(cache.peek('studio')).toBeUndefined();
  });

  it('what contradicts what is held spoils it', async () => {
    const { cache, synced, service } = start();
    const { replica } = await synced();
    cache.learn('home', ofAnother(await service.export(replica.knowledge)), replica.knowledge, START);
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.status().held).toEqual([]);
  });
});

describe('a delta that cannot be applied', () => {
  it.each([
    ['goes back', backwards],
    ['is of another budget', ofAnother],
  ])('since it %s makes the budget be loaded anew, within the same call', async (_, spoil) => {
    const { cache, synced, request, requests, addPayee } = start();
    const { replica } = await synced();
    addPayee('Florist');
    const sync = cache.sync('home');
    await request(1).answer(spoil);
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
    await request(1).answer(backwards);
    await Promise.resolve();
    request(2).fail();
    expect(await failure).toBe(unavailable);
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.status().held).toEqual([]);
    expect(cache.canHold('home')).toBe(false);
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
});

describe('what can be held', () => {
  it('rests for a minute where a load has failed, not where it was cancelled', async () => {
    const { cache, request, clock } = start();
    const leaving = new AbortController();
    const cancelled = failureOf(cache.sync('home', leaving.signal));
    leaving.abort();
    await cancelled;
    expect(cache.canHold('home')).toBe(true);
    const failure = failureOf(cache.sync('home'));
    request(1).fail();
    await failure;
    expect(cache.canHold('home')).toBe(false);
    clock.advance(59_999);
    expect(cache.canHold('home')).toBe(false);
    clock.advance(1);
    expect(cache.canHold('home')).toBe(true);
  });

  it('leaves out a budget that is too large, and says so; its loader has it all the same', async () => {
    const { cache, synced } = start(1000);
    expect(payeesOf(await synced())).toContain('Baker');
    expect(cache.peek('home')).toBeUndefined();
    expect(cache.canHold('home')).toBe(false);
    expect(cache.status()).toMatchObject({ held: [], bytes: 0, too_large: ['home'] });
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
        .held.map(({ budget_id }) => budget_id)
        .toSorted(),
    ).toEqual(['a', 'c']);
    expect(cache.status().too_large).toEqual([]);
    expect(cache.canHold('b')).toBe(true);
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
    expect(cache.status().held).toHaveLength(1);
  });
});
