/** A program that is suspended while it writes or reads, like that of a terminal after Ctrl-Z, while others go on. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Called, Host } from '../hosts.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { listed } from './marked-writes.helper.ts';
import type { Pass } from './passing-proxy.helper.ts';
import { pidOf, startSharing, stateOf } from './sharing-programs.helper.ts';

/** Longer than any search and any limit of a host. */
const SUSPENDED_MS = 120_000;

const TIMES = 12;
const MAX_TIMES = 100;

const isWrite = (method: string) => method === 'POST';

async function startSuspending() {
  const sharing = await startSharing();
  const { clock, hooks } = sharing;
  const suspend = (host: Host) => {
    process.kill(pidOf(host), 'SIGSTOP');
    onTestFinished(() => {
      process.kill(pidOf(host), 'SIGCONT');
    });
  };
  const goOn = (host: Host) => process.kill(pidOf(host), 'SIGCONT');
  /** The milliseconds by the clock of the machine until the result. */
  const timed = async (work: Promise<Called>) => {
    const before = clock.service.monotonic();
    const { isError, text } = await clock.passing(work, 1);
    return { isError, text, ms: clock.service.monotonic() - before };
  };
  const create = (host: Host, memo: string) =>
    host.call('create_transactions', {
      transactions: [{ account_id: 'Wallet', date: '2026-11-20', amount: -4.5, memo }],
    });
  /** Stops a program, in a way that decides whether its request arrives, when it sends one. Resolves then. */
  const atRequest = (isMeant: (method: string) => boolean, stop: Pass) =>
    new Promise<void>((resolve) => {
      hooks.pass = async (passage) => {
        if (!isMeant(passage.method)) return passage.deliver();
        hooks.pass = ({ deliver }) => deliver();
        await stop(passage);
        resolve();
      };
    });
  return { ...sharing, suspend, goOn, timed, create, atRequest };
}

/** On a busy machine a timer can fire before this process has read what has arrived, and has passed it on to the service. */
async function deliverWhatWasSent(underWay: () => number): Promise<void> {
  for (let quiet = 0; quiet < 50; quiet += 1) {
    await setImmediate();
    if (underWay() > 0) quiet = 0;
  }
}

type Suspending = Awaited<ReturnType<typeof startSuspending>>;

/** What other programs can do meanwhile. */
async function expectOthersGoOn({ timed, create, logged, clock }: Suspending, other: Host) {
  const refused = await timed(create(other, 'of the other'));
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /Another process of this user \(process \d+\), such as that of another window, has been writing to this budget since/,
    ),
  });
  // After ten seconds, and before a host gives up.
  expect(refused.ms).toBeLessThan(18_000);
  expect(logged('of the other')).toBe(0);
  for (const tool of ['list_accounts', 'list_transactions', 'check_month', 'list_writes', 'get_status']) {
    clock.advance(60_000);
    const { isError, text, ms } = await timed(other.call(tool));
    expect(isError, text).toBe(false);
    expect(ms, tool).toBeLessThan(3_000);
  }
}

