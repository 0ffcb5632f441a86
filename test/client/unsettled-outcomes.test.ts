/** What hosts are told of a write that is carried on by hand, as its outcome comes early, late or never. */
import { describe, expect, test } from 'vitest';
import type { Attendance } from '../../src/client/exactly-once-writer.ts';
import { type Outcome, UnsettledWrites } from '../../src/client/unsettled-writes.ts';
import type { WriteCall } from '../../src/client/write-call.ts';
import { BudgetError } from '../../src/errors.ts';
import { yieldTurn } from '../../src/platform/clock.ts';
import { ManualClock } from '../manual-clock.ts';
import { failureOf } from './sending.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const CALL: WriteCall = {
  caller: 'ann',
  tool: 'create_transactions',
  title: 'Log transactions',
  budgetId: 'b',
  input: { budget_id: 'b', transactions: [{ amount: -4_500, memo: 'Coffee' }] },
};
const WRITTEN: Outcome = { data: { transaction_ids: ['t'] }, outcome: 'written' };
const unknown = new BudgetError('outcome_unknown', 'It could not be found out.');

/** A write whose steps a test takes. */
class Work {
  #attendance: Attendance | undefined;
  finish: (outcome: Outcome) => void = () => {};
  fail: (error: unknown) => void = () => {};

  readonly start = (attendance: Attendance): Promise<Outcome> => {
    this.#attendance = attendance;
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  };

  get isStarted(): boolean {
    return this.#attendance !== undefined;
  }

  get attendance(): Attendance {
    return this.#attendance ?? expect.unreachable('It has not been started.');
  }
}

function start() {
  const clock = new ManualClock(START);
  const writes = new UnsettledWrites(clock);
  const begin = (work: Work, call = CALL, options: Parameters<typeof writes.run>[2] = {}) => {
    const result = writes.run(call, work.start, options);
    // A test looks at it later.
    result.catch(() => {});
    return result;
  };
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await yieldTurn();
  };
  const states = (caller = 'ann') => writes.status(caller).map(({ state }) => state);
  /** A write that was sent and whose host was answered before its outcome was known. */
  const left = async (
    lookAgain = async (): Promise<Outcome['data'] | undefined> => undefined,
    call = CALL,
  ) => {
    const work = new Work();
    const result = begin(work, call);
    await yieldTurn();
    work.attendance.onSent?.(lookAgain);
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    return work;
  };
  return { clock, writes, begin, pass, states, left };
}

describe('A host that still waits', () => {
  test('is given the outcome, and nothing of the write is kept', async () => {
    const { writes, begin, states } = start();
    const work = new Work();
    const result = begin(work);
    expect(states()).toEqual(['waiting']);
    work.attendance.onSent?.(async () => undefined);
    expect(states()).toEqual(['sent']);
    work.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
    expect(states()).toEqual([]);
    expect(writes.isRepeated(CALL)).toBe(false);
  });

  test('is given the error that the write ended with', async () => {
    const { begin, states } = start();
    const work = new Work();
    const result = begin(work);
    const error = new BudgetError('bad_request', 'It is wrong.');
    work.fail(error);
    expect(await failureOf(result)).toBe(error);
    expect(states()).toEqual([]);
  });

  test('waits longer than ten seconds for what a write has changed, once its outcome is known', async () => {
    const { begin, pass } = start();
    const work = new Work();
    const result = begin(work);
    work.attendance.onSent?.(async () => undefined);
    work.attendance.onKnown?.();
    await pass(10_000);
    work.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
  });

  test('leaves the write as much time as is left of its ten seconds, and none once it is answered', async () => {
    const { begin, pass } = start();
    const work = new Work();
    begin(work);
    await pass(4_000);
    expect(work.attendance.timeLeft?.()).toBe(6_000);
    work.attendance.onSent?.(async () => undefined);
    await pass(6_000);
    expect(work.attendance.timeLeft?.()).toBe(0);
  });
});

describe('A write that has not been sent', () => {
  test('is not sent any more once its host is answered, after ten seconds', async () => {
    const { writes, begin, pass, states } = start();
    const work = new Work();
    const result = begin(work);
    await pass(9_999);
    expect(work.attendance.signal?.aborted).toBe(false);
    await pass(1);
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: nothing was sent within 10 s; what is before it takes longer.',
    ]);
    expect(work.attendance.signal?.aborted).toBe(true);
    expect(states()).toEqual([]);
    await writes.answered();
  });

  test.each([
    ['meanwhile', false],
    ['before', true],
  ])('is not sent any more where its host has cancelled %s', async (_, isBefore) => {
    const { begin, states } = start();
    const cancelling = new AbortController();
    if (isBefore) cancelling.abort();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    cancelling.abort();
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual(['cancelled', 'The call was cancelled before anything was sent.']);
    expect(work.attendance.signal?.aborted).toBe(true);
    expect(states()).toEqual([]);
  });
});

