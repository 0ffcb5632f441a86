import { describe, expect, test } from 'vitest';
import { ANSWER_LIMIT_MS, WaitingHost } from '../../../src/session/writes/write-call.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

const endless = new Promise<never>(() => {});

function start(signal?: AbortSignal) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  return { clock, host: new WaitingHost(clock, { signal }) };
}

describe('a waiting host', () => {
  test('a host stops waiting after ten seconds, which begin when it called and not when the work begins', async () => {
    const { clock, host } = start();
    clock.advance(4_000);
    expect(host.remainingMs()).toBe(6_000);
    const end = host.waitFor(endless);
    expect(clock.nextWakeIn).toBe(6_000);
    clock.advance(6_000);
    expect(await end).toBe('timed_out');
    expect(host.remainingMs()).toBe(0);
    expect(ANSWER_LIMIT_MS).toBe(10_000);
  });

  test('a host that stopped waiting does not wait for other work either', async () => {
    const { clock, host } = start();
    clock.advance(10_000);
    expect(await host.waitFor(endless)).toBe('timed_out');
    expect(await host.waitFor(endless)).toBe('timed_out');
  });

  test('a host waits until the work ends, also several times', async () => {
    const { host } = start();
    expect(await host.waitFor(Promise.resolve('one'))).toBeUndefined();
    expect(await host.waitFor(Promise.resolve('two'))).toBeUndefined();
  });

  test.each(['before it waits', 'while it waits'])(
    'a host stops waiting when it cancels %s',
    async (when) => {
      const cancelling = new AbortController();
      if (when === 'before it waits') cancelling.abort();
      const { host } = start(cancelling.signal);
      const end = host.waitFor(endless);
      cancelling.abort();
      expect(await end).toBe('cancelled');
    },
  );

  test('a host that got its result leaves no timer', () => {
    const { clock, host } = start();
    host.end();
    expect(clock.nextWakeIn).toBeUndefined();
  });

  test('a host that got its result does not observe the signal of its call any more', async () => {
    const cancelling = new AbortController();
    const { host } = start(cancelling.signal);
    host.end();
    cancelling.abort();
    const work = Promise.resolve();
    await work;
    expect(await host.waitFor(work)).toBeUndefined();
  });
});