describe.skipIf(!sqlite)('a program that is suspended', () => {
  test('after its request was sent keeps its write: nobody takes it over, and it tells the outcome later', async () => {
    const suspending = await startSuspending();
    const { start, atRequest, suspend, goOn, create, logged, clock, enter } = suspending;
    const [one, other] = [await start(), await start()];
    const stopped = atRequest(isWrite, ({ deliver }) => {
      suspend(one);
      return deliver();
    });
    const writing = create(one, 'of the suspended');
    await clock.passing(stopped, 5);
    await expectOthersGoOn(suspending, other);
    expect((await other.call('get_status')).structured['writes']).toMatchObject([
      { tool: 'create_transactions', state: 'sent' },
    ]);
    clock.advance(SUSPENDED_MS);
    goOn(one);
    const { isError, text } = await clock.passing(writing);
    // It has the answer, or it has waited too long for it.
    if (isError) expect(text).toContain('get_status shows the outcome');
    expect(logged('of the suspended')).toBe(1);
    await clock.passing(clock.service.sleep(120_000), 100);
    await enter(other, 'of the other');
    expect([logged('of the suspended'), logged('of the other')]).toEqual([1, 1]);
    for (const host of [one, other]) {
      expect(listed(await host.call('list_writes'))).toHaveLength(2);
      expect(await stateOf(host)).toEqual({ shared: true });
    }
  });

  test('after its request was sent keeps others waiting for 45 s, and an equal call until it goes on', async () => {
    const suspending = await startSuspending();
    const { start, atRequest, suspend, goOn, create, logged, clock, timed } = suspending;
    const [one, other] = [await start(), await start()];
    const stopped = atRequest(isWrite, ({ deliver }) => {
      suspend(one);
      return deliver();
    });
    const writing = create(one, 'of the suspended').catch(() => {});
    await clock.passing(stopped, 5);
    clock.advance(15_000);
    const refused = await timed(create(other, 'of the other'));
    expect(refused.text).toContain(`process ${pidOf(one)}`);
    expect(refused.text).toMatch(
      /has not moved since .+ its turn ends by itself at 2026-11-21T12:0.+ at the latest/,
    );
    clock.advance(20_000);
    const written = await timed(create(other, 'of the other'));
    expect(written.isError, written.text).toBe(false);
    const equal = await timed(create(other, 'of the suspended'));
    expect([equal.isError, logged('of the suspended')]).toEqual([true, 1]);
    expect(equal.text).toContain('not known');
    goOn(one);
    await clock.passing(writing);
    await clock.passing(clock.service.sleep(120_000), 100);
    expect([logged('of the suspended'), logged('of the other')]).toEqual([1, 1]);
    expect(listed(await other.call('list_writes'))).toHaveLength(2);
  });

  test('before its request does not send it later, and the outcome of its call is what has happened', async () => {
    const { start, hooks, create, logged, clock, log } = await startSuspending();
    let [sent, refused, late, underWay] = [0, 0, 0, 0];
    hooks.pass = async ({ deliver }) => {
      underWay += 1;
      await deliver().finally(() => {
        underWay -= 1;
      });
    };
    const other = await start();
    const one = await start();
    // On a fast or a slow machine, it takes more attempts to stop it in the middle.
    for (let time = 1; time <= TIMES || (sent + refused === 0 && time <= MAX_TIMES); time += 1) {
      const memo = `suspended ${time}`;
      const writing = create(one, memo);
      // From before the call is read until after it was answered.
      await setTimeout(time * 3);
      process.kill(pidOf(one), 'SIGSTOP');
      await clock.passing(setTimeout(50), 5);
      await deliverWhatWasSent(() => underWay);
      const before = logged(memo);
      const others = await clock.passing(create(other, `other ${time}`), 50);
      // On a slow machine its ten seconds can end while its request is under way.
      if (!others.text.includes('get_status shows the outcome'))
        expect(logged(`other ${time}`), others.text).toBe(others.isError ? 0 : 1);
      clock.advance(SUSPENDED_MS);
      process.kill(pidOf(one), 'SIGCONT');
      const { isError, text } = await clock.passing(writing);
      await clock.passing(clock.service.sleep(120_000), 100);
      // A request is sent within ten seconds after it was written down, or not at all.
      const isRefused = others.isError && others.text.includes(`process ${pidOf(one)}`);
      if (isRefused && logged(memo) !== before) {
        expect(text).toContain('not known');
        late += 1;
      }
      if (!isError) expect(logged(memo)).toBe(1);
      else if (!text.includes('get_status shows the outcome')) expect(logged(memo), text).toBe(0);
      if (before === 1) sent += 1;
      if (isRefused) refused += 1;
      const again = isError ? await log(one, memo) : undefined;
      expect([again?.isError ?? false, logged(memo)]).toEqual([false, 1]);
    }
    expect(sent + refused).toBeGreaterThan(0);
    // One of them may have been stopped between its last check and the request (docs/limits.md).
    expect(late).toBeLessThanOrEqual(1);
    const written = listed(await one.call('list_writes', { limit: 100 }));
    expect(written.length).toBeGreaterThanOrEqual(TIMES);
    expect(await stateOf(one)).toEqual({ shared: true });
    // A program that is suspended in a transaction of SQLite keeps the others from their file until it goes on.
    const shares = async () => expect(await stateOf(other)).toEqual({ shared: true });
    await clock.passing(vi.waitFor(shares, { timeout: 20_000, interval: 50 }));
  });

  test('while it reads the budget delays one question of the others by three seconds at most, and no second one', async () => {
    const { start, atRequest, suspend, timed, clock } = await startSuspending();
    const [one, other] = [await start(), await start()];
    clock.advance(3_600_000);
    const stopped = atRequest(
      () => true,
      ({ deliver }) => {
        suspend(one);
        return deliver();
      },
    );
    void one.call('check_month').catch(() => {});
    await clock.passing(stopped, 5);
    const times: number[] = [];
    for (let question = 1; question <= 4; question += 1) {
      clock.advance(10_000);
      const { isError, ms } = await timed(other.call('refresh_budget'));
      expect(isError).toBe(false);
      times.push(ms);
    }
    const [first = 0, ...next] = times;
    expect(first).toBeLessThan(5_000);
    for (const ms of next) expect(ms).toBeLessThan(2_900);
  });
});

describe.skipIf(!sqlite)('a program that is killed', () => {
  test('when its request is lost keeps others waiting for less than 15 s, and an equal call until that is known', async () => {
    const { start, atRequest, create, logged, clock, timed } = await startSuspending();
    const [one, other] = [await start(), await start()];
    const killed = atRequest(isWrite, async () => void process.kill(pidOf(one), 'SIGKILL'));
    void create(one, 'of the killed').catch(() => {});
    await clock.passing(killed, 5);
    const { isError, text, ms } = await timed(create(other, 'of the other'));
    expect(isError, text).toBe(false);
    expect(ms).toBeLessThan(15_000);
    const equal = await timed(create(other, 'of the killed'));
    expect([equal.isError, equal.text]).toEqual([true, expect.stringContaining('not known')]);
    await clock.passing(clock.service.sleep(60_000), 100);
    const again = await timed(create(other, 'of the killed'));
    expect(again.isError, again.text).toBe(false);
    expect([logged('of the killed'), logged('of the other')]).toEqual([1, 1]);
  });
});
