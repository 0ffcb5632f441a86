import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Watcher } from '../../src/mcp/watcher.ts';
import { createTransactions } from '../../src/service/writes/create-transactions.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const anything = z.looseObject({});
const event = z.object({
  eventId: z.string(),
  name: z.string(),
  data: z.looseObject({ message: z.string() }),
});
const polled = z.object({
  events: z.array(event),
  cursor: z.string(),
  truncated: z.boolean(),
  hasMore: z.boolean(),
  nextPollMs: z.number(),
});

const CHECK_MS = 600_000;

async function watching() {
  const started = await startHolding();
  const { client, clock, ledger } = started;
  const watcher = new Watcher({ client, clock, log: { error: (details) => expect(details).toEqual({}) } });
  onTestFinished(() => watcher.close());
  const host = await hostOf(started, { watcher });
  const request = (method: string, params: Record<string, unknown> = {}) =>
    host.request({ method, params }, anything);
  const poll = async (params: Record<string, unknown>) => polled.parse(await request('events/poll', params));
  const { id: account_id } = ledger.accounts(undefined).find(({ name }) => name === 'Checking') ?? {};
  const spend = (amount: number) =>
    ledger.commit((state) =>
      createTransactions(state, [
        { account_id, date: ledger.state.today, amount: -amount, payee_name: 'Shop', approved: true },
      ]),
    );
  const check = async (afterMs = CHECK_MS) => {
    // One that is under way has looked at the time before.
    await watcher.run();
    clock.advance(afterMs);
    await watcher.run();
  };
  return { ...started, host, watcher, request, poll, spend, check };
}

const large = { name: 'large_transaction', arguments: { amount: 100 } };

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code }: { code: number }) => code,
  );

describe('events/list', () => {
  it('has eight events with schemas, and the capability names the extension', async () => {
    const { request, host } = await watching();
    const { events } = z
      .object({
        events: z.array(
          z.object({
            name: z.string(),
            description: z.string(),
            delivery: z.array(z.string()),
            inputSchema: z.looseObject({ type: z.literal('object') }),
            payloadSchema: z.looseObject({ type: z.literal('object'), properties: anything }),
          }),
        ),
      })
      .parse(await request('events/list'));
    expect(events).toHaveLength(8);
    expect(new Set(events.map(({ delivery }) => delivery.join()))).toEqual(new Set(['poll,push']));
    // The form of before the extension was final is not in the schema of this client (`clients/clients.slow.test.ts`).
    expect(host.getServerCapabilities()?.extensions).toHaveProperty(['io.modelcontextprotocol/events'], {});
  });
});

