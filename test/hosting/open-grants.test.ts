import { expect, onTestFinished, test } from 'vitest';
import { OpenGrants } from '../../src/hosting/open-grants.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const MINUTE_MS = 60_000;

/** Grants whose cached budgets have the size that a test says. */
function start(maxBytes = 100) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const events: string[] = [];
  const cached = new Map<string, number>();
  const failing = new Set<string>();
  const ended = new Set<string>();
  let finishClosing = () => {};
  let closes = Promise.resolve();
  const holdClosing = () => {
    closes = new Promise((resolve) => {
      finishClosing = resolve;
    });
    return () => finishClosing();
  };
  const grants = new OpenGrants<string>({
    clock,
    maxBytes,
    onBug: ({ message }) => events.push(message),
    async open(id) {
      events.push(`open ${id}`);
      if (failing.has(id)) throw new Error(`${id} cannot be opened`);
      if (ended.has(id)) return undefined;
      return {
        endpoint: {
          answer: async () => new Response(id),
          endSessionsOf: () => {},
          finish: () => events.push(`finish ${id}`),
          close: async () => {},
        },
        get cachedBytes() {
          return cached.get(id) ?? 0;
        },
        runWatches: async () => 0,
        freeMemory() {
          events.push(`free ${id}`);
          cached.delete(id);
        },
        async close() {
          await closes;
          events.push(`close ${id}`);
          if (failing.has(id)) throw new Error(`${id} cannot be closed`);
        },
      };
    },
  });
  onTestFinished(() => grants.closeAll());
  /** Answers a request, whose host disconnects when `end` is called. */
  const ask = async (id: string) => {
    const endpoint = await grants.endpoint(id, id);
    let end = () => {};
    const disconnected = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { signal } = new AbortController();
    if (!endpoint) throw new Error('The grant has ended.');
    const response = await endpoint.answer({
      request: new Request('http://localhost/mcp'),
      owner: id,
      caller: id,
      message: {},
      inFlight: {
        signal,
        timedOut: signal,
        disconnected,
        settled: disconnected,
        keepAliveUntil: () => {},
        becomesStream: () => {},
      },
    });
    return { text: await response.text(), end };
  };
  /** Asks a grant, which then has so many bytes of budgets cached. */
  const use = async (id: string, bytes: number) => {
    cached.set(id, bytes);
    (await ask(id)).end();
    await new Promise(setImmediate);
  };
  const freed = () => events.filter((event) => event.startsWith('free'));
  /** Lets the check run that is due after each minute. */
  const passMinutes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE_MS);
      await new Promise(setImmediate);
    }
  };
  return { clock, events, cached, failing, ended, holdClosing, grants, ask, use, freed, passMinutes };
}

test('a grant is opened once, by its first request, also by several at once', async () => {
  const { ask, events } = start();
  const answers = await Promise.all([ask('a'), ask('a'), ask('b')]);
  expect(answers.map(({ text }) => text)).toEqual(['a', 'a', 'b']);
  expect(events).toEqual(['open a', 'open b']);
});

test('a grant that could not be opened is tried again by the next request', async () => {
  const { ask, failing, grants } = start();
  failing.add('a');
  await expect(ask('a')).rejects.toThrow('a cannot be opened');
  expect(grants.size).toBe(0);
  failing.delete('a');
  expect((await ask('a')).text).toBe('a');
});

test('a grant is closed after half an hour without a request, but not while one is open', async () => {
  const { ask, events, passMinutes } = start();
  const [idle, busy] = [await ask('idle'), await ask('busy')];
  idle.end();
  await passMinutes(31);
  expect(events.filter((event) => event.startsWith('close'))).toEqual(['close idle']);
  busy.end();
  await passMinutes(31);
  expect(events.at(-1)).toBe('close busy');
});

test('a grant that cannot be closed does not keep others open', async () => {
  const { ask, events, failing, passMinutes } = start();
  for (const id of ['a', 'b']) (await ask(id)).end();
  failing.add('a');
  await passMinutes(31);
  expect(events.slice(2)).toEqual(['close a', 'a cannot be closed', 'close b']);
});

test('if cached budgets take too much memory, those that were used least recently are removed', async () => {
  const { ask, cached, freed } = start(100);
  for (const id of ['a', 'b', 'c']) await ask(id);
  cached.set('a', 40).set('b', 40).set('c', 40);
  (await ask('a')).end();
  await new Promise(setImmediate);
  expect(freed()).toEqual(['free b']);
});

test('small growth counts as soon as it is a hundredth', async () => {
  const { use, freed } = start(1_000);
  for (const id of ['a', 'b']) await use(id, 500);
  expect(freed()).toEqual([]);
  await use('b', 504);
  expect(freed()).toEqual([]);
  await use('b', 506);
  expect(freed()).toEqual(['free a']);
});

test('a budget that is loaded again after it was removed counts again', async () => {
  const { use, freed } = start(100);
  for (const id of ['a', 'b', 'a']) await use(id, 60);
  expect(freed()).toEqual(['free a', 'free b']);
});

test('the grant that was used last keeps its budgets even if they alone are too large', async () => {
  const { ask, cached, freed } = start(100);
  for (const id of ['a', 'b']) await ask(id);
  cached.set('a', 40).set('b', 400);
  (await ask('b')).end();
  await new Promise(setImmediate);
  expect(freed()).toEqual(['free a']);
});

test('a revoked grant is closed, and a request that ends later does not bring it back', async () => {
  const { ask, events, grants } = start();
  const { end } = await ask('a');
  await grants.close('a');
  end();
  await new Promise(setImmediate);
  expect(grants.size).toBe(0);
  expect(events).toEqual(['open a', 'close a']);
});

test('at the end all grants are closed', async () => {
  const { ask, events, grants } = start();
  await Promise.all([ask('a'), ask('b')]);
  grants.finish();
  await grants.closeAll();
  expect(events.slice(2)).toEqual(['finish a', 'finish b', 'close a', 'close b']);
});

test('a grant that has ended has no endpoint, and does not count as open', async () => {
  const { ended, grants } = start();
  ended.add('a');
  expect(await grants.endpoint('a', 'a')).toBeUndefined();
  expect(grants.size).toBe(0);
});

test('who closes a grant waits until an earlier close has ended', async () => {
  const { ask, events, grants, holdClosing } = start();
  await ask('a');
  const finishClosing = holdClosing();
  const first = grants.close('a');
  const second = grants.close('a').then(() => events.push('second'));
  await new Promise(setImmediate);
  expect(events).toEqual(['open a']);
  finishClosing();
  await Promise.all([first, second]);
  expect(events).toEqual(['open a', 'close a', 'second']);
});

test('a grant that is closed while it is opened is opened again for the request', async () => {
  const { events, grants } = start();
  const endpoint = grants.endpoint('a', 'a');
  await grants.close('a');
  expect(await endpoint).toBeDefined();
  expect(events.toSorted()).toEqual(['close a', 'open a', 'open a']);
  expect(grants.size).toBe(1);
});
