import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Grants } from '../../src/hosting/grants.ts';
import { WatchedGrants } from '../../src/hosting/watched-grants.ts';
import { createTransactions } from '../../src/service/writes/create-transactions.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { StateOwner } from '../../src/store/state-directory.ts';
import { serveHttp } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

const MINUTE_MS = 60_000;
const message = z.looseObject({ type: z.string().optional(), challenge: z.string().optional() });

/** A hosted server, and a client that has subscribed to large transactions. */
async function subscribed(away: boolean) {
  const clock = new ManualClock(Date.now());
  const states = new Map<string, SharedMemory>();
  const opened = { all: 0, now: 0, most: 0, mayOpen: Promise.resolve() };
  const memoryOf = ({ signIn }: StateOwner) => {
    const memory = states.get(signIn) ?? new SharedMemory();
    states.set(signIn, memory);
    return memory;
  };
  const hosting = await startComposed({
    clock,
    flags: { allowCallbacks: true },
    sharing: {
      open: async (owner) => {
        const store = new MemoryStore(clock, memoryOf(owner));
        opened.all += 1;
        opened.now += 1;
        opened.most = Math.max(opened.most, opened.now);
        await opened.mayOpen;
        const close = store.close.bind(store);
        store.close = async () => {
          opened.now -= 1;
          await close();
        };
        return store;
      },
      remove: async ({ signIn }) => void states.delete(signIn),
    },
  });
  const received: string[] = [];
  const receiver = await serveHttp(async (request, response) => {
    const body = await text(request);
    const { type, challenge } = message.parse(JSON.parse(body));
    if (type !== 'verification') received.push(body);
    response.end(JSON.stringify({ challenge }));
  });
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  const signIn = async () => (await client.tokens({}, { away })).access_token;
  const subscribe = (by: string, amount: number) =>
    hosting.ask(by, 'events/subscribe', {
      name: 'large_transaction',
      arguments: { amount },
      delivery: {
        mode: 'webhook',
        url: `${receiver.url}/hook`,
        secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      },
    });
  const token = await signIn();
  expect((await subscribe(token, 100)).text).toContain('refreshBefore');
  const [ledger] = hosting.service.user.ledgers;
  const account_id = ledger?.accounts(undefined).find(({ name }) => name === 'Checking')?.id;
  const spend = () =>
    ledger?.commit((state) =>
      createTransactions(state, [
        { account_id, date: ledger.state.today, amount: -900_000, payee_name: 'Shop' },
      ]),
    );
  /** Then in steps that are shorter than a time limit, so that what is due happens. */
  const pass = async (minutes: number, isOver = () => false) => {
    clock.advance(minutes * MINUTE_MS);
    for (let at = 0; at < 20 && !isOver(); at += 1) {
      clock.advance(MINUTE_MS / 10);
      await hosting.ask('none', 'ping', {});
    }
  };
  return { hosting, states, opened, clock, received, spend, pass, token, signIn, subscribe };
}

it('with the permission, a person who is away hears of what is watched, until it is taken back', async () => {
  const { hosting, received, spend, pass } = await subscribed(true);
  await pass(45);
  spend();
  await pass(11, () => received.length > 0);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]).toContain('-900');
  expect(JSON.stringify([...hosting.memory.records])).toContain('awayKey');
  const account = await hosting.account();
  const [, grant = ''] = /\/account\/watches\?grant=([^"]*)">one thing</.exec(account.view.text) ?? [];
  const page = await account.browser.open(`${hosting.issuer}/account/watches?grant=${grant}`);
  expect(page.text).toContain('large transaction');
  await account.browser.submit({ ...page, url: new URL(`${hosting.issuer}/account/test`) }, { grant });
  await expect.poll(() => received.length).toBe(2);
  expect(received[1]).toContain('This is a test');
  await account.browser.submit({ ...page, url: new URL(`${hosting.issuer}/account/away-off`) }, { grant });
  expect(JSON.stringify([...hosting.memory.records])).not.toContain('awayKey');
  await pass(45);
  spend();
  await pass(11);
  expect(received).toHaveLength(2);
});

it('a person who is away hears of what is watched after the clock was set back, too', async () => {
  const { clock, received, spend, pass } = await subscribed(true);
  await pass(45);
  clock.setWallClock(clock.now() - 24 * 60 * MINUTE_MS);
  spend();
  await pass(11, () => received.length > 0);
  await expect.poll(() => received.length).toBe(1);
});