describe('events/poll', () => {
  it('gives what has come in since the first poll, once for each position', async () => {
    const { poll, spend, check } = await watching();
    spend(500_000);
    const first = await poll({ ...large, cursor: null });
    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false });
    expect(first.nextPollMs).toBe(CHECK_MS);
    spend(200_000);
    spend(50_000);
    await check();
    const second = await poll({ ...large, cursor: first.cursor });
    expect(second.events.map(({ data }) => data)).toMatchObject([
      { amount: -200, currency: 'EUR', next: { tool: 'get_transaction' } },
    ]);
    // A client that has lost the answer gets the same again.
    expect(await poll({ ...large, cursor: first.cursor })).toEqual(second);
    expect((await poll({ ...large, cursor: second.cursor })).events).toEqual([]);
  });

  it('takes names, and refuses those that do not exist, other events and wrong arguments', async () => {
    const { poll } = await watching();
    const named = { name: 'category_below', arguments: { category: 'groceries', amount: 1 } };
    expect((await poll(named)).events).toEqual([]);
    expect(await codeOf(poll({ name: 'no_such_event' }))).toBe(-32_011);
    expect(
      await codeOf(poll({ name: 'category_below', arguments: { category: 'Nowhere', amount: 1 } })),
    ).toBe(-32_602);
    expect(await codeOf(poll({ name: 'large_transaction', arguments: {} }))).toBe(-32_602);
  });

  it('gives at most as many as are asked for, and says that there are more', async () => {
    const { poll, spend, check } = await watching();
    const { cursor } = await poll(large);
    for (const amount of [300_000, 400_000, 500_000]) spend(amount);
    await check();
    const some = await poll({ ...large, cursor, maxEvents: 2 });
    expect([some.events.length, some.hasMore]).toEqual([2, true]);
    const rest = await poll({ ...large, cursor: some.cursor });
    expect([rest.events.length, rest.hasMore]).toEqual([1, false]);
    const ids = [...some.events, ...rest.events].map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(3);
  });

  it('one read in ten minutes serves all watches of a budget, and none is sent without a watch', async () => {
    const { poll, check, asked } = await watching();
    await check();
    expect(asked()).toEqual([]);
    await poll(large);
    await poll({ name: 'needs_attention' });
    await poll({ name: 'category_overspent' });
    asked();
    await check();
    expect(asked()).toHaveLength(1);
    await check(CHECK_MS / 2);
    expect(asked()).toEqual([]);
  });

  it('watches of one budget that began at different times share a read', async () => {
    const { poll, check, asked } = await watching();
    await poll(large);
    await check(CHECK_MS / 2);
    await poll({ name: 'needs_attention' });
    asked();
    for (let half = 0; half < 12; half += 1) await check(CHECK_MS / 2);
    // The list of budgets is read from time to time too.
    expect(asked().filter((path) => path !== 'budgets')).toHaveLength(6);
  });

  it('a budget that cannot be read is asked for once in ten minutes too', async () => {
    const { poll, check, asked, altering, watcher, clock } = await watching();
    await poll(large);
    asked();
    altering.answer = () => '{"nonsense":';
    await check();
    // A server that opens the grant only for this knows when the next look makes sense.
    expect((await watcher.run()) - clock.now()).toBe(CHECK_MS);
    const read = asked().filter((path) => path !== 'budgets');
    expect(read.length).toBeGreaterThan(0);
    for (let minute = 1; minute < 10; minute += 1) await check(CHECK_MS / 10);
    expect(asked()).toEqual([]);
    await check(CHECK_MS / 10);
    expect(asked().filter((path) => path !== 'budgets')).toEqual(read);
  });

  it('a watch does not begin with a budget that is older than it should be, and the error says why', async () => {
    const { poll, host, altering, clock } = await watching();
    await host.callTool({ name: 'list_accounts' });
    altering.answer = () => '{"nonsense":';
    clock.advance(3_600_000);
    await expect(poll(large)).rejects.toThrow(/^This needs the newest budget\. .*not with JSON/);
  });

  it('a watch whose time is over is neither shown nor read for', async () => {
    const { poll, check, asked, host } = await watching();
    await poll(large);
    await check(CHECK_MS);
    asked();
    await check(25 * 3_600_000);
    expect(asked()).toEqual([]);
    expect(JSON.stringify(await host.callTool({ name: 'list_watches' }))).not.toContain('large_transaction');
  });

  it('a position of a watch that has ended is truncated, and so is a day without a check', async () => {
    const { poll, check, spend } = await watching();
    expect(await poll({ ...large, cursor: 'other.3' })).toMatchObject({ events: [], truncated: true });
    const week = { name: 'large_transaction', arguments: { amount: 200 } };
    const { cursor } = await poll(week);
    spend(900_000);
    await check(25 * 3_600_000);
    // Its client has not asked for longer than the watch is kept.
    expect((await poll({ ...week, cursor })).truncated).toBe(true);
  });

  it('a position after the last one, of a state that was replaced by an older one, is truncated', async () => {
    const { poll, spend, check } = await watching();
    const { cursor } = await poll(large);
    const later = cursor.replace(/\d+$/, '7');
    expect(await poll({ ...large, cursor: later })).toMatchObject({ events: [], cursor, truncated: true });
    spend(200_000);
    await check();
    expect((await poll({ ...large, cursor })).events).toHaveLength(1);
  });

  it('twenty watches whose time is over leave room for others', async () => {
    const { poll, clock } = await watching();
    for (let amount = 1; amount <= 20; amount += 1) await poll({ ...large, arguments: { amount } });
    expect(await codeOf(poll(large))).toBe(-32_013);
    clock.advance(3 * 3_600_000);
    expect(await poll(large)).toMatchObject({ events: [] });
  });

  it('of two watches that begin at the same time, one is refused if there is room for one', async () => {
    const { poll } = await watching();
    for (let amount = 1; amount <= 19; amount += 1) await poll({ ...large, arguments: { amount } });
    const both = [100, 200].map((amount) => codeOf(poll({ ...large, arguments: { amount } })));
    expect(await Promise.all(both)).toEqual([undefined, -32_013]);
  });

  it('one of several callers leaves the others their part of the watches', async () => {
    const { watcher, ...started } = await watching();
    const namedCallers = () => ['one', 'other', 'third'];
    const beginOf = async (caller: string) => {
      const host = await hostOf(started, { watcher, namedCallers }, caller);
      return (amount: number) =>
        codeOf(
          host.request({ method: 'events/poll', params: { ...large, arguments: { amount } } }, anything),
        );
    };
    const [one, other] = [await beginOf('one'), await beginOf('other')];
    const codes = [];
    for (let amount = 100; amount < 110; amount += 1) codes.push(await one(amount));
    expect(codes).toEqual([...Array(6).fill(undefined), ...Array(4).fill(-32_013)]);
    expect(await other(100)).toBeUndefined();
  });

  it('a clock that is set back by a day does not end the checks', async () => {
    const { poll, spend, check, clock } = await watching();
    await poll(large);
    const { cursor } = await poll({ ...large, cursor: null });
    await check();
    clock.setWallClock(clock.now() - 24 * 3_600_000);
    spend(200_000);
    await check();
    expect((await poll({ ...large, cursor })).events).toHaveLength(1);
  });

  it('a watch that has begun while others were checked is not checked by what was read before', async () => {
    const { poll, check, client } = await watching();
    await poll(large);
    const { watches } = await client.begin().watching();
    const change = watches.change.bind(watches);
    const rule = { day: '2026-11-20', active: ['what is true since'], reported: [] };
    watches.change = async (...args) => {
      watches.change = change;
      await change((all) => ({
        value: [...all, ...all.map((each) => ({ ...each, id: 'sub_new', begin: 'new', rule }))],
        result: undefined,
      }));
      return change(...args);
    };
    await check();
    expect((await watches.list()).find(({ id }) => id === 'sub_new')).toMatchObject({ rule });
  });

  it('never uses the requests that people need for their questions', async () => {
    const { poll, check, asked, client } = await watching();
    await poll(large);
    const left = (await client.status()).requests.leftForReads;
    // Until a quarter of the hour's requests is left.
    for (let at = 0; at < left - 45; at += 1) await client.begin().refresh(false);
    asked();
    await check(CHECK_MS);
    expect(asked()).toEqual([]);
  });

  it('reads no second budget with the requests that the first one has left', async () => {
    const { poll, check, asked, client, ledger, other } = await watching();
    for (const { id } of [ledger, other]) await poll({ ...large, arguments: { amount: 100, budget_id: id } });
    const left = (await client.status()).requests.leftForReads;
    // A read of one budget takes it to the quarter.
    for (let at = 0; at < left - 51; at += 1) await client.begin().refresh(false);
    asked();
    await check(CHECK_MS);
    const read = asked().filter((path) => path !== 'budgets');
    expect(read).toHaveLength(1);
  });
});

