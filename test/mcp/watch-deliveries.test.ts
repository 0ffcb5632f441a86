import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { createWebhooks } from '../../src/hosting/webhooks.ts';
import { afterDelivery, sendTest } from '../../src/mcp/watch-deliveries.ts';
import { Watcher } from '../../src/mcp/watcher.ts';
import { createTransactions } from '../../src/service/writes/create-transactions.ts';
import type { Watch } from '../../src/session/watches.ts';
import { serveHttp } from '../local-server.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const CHECK_MS = 600_000;
const DAY_MS = 24 * 3_600_000;

const message = z.looseObject({
  type: z.string().optional(),
  challenge: z.string().optional(),
  eventId: z.string().optional(),
  cursor: z.string().optional(),
});

/** A watch of large transactions, whose receiver answers with `statuses`, and then with 200. */
async function delivering(statuses: number[] = [], isWrong = false) {
  const started = await startHolding();
  const { client, clock, ledger } = started;
  const received: string[] = [];
  const cursors: unknown[] = [];
  /** The secrets with which each message was signed. */
  const verified: string[][] = [];
  const server = await serveHttp(async (request, response) => {
    const body = await text(request);
    const { type, challenge, eventId, cursor } = message.parse(JSON.parse(body));
    if (type === 'verification')
      return response.end(JSON.stringify({ challenge: isWrong ? 'wrong' : challenge }));
    received.push(eventId ?? '');
    cursors.push(cursor);
    const headers = z.record(z.string(), z.string()).parse(request.headers);
    verified.push([SECRET, OTHER].filter((secret) => isSignedWith(secret, body, headers)));
    return response.writeHead(statuses.shift() ?? 200).end();
  });
  // Signatures are compared with the clock of the machine, and limits are those of the time that a test sets.
  const monotonic = () => clock.monotonic();
  const webhooks = createWebhooks({ clock: { ...systemClock, monotonic }, allowsAll: true })('person');
  const log = { error: (details: object) => expect(details).toEqual({}) };
  const callbacks: boolean[] = [];
  const onWatches = async (all: readonly Watch[]) =>
    void callbacks.push(all.some(({ callback }) => callback !== undefined));
  const start = () => {
    const watcher = new Watcher({ client, clock, log, webhooks, onWatches });
    onTestFinished(() => watcher.close());
    return watcher;
  };
  const watcher = start();
  const host = await hostOf(started, { watcher });
  const request = (
    method: string,
    { secret = SECRET, amount = 100, url = `${server.url}/hook`, cursor = null as unknown } = {},
  ) => {
    const wanted = { name: 'large_transaction', arguments: { amount } };
    const delivery = { mode: 'webhook', url, secret };
    return host.request({ method, params: { ...wanted, cursor, delivery } }, z.looseObject({}));
  };
  const { id: account_id } = ledger.accounts(undefined).find(({ name }) => name === 'Checking') ?? {};
  const spend = (amount: number) =>
    ledger.commit((state) =>
      createTransactions(state, [
        { account_id, date: ledger.state.today, amount: -amount, payee_name: 'Shop' },
      ]),
    );
  const after = async (milliseconds: number, by = watcher) => {
    clock.advance(milliseconds);
    await by.run();
    // A run that the time has begun may have looked before.
    await by.run();
  };
  const test = async () =>
    sendTest(await (await client.begin().watching()).watches.list(), webhooks, clock.now());
  return {
    ...{ host, received, verified, request, spend, after, start, watcher },
    ...{ client, callbacks, server, test, clock, cursors },
  };
}

const watchWith = (occurrences: Watch['occurrences'], now: number): Watch => ({
  ...{ id: 'sub_1', begin: 'b', principal: '', event: 'large_transaction', arguments: {}, input: {} },
  ...{ budgetId: '', expiresAt: Number.MAX_VALUE, checkedAt: now, last: 1, lost: 0, occurrences },
  rule: { day: '2026-11-20', active: [], reported: [] },
  callback: {
    url: 'https://example.com/',
    secret: SECRET,
    attempts: 0,
    nextAt: now,
    isPaused: false,
    lostShown: 0,
  },
});