it('nothing is left of it when the person has everything deleted', async () => {
  const { hosting, received, spend, pass } = await subscribed(true);
  await pass(45);
  expect(JSON.stringify([...hosting.memory.records])).toContain('awayKey');
  const account = await hosting.account();
  const question = await account.browser.open(`${hosting.issuer}/account/delete`);
  await account.browser.submit({ ...question, url: new URL(`${hosting.issuer}/account/delete`) }, {});
  spend();
  await pass(11);
  expect(received).toEqual([]);
  const records = [...hosting.memory.records];
  expect(JSON.stringify(records)).not.toContain('awayKey');
  expect(records.filter(([name]) => name === 'watched-grants')).toEqual([['watched-grants', []]]);
});

it('of a person who is not allowed any more, nothing is read, and what was stored to read it is removed at the start', async () => {
  const { hosting, received, spend, pass, states } = await subscribed(true);
  const isWatched = () => JSON.stringify([...states.values()].map(({ records }) => [...records]));
  expect(isWatched()).toContain('large_transaction');
  await hosting.restart({ allowCallbacks: true, allowPeople: 'none' });
  await expect.poll(() => JSON.stringify([...hosting.memory.records])).not.toContain('awayKey');
  expect(isWatched()).not.toContain('large_transaction');
  const requests = () => hosting.logged.filter((line) => line.includes('request to the service')).length;
  const before = requests();
  spend();
  await pass(25);
  expect([received, requests()]).toEqual([[], before]);
});

it('of an access whose time is over, the stored key is removed at the next look', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const names = { personId: 'ann', clientId: 'id', clientName: 'Assistant', redirectHost: 'a.example' };
  const times = { createdAt: clock.now(), expiresAt: clock.now() + MINUTE_MS };
  const grant = { ...names, ...times, scopes: [], mayWatch: true, awayKey: 'a2V5' };
  const memory = new SharedMemory([
    ['grant/one', grant],
    ['watched-grants', ['one']],
  ]);
  const store = new MemoryStore(clock, memory);
  const watched = new WatchedGrants(store, clock, new Grants(store, clock));
  expect(await watched.find('one')).toMatchObject({ grant });
  clock.advance(MINUTE_MS);
  expect(await watched.find('one')).toBeUndefined();
  expect(JSON.stringify([...memory.records])).not.toContain('a2V5');
  expect(await watched.ids()).toEqual([]);
});

it('without the permission no key is kept, and nothing is sent while no client is connected', async () => {
  const { hosting, received, spend, pass } = await subscribed(false);
  expect(JSON.stringify([...hosting.memory.records])).not.toContain('awayKey');
  await pass(45);
  spend();
  await pass(11);
  expect(received).toEqual([]);
});

it("no request opens the stores of a person's other sign-ins, and pages of watches open four at once", async () => {
  const { hosting, opened, signIn, clock } = await subscribed(true);
  const tokens = [await signIn(), await signIn(), await signIn()];
  const watch = async (token: string) => {
    const wanted = { name: 'large_transaction', arguments: { amount: 100 } };
    expect((await hosting.ask(token, 'events/poll', wanted)).text).toContain('nextPollMs');
  };
  for (const token of tokens.slice(0, -1)) await watch(token);
  // Until the server has closed what is not used.
  clock.advance(31 * MINUTE_MS);
  await expect.poll(() => opened.now).toBe(0);
  Object.assign(opened, { all: 0, most: 0 });
  const account = await hosting.account();
  expect(account.view.text.match(/>one thing</g)).toHaveLength(3);
  expect(opened.all).toBe(0);
  await watch(tokens.at(-1) ?? '');
  expect(opened.all).toBe(1);
  let open = () => {};
  opened.mayOpen = new Promise((resolve) => {
    open = resolve;
  });
  const [last = ''] = account.grants;
  const address = `${hosting.issuer}/account/watches?grant=${last}`;
  const pages = Array.from({ length: 8 }, () => account.browser.open(address));
  await expect.poll(() => opened.now).toBe(5);
  open();
  for (const page of pages) expect((await page).text).toContain('large transaction');
  expect(opened).toMatchObject({ all: 9, most: 5 });
});

it('one person has at most 20 watches of a sign-in and 50 of all, and can begin one when another has ended', async () => {
  const { subscribe, signIn, token, hosting } = await subscribed(true);
  const fill = async (by: string, from: number, to: number) => {
    for (let amount = from; amount < to; amount += 1)
      expect((await subscribe(by, amount)).text).toContain('refreshBefore');
  };
  await fill(token, 101, 120);
  expect((await subscribe(token, 120)).text).toContain('At most 20 things can be watched.');
  await fill(await signIn(), 0, 20);
  const third = await signIn();
  await fill(third, 0, 10);
  expect((await subscribe(third, 10)).text).toContain(
    'At most 50 things can be watched for one person, and other applications have 40.',
  );
  const [, id = ''] = /(sub_[\w-]+)/.exec((await hosting.call(token, 'list_watches')).text) ?? [];
  await hosting.call(token, 'stop_watch', { id });
  await fill(third, 10, 11);
});