describe('events/stream', () => {
  const notice = z.object({
    method: z.string(),
    params: z.looseObject({
      _meta: z.object({ 'io.modelcontextprotocol/subscriptionId': z.union([z.string(), z.number()]) }),
    }),
  });

  async function streaming(wanted: object = large) {
    const started = await watching();
    const { host, clock } = started;
    const arrivals = new Arrivals<{ what: string; [field: string]: unknown }>();
    host.fallbackNotificationHandler = async (notification) => {
      const { method, params } = notice.parse(notification);
      arrivals.add({ what: method.replace('notifications/events/', ''), ...params });
    };
    const ended = new AbortController();
    const open = (cursor?: unknown) =>
      host.request({ method: 'events/stream', params: { ...wanted, cursor } }, anything, {
        signal: ended.signal,
        timeout: 2 ** 31 - 1,
      });
    const beat = () => clock.advance(25_000);
    const nextFound = async () => {
      let next = await arrivals.next();
      while (next.what === 'heartbeat') next = await arrivals.next();
      return next;
    };
    return { ...started, arrivals, open, ended, beat, nextFound };
  }

  it('begins with its position, sends what is found at once, and a sign of life in between', async () => {
    const { open, arrivals, spend, check, beat, ended, nextFound } = await streaming();
    const stream = open();
    stream.catch(() => {});
    const active = await arrivals.next();
    expect(active).toMatchObject({ what: 'active', truncated: false });
    beat();
    expect(await arrivals.next()).toMatchObject({ what: 'heartbeat', cursor: active['cursor'] });
    spend(500_000);
    spend(600_000);
    await check();
    const [one, other] = [await nextFound(), await nextFound()];
    expect([one, other]).toMatchObject([
      { what: 'event', name: 'large_transaction', data: { currency: 'EUR' } },
      { what: 'event', name: 'large_transaction' },
    ]);
    expect(one['eventId']).not.toBe(other['eventId']);
    // A client that has lost the connection goes on after what it has got.
    open(one['cursor']).catch(() => {});
    expect(await arrivals.next()).toMatchObject({ what: 'active', truncated: false });
    expect(await arrivals.next()).toMatchObject({ what: 'event', eventId: other['eventId'] });
    ended.abort();
    await expect(stream).rejects.toThrow();
  });

  it('says that something is missing after a position of a watch that has ended', async () => {
    const { open, arrivals } = await streaming();
    open('other.3').catch(() => {});
    expect(await arrivals.next()).toMatchObject({ what: 'active', truncated: true });
  });

  it('ends with its watch, and does not begin it again', async () => {
    const { open, arrivals, host, beat } = await streaming();
    const stream = open();
    await arrivals.next();
    const [, id = ''] =
      /(sub_[\w-]+)/.exec(JSON.stringify(await host.callTool({ name: 'list_watches' }))) ?? [];
    await host.callTool({ name: 'stop_watch', arguments: { id } });
    beat();
    expect(await arrivals.next()).toMatchObject({ what: 'terminated', error: { code: -32_011 } });
    await stream;
    expect(JSON.stringify(await host.callTool({ name: 'list_watches' }))).toContain('Nothing is watched.');
  });

  it('of another event than those there are is refused', async () => {
    const { open } = await streaming({ name: 'no_such_event' });
    expect(await codeOf(open())).toBe(-32_011);
  });
});

describe('list_watches and stop_watch', () => {
  const textOf = async (host: Client, name: string, args = {}) =>
    JSON.stringify((await host.callTool({ name, arguments: args })).content);

  it('show what is watched and end it', async () => {
    const { poll, host, check, asked } = await watching();
    expect(await textOf(host, 'list_watches')).toContain('Nothing is watched.');
    await poll(large);
    const [, id = ''] = /(sub_[\w-]+)/.exec(await textOf(host, 'list_watches')) ?? [];
    expect(await textOf(host, 'stop_watch', { id })).toContain('Stopped.');
    expect(await textOf(host, 'stop_watch', { id })).toContain('There is no watch');
    expect(await textOf(host, 'list_watches')).toContain('Nothing is watched.');
    asked();
    await check();
    expect(asked()).toEqual([]);
  });
});