function isSignedWith(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe('a test message', () => {
  it('is sent once to each address, however many watches there are', async () => {
    const { received, request, server, test } = await delivering();
    expect(await test()).toBeUndefined();
    for (let amount = 100; amount < 112; amount += 1)
      await request('events/subscribe', { amount, url: `${server.url}/${amount % 3}` });
    expect(await test()).toHaveProperty('accepted');
    expect(received).toEqual([1, 2, 3].map(() => expect.stringMatching(/^evt_test_/)));
  });

  it('that is not taken by one address is a failure, and one that waits is none', async () => {
    const { request, server, test } = await delivering([503]);
    await request('events/subscribe');
    expect(await test()).toEqual({ error: 'http_5xx', status: 503 });
    for (let nth = 0; nth < 8; nth += 1) await request('events/subscribe', { url: `${server.url}/${nth}` });
    expect(await test()).toMatchObject({ isPostponed: true });
    await expect(request('events/subscribe', { url: `${server.url}/more` })).rejects.toMatchObject({
      code: -32_013,
      data: { limit: 'challenges' },
    });
  });
});

describe('a delivery', () => {
  it('comes once, and subscribing twice is one subscription', async () => {
    const { received, request, spend, after } = await delivering();
    const [one, other] = [await request('events/subscribe'), await request('events/subscribe')];
    expect(one['id']).toBe(other['id']);
    expect(other['deliveryStatus']).toMatchObject({ active: true, lastError: null });
    spend(500_000);
    await after(CHECK_MS);
    await after(CHECK_MS);
    expect(received).toHaveLength(1);
  });

  it('is tried again under the same id after growing pauses, and those after it wait', async () => {
    const { received, request, spend, after } = await delivering([500, 429]);
    await request('events/subscribe');
    spend(500_000);
    spend(600_000);
    await after(CHECK_MS);
    expect(received).toHaveLength(1);
    await after(4_000);
    expect(received).toHaveLength(1);
    await after(1_000);
    expect(received).toHaveLength(2);
    await after(20_000);
    expect(received).toHaveLength(4);
    expect(new Set(received.slice(0, 3)).size).toBe(1);
    expect(new Set(received).size).toBe(2);
  });

  it('waits while its host gets others, which is no failure of the receiver', async () => {
    const { received, request, spend, after, watcher, clock } = await delivering();
    const amounts = Array.from({ length: 20 }, (_, at) => 100 + at);
    for (const amount of amounts) await request('events/subscribe', { amount });
    spend(500_000);
    await after(CHECK_MS);
    expect((await watcher.run()) - clock.now()).toBeGreaterThanOrEqual(1_000);
    for (let seconds = 0; seconds < 3; seconds += 1) await after(1_000);
    expect(received).toHaveLength(20);
    expect(new Set(received).size).toBe(20);
    for (const amount of amounts)
      expect(await request('events/subscribe', { amount })).toMatchObject({
        deliveryStatus: { active: true, lastError: null, lastDeliveryAt: expect.any(String) },
      });
  });

  it('is paused after a day of failures, until the client subscribes again', async () => {
    const statuses = Array<number>(200).fill(503);
    const { received, request, spend, after, host } = await delivering(statuses);
    await request('events/subscribe');
    spend(500_000);
    for (let at = 0; at < 30; at += 1) await after(DAY_MS / 24);
    const before = received.length;
    await after(DAY_MS / 2);
    expect(received).toHaveLength(before);
    expect(JSON.stringify(await host.callTool({ name: 'list_watches' }))).toContain(
      'paused, because nothing arrived there for a day',
    );
    expect(await request('events/subscribe')).toMatchObject({
      deliveryStatus: { active: false, lastError: 'http_5xx', failedSince: expect.any(String) },
    });
    // What is new goes on.
    statuses.length = 0;
    spend(700_000);
    await after(CHECK_MS);
    expect(received.at(-1)).not.toBe(received[0]);
  });

  it('that is too large does not take back what is known to be missing after it', () => {
    const watch = { ...watchWith([{ number: 3, eventId: 'evt_3', at: 0, data: {} }], 0), last: 9, lost: 7 };
    const after = afterDelivery(watch, 3, { error: 'http_4xx', status: 413 }, 0);
    expect(after).toMatchObject({ occurrences: [], lost: 7 });
  });

  it('has pauses that grow from five seconds to two hours, within a day', () => {
    const begin = 1_700_000_000_000;
    const occurrence = { number: 1, eventId: 'evt_1', at: begin, data: {} };
    let watch: Watch | undefined = watchWith([occurrence], begin);
    const pauses: number[] = [];
    let now = begin;
    while (watch?.callback && !watch.callback.isPaused) {
      watch = afterDelivery(watch, 1, { error: 'timeout' }, now);
      const nextAt = watch?.callback?.nextAt ?? 0;
      pauses.push((nextAt - now) / 1_000);
      now = nextAt;
    }
    expect(pauses.slice(0, 7)).toEqual([5, 20, 80, 320, 1_280, 5_120, 7_200]);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(Math.max(...pauses)).toBe(7_200);
    expect(now - begin).toBeGreaterThanOrEqual(DAY_MS);
    expect(now - begin).toBeLessThan(DAY_MS + 7_200_000);
  });

  it('that is too large for its receiver is dropped, and the client can learn that it is missing', async () => {
    const { received, request, spend, after } = await delivering([413]);
    const { cursor } = await request('events/subscribe');
    spend(500_000);
    await after(CHECK_MS);
    spend(600_000);
    await after(CHECK_MS);
    expect(new Set(received).size).toBe(2);
    expect(await request('events/subscribe', { cursor })).toMatchObject({ truncated: true });
  });

  it('that is missing is shown once to a client whose position is that of a later one', async () => {
    const { cursors, request, spend, after } = await delivering([413]);
    await request('events/subscribe');
    spend(500_000);
    await after(CHECK_MS);
    spend(600_000);
    await after(CHECK_MS);
    const cursor = cursors.at(-1);
    expect(await request('events/subscribe', { cursor })).toMatchObject({ truncated: true });
    expect(await request('events/subscribe', { cursor })).toMatchObject({ truncated: false });
  });

  it('is tried again after its pause, whatever the clock was set to', async () => {
    const { received, request, spend, after, clock } = await delivering([503]);
    await request('events/subscribe');
    spend(500_000);
    await after(CHECK_MS);
    expect(received).toHaveLength(1);
    clock.setWallClock(clock.now() - DAY_MS);
    await after(5_000);
    expect(received).toHaveLength(2);
  });

  it.each([
    'https://[fe80::1%25eth0]/hook',
    'https://user:password@example.com/hook',
    'https://example.com/hook#part',
    'https://example.com:99999/hook',
    'ftp://example.com/hook',
    'javascript:alert(1)',
    '//example.com/hook',
    'example',
    '',
  ])('does not begin at %s', async (url) => {
    const { request } = await delivering();
    const failure = await request('events/subscribe', { url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: -32_602 });
    expect(String(failure)).not.toContain('password@');
  });

  it('does not begin at an address that does not confirm', async () => {
    const { received, request, spend, after } = await delivering([], true);
    await expect(request('events/subscribe')).rejects.toMatchObject({
      code: -32_015,
      data: { reason: 'challenge_failed' },
    });
    spend(500_000);
    await after(CHECK_MS);
    expect(received).toEqual([]);
  });

  it('ends when the receiver answers 410, and when the client unsubscribes', async () => {
    const { received, request, spend, after } = await delivering([410]);
    await request('events/subscribe');
    spend(500_000);
    await after(CHECK_MS);
    spend(500_000);
    await after(CHECK_MS);
    expect(received).toHaveLength(1);
    await request('events/subscribe');
    await request('events/unsubscribe');
    await expect(request('events/unsubscribe')).rejects.toMatchObject({ code: -32_011 });
    spend(500_000);
    await after(CHECK_MS);
    expect(received).toHaveLength(1);
  });

  it('is signed with both secrets for ten minutes after the client has replaced its secret', async () => {
    const { verified, request, spend, after } = await delivering();
    await request('events/subscribe');
    await after(CHECK_MS / 2);
    await request('events/subscribe', { secret: OTHER });
    spend(500_000);
    await after(CHECK_MS / 2);
    spend(600_000);
    await after(CHECK_MS);
    expect(verified).toEqual([[SECRET, OTHER], [OTHER]]);
  });

  it('keeps the permission to deliver just while something is watched, whatever another process does meanwhile', async () => {
    const { request, client, callbacks, start } = await delivering();
    await request('events/subscribe');
    expect(callbacks.at(-1)).toBe(true);
    callbacks.length = 0;
    await request('events/subscribe', { amount: 200 });
    expect(callbacks.at(-1)).toBe(true);
    callbacks.length = 0;
    const { watches } = await client.begin().watching();
    const [one, two] = await watches.list();
    for (const each of [one, two]) await watches.remove(each?.id ?? '');
    const other = start();
    // What is watched at each look, while another process begins or ends it meanwhile.
    const changed = (...all: (Watch | undefined)[][]) =>
      other.changed(Object.assign(Object.create(watches), { list: async () => all.shift() }));
    callbacks.length = 0;
    await changed([], [one], [one]);
    expect(callbacks).toEqual([false, true]);
    callbacks.length = 0;
    await changed([one], [], []);
    expect(callbacks).toEqual([true, false]);
    callbacks.length = 0;
    // What another process may have stored since.
    await changed([], []);
    expect(callbacks).toEqual([false]);
  });

  it('goes on in another process, under the same id', async () => {
    const { received, request, spend, after, watcher, start } = await delivering([500]);
    await request('events/subscribe');
    spend(500_000);
    await after(CHECK_MS);
    await watcher.close();
    await after(5_000, start());
    expect(received).toHaveLength(2);
    expect(new Set(received).size).toBe(1);
  });
});