describe('A write that has been sent', () => {
  test('goes on when its host is answered, who is told that it is still being looked for', async () => {
    const { begin, pass, writes, states } = start();
    const work = new Work();
    const result = begin(work);
    work.attendance.onSent?.(async () => undefined);
    await pass(10_000);
    expect((await failureOf(result)).message).toBe(
      'Log transactions: after 10 s the service has not said whether it was written. It is still being looked for.',
    );
    expect(work.attendance.signal?.aborted).toBe(false);
    work.attendance.onLost?.();
    expect(writes.status('ann')).toEqual([
      { tool: 'create_transactions', budget_id: 'b', called_at: START, state: 'being_looked_for' },
    ]);
    expect(writes.status('bob')).toEqual([]);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(states()).toEqual(['written']);
  });

  test('goes on when its host cancels, although its outcome is known already', async () => {
    const { begin, states } = start();
    const cancelling = new AbortController();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    work.attendance.onSent?.(async () => undefined);
    work.attendance.onKnown?.();
    cancelling.abort();
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual([
      'outcome_unknown',
      'Log transactions: the call was cancelled after it had been sent.',
    ]);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(states()).toEqual(['written']);
  });

  test.each([
    ['not_written', new BudgetError('not_written', 'It was not.')],
    ['not_written', new BudgetError('bad_request', 'It is wrong.')],
    ['unknown', unknown],
    ['unknown', new TypeError('It is broken.')],
  ])('and that nobody waits for is %s after an error: %s', async (state, error) => {
    const { left, states } = start();
    (await left()).fail(error);
    await yieldTurn();
    expect(states()).toEqual([state]);
  });

  test('holds up the end of the program until it is lost or settled', async () => {
    for (const end of ['lost', 'settled'] as const) {
      const { writes, left } = start();
      const work = await left();
      let isOver = false;
      const over = writes.answered().then(() => {
        isOver = true;
      });
      await yieldTurn();
      expect(isOver).toBe(false);
      if (end === 'lost') work.attendance.onLost?.();
      else work.finish(WRITTEN);
      await over;
    }
  });
});

describe('An equal call', () => {
  test('after a write whose outcome was not delivered is given that, and nothing is sent', async () => {
    const { clock, writes, begin, left, pass, states } = start();
    const work = await left();
    await pass(5_000);
    work.finish(WRITTEN);
    await yieldTurn();
    await pass(5_000);
    expect(writes.isRepeated(CALL)).toBe(true);
    const again = new Work();
    const result = await begin(again);
    expect(result).toEqual({ earlier: WRITTEN, calledAt: START, settledAt: START + 15_000 });
    expect(again.isStarted).toBe(false);
    expect(states()).toEqual([]);
    expect(clock.now()).toBe(START + 20_000);
    expect(writes.isRepeated(CALL)).toBe(false);
  });

  test('waits for what becomes of the one before, ten seconds at most, and so does the next one', async () => {
    const { writes, begin, left, pass } = start();
    const work = await left();
    const second = begin(new Work());
    await yieldTurn();
    expect(writes.isRepeated(CALL)).toBe(false);
    expect(work.attendance.timeLeft?.()).toBeLessThanOrEqual(0);
    await pass(10_000);
    expect((await failureOf(second)).message).toContain('still being looked for');
    const third = begin(new Work());
    work.finish(WRITTEN);
    expect(await third).toMatchObject({ earlier: WRITTEN });
  });

  test.each([new BudgetError('not_written', 'It was not.'), new BudgetError('bad_request', 'It is wrong.')])(
    'after a write that was not carried out is a write of its own: %s',
    async (error) => {
      const { begin, left, states } = start();
      (await left()).fail(error);
      await yieldTurn();
      const again = new Work();
      const result = begin(again);
      await yieldTurn();
      expect(states()).toEqual(['waiting']);
      again.finish(WRITTEN);
      expect(await result).toEqual({ own: WRITTEN });
    },
  );

  test('whose hosts wait side by side are writes of their own', async () => {
    const { begin } = start();
    const works = [new Work(), new Work()];
    const results = works.map((work) => begin(work));
    await yieldTurn();
    for (const work of works) work.finish(WRITTEN);
    expect(await Promise.all(results)).toEqual([{ own: WRITTEN }, { own: WRITTEN }]);
  });

  test('is recognised in whatever order its arguments are given', async () => {
    const { writes, left } = start();
    await left();
    const isRepeated = (more: Partial<WriteCall>) => writes.isRepeated({ ...CALL, ...more });
    expect(
      isRepeated({ input: { transactions: [{ memo: 'Coffee', amount: -4_500 }], budget_id: 'b' } }),
    ).toBe(true);
    expect(isRepeated({ caller: 'bob' })).toBe(false);
    expect(isRepeated({ tool: 'update_transactions' })).toBe(false);
    expect(isRepeated({ input: { ...CALL.input, transactions: [] } })).toBe(false);
  });

  test('is one only where lists are in the same order', async () => {
    const { writes, left } = start();
    const call = { ...CALL, input: { rows: [1, 2], nothing: null } };
    await left(undefined, call);
    expect(writes.isRepeated(call)).toBe(true);
    expect(writes.isRepeated({ ...call, input: { rows: [2, 1], nothing: null } })).toBe(false);
  });

  test('is recognised for ten minutes after the one before was answered, and until that one is settled', async () => {
    const { writes, left, pass } = start();
    const work = await left();
    await pass(60 * MINUTE);
    expect(writes.isRepeated(CALL)).toBe(true);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(writes.isRepeated(CALL)).toBe(false);
    for (const end of [(work: Work) => work.finish(WRITTEN), (work: Work) => work.fail(unknown)]) {
      const settled = start();
      end(await settled.left());
      await settled.pass(10 * MINUTE);
      expect(settled.writes.isRepeated(CALL)).toBe(true);
      await settled.pass(1);
      expect(settled.writes.isRepeated(CALL)).toBe(false);
      expect(settled.states()).toEqual([]);
    }
  });
});

describe('An equal call after a write of which nothing is known', () => {
  const afterUnknown = async (lookAgain: () => Promise<Outcome['data'] | undefined>) => {
    const started = start();
    (await started.left(lookAgain)).fail(unknown);
    await yieldTurn();
    return started;
  };

  test('looks once more, and gives what it finds', async () => {
    const { begin, states } = await afterUnknown(async () => ({ id: 't' }));
    const again = new Work();
    expect(await begin(again)).toMatchObject({
      earlier: { data: { id: 't' }, outcome: 'confirmed_afterwards' },
      calledAt: START,
    });
    expect([again.isStarted, states()]).toEqual([false, []]);
  });

  test('is sent where it is proven that the one before was not carried out', async () => {
    const { begin } = await afterUnknown(async () => undefined);
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    again.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
  });

  test('is not sent while the budget cannot be looked at, and the one before is kept', async () => {
    const cause = new BudgetError('timed_out', 'It took too long.');
    const { begin, states, writes } = await afterUnknown(() => Promise.reject(cause));
    const again = new Work();
    const failure = await failureOf(begin(again));
    expect(failure).toMatchObject({ code: 'outcome_unknown', cause });
    expect(failure.message).toBe(
      'Log transactions: an equal call before may have been carried out. It took too long.',
    );
    expect([again.isStarted, states(), writes.isRepeated(CALL)]).toEqual([false, ['unknown'], true]);
  });

  test('is not sent where looking is broken, and says what is', async () => {
    const bug = new TypeError('It is broken.');
    const { begin, writes } = await afterUnknown(() => Promise.reject(bug));
    await expect(begin(new Work())).rejects.toBe(bug);
    expect(writes.isRepeated(CALL)).toBe(true);
  });

  test('is answered after ten seconds where the look takes longer', async () => {
    const { begin, pass, writes } = await afterUnknown(() => new Promise(() => {}));
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    expect([again.isStarted, writes.isRepeated(CALL)]).toEqual([false, true]);
  });
});

describe('A call that only asks for the outcome of an equal one', () => {
  test('is told where there is none any more', async () => {
    const { begin, states } = start();
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { isRepeat: true }));
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: the equal call before it was answered meanwhile.',
    ]);
    expect([work.isStarted, states()]).toEqual([false, []]);
  });

  test('is told that the one before was not carried out, and sends nothing', async () => {
    const { begin, left } = start();
    (await left()).fail(new BudgetError('not_written', 'It was not.'));
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { isRepeat: true }));
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: the equal call before it was not carried out.',
    ]);
    expect(work.isStarted).toBe(false);
  });

  test('is given the outcome of the one before', async () => {
    const { begin, left } = start();
    (await left()).finish(WRITTEN);
    expect(await begin(new Work(), CALL, { isRepeat: true })).toMatchObject({ earlier: WRITTEN });
  });
});
