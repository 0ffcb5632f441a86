/** The answers to hosts when the outcome of a write comes early, late or never. The test controls the write. */
import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { yieldTurn } from '../../src/platform/clock.ts';
import type { AnyWriteResult } from '../../src/writes/settlement.ts';
import { UnsettledWrites } from '../../src/writes/unsettled-writes.ts';
import type { WriteCall } from '../../src/writes/write-call.ts';
import type { WriteObserver } from '../../src/writes/write-observer.ts';
import { failureOf } from '../client/sending.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const CALL: WriteCall = {
  caller: 'ann',
  tool: 'create_transactions',
  title: 'Log transactions',
  budgetId: 'b',
  input: { budget_id: 'b', transactions: [{ amount: -4_500, memo: 'Coffee' }] },
};
const WRITTEN: AnyWriteResult = { data: { transaction_ids: ['t'] }, outcome: 'written' };
const unknown = new BudgetError('outcome_unknown', 'It could not be found out.');

/** A write whose steps the test controls. */
class Work {
  #observer: WriteObserver | undefined;
  finish: (outcome: AnyWriteResult) => void = () => {};
  fail: (error: unknown) => void = () => {};

  readonly start = (observer: WriteObserver): Promise<AnyWriteResult> => {
    this.#observer = observer;
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  };

  get isStarted(): boolean {
    return this.#observer !== undefined;
  }

  get observer(): WriteObserver {
    return this.#observer ?? expect.unreachable('It has not been started.');
  }
}

function start() {
  const clock = new ManualClock(START);
  const writes = new UnsettledWrites(clock);
  const begin = (work: Work, call = CALL, options: Parameters<typeof writes.run>[2] = {}) => {
    const result = writes.run(call, work.start, options);
    // A test may check it later.
    result.catch(() => {});
    return result;
  };
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await yieldTurn();
  };
  const states = (caller = 'ann') => writes.status(caller).map(({ state }) => state);
  /** A write that was sent, and whose host was answered before its outcome was known. */
  const left = async (
    searchAgain = async (): Promise<AnyWriteResult['data'] | undefined> => undefined,
    call = CALL,
  ) => {
    const work = new Work();
    const result = begin(work, call);
    await yieldTurn();
    work.observer.onSent?.(searchAgain);
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    return work;
  };
  return { clock, writes, begin, pass, states, left };
}

describe('hosts that still wait', () => {
  test('a host that still waits gets the outcome, and the write is not kept', async () => {
    const { writes, begin, states } = start();
    const work = new Work();
    const result = begin(work);
    expect(states()).toEqual(['waiting']);
    work.observer.onSent?.(async () => undefined);
    expect(states()).toEqual(['sent']);
    work.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
    expect(states()).toEqual([]);
    expect(writes.isRepeated(CALL)).toBe(false);
  });

  test('a host that still waits gets the error of the write', async () => {
    const { begin, states } = start();
    const work = new Work();
    const result = begin(work);
    const error = new BudgetError('bad_request', 'It is wrong.');
    work.fail(error);
    expect(await failureOf(result)).toBe(error);
    expect(states()).toEqual([]);
  });

  test('a host waits longer than ten seconds for the changes of a write when its outcome is known', async () => {
    const { begin, pass } = start();
    const work = new Work();
    const result = begin(work);
    work.observer.onSent?.(async () => undefined);
    work.observer.onOutcomeKnown?.();
    await pass(10_000);
    work.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
  });

  test('the time left for a write is the rest of ten seconds, and zero after its host was answered', async () => {
    const { begin, pass } = start();
    const work = new Work();
    void begin(work);
    await pass(4_000);
    expect(work.observer.remainingMs?.()).toBe(6_000);
    work.observer.onSent?.(async () => undefined);
    await pass(6_000);
    expect(work.observer.remainingMs?.()).toBe(0);
  });
});

describe('answers on their way to the host', () => {
  const answeredWrite = async (options: Parameters<UnsettledWrites['run']>[2]) => {
    const started = start();
    const work = new Work();
    const result = started.begin(work, CALL, options);
    work.observer.onSent?.(async () => undefined);
    work.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
    return started;
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await yieldTurn();
  };

  test('the outcome of an answer that could not be sent is left to the next equal call', async () => {
    const { begin, states } = await answeredWrite({ answered: Promise.resolve(false) });
    await settle();
    expect(states()).toEqual(['written']);
    const again = new Work();
    expect(await begin(again)).toMatchObject({ earlier: WRITTEN, calledAt: START });
    expect(again.isStarted).toBe(false);
  });

  test('a call that sent nothing is not kept, whether its answer was sent or not', async () => {
    const { writes, begin, states } = start();
    const work = new Work();
    const result = begin(work, CALL, { answered: Promise.resolve(false) });
    work.fail(new BudgetError('rate_budget_spent', 'No requests are left.'));
    expect((await failureOf(result)).code).toBe('rate_budget_spent');
    await settle();
    expect([states(), writes.isRepeated(CALL)]).toEqual([[], false]);
  });

  test('at an orderly end, an answer that is not sent within a second counts as not delivered', async () => {
    const { writes, pass } = await answeredWrite({ answered: new Promise(() => {}) });
    expect(writes.isRepeated(CALL)).toBe(false);
    const drained = writes.drained();
    await settle();
    await pass(1_000);
    await drained;
    expect(writes.isRepeated(CALL)).toBe(true);
  });

  test('the next call equal to one whose answer was sent writes again', async () => {
    const { begin, states } = await answeredWrite({ answered: Promise.resolve(true) });
    await settle();
    expect(states()).toEqual([]);
    const again = new Work();
    void begin(again);
    await settle();
    expect(again.isStarted).toBe(true);
  });

  test('what a host has waited before the write counts, so that it is answered before it gives up', async () => {
    const { begin, pass } = start();
    const work = new Work();
    const result = begin(work, CALL, { waitedMs: 7_000 });
    await pass(2_999);
    expect(work.observer.signal?.aborted).toBe(false);
    await pass(1);
    expect((await failureOf(result)).code).toBe('not_written');
    const late = failureOf(begin(new Work(), CALL, { waitedMs: 12_000 }));
    await pass(0);
    expect((await late).code).toBe('not_written');
  });
});

describe('writes that were not sent', () => {
  test('a write that was not sent within ten seconds is not sent after its host was answered', async () => {
    const { writes, begin, pass, states } = start();
    const work = new Work();
    const result = begin(work);
    await pass(9_999);
    expect(work.observer.signal?.aborted).toBe(false);
    await pass(1);
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: nothing was sent within 10 s. Earlier reads took too long.',
    ]);
    expect(work.observer.signal?.aborted).toBe(true);
    expect(states()).toEqual([]);
    await writes.drained();
  });

  test.each([
    ['during the call', false],
    ['before the call', true],
  ])('a write is not sent when its host cancelled %s', async (_, isBefore) => {
    const { begin, states } = start();
    const cancelling = new AbortController();
    if (isBefore) cancelling.abort();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    cancelling.abort();
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual(['cancelled', 'The call was cancelled before anything was sent.']);
    expect(work.observer.signal?.aborted).toBe(true);
    expect(states()).toEqual([]);
  });
});

describe('writes that were sent', () => {
  test('a sent write continues after its host was answered, and the answer says that it is still being looked for', async () => {
    const { begin, pass, writes, states } = start();
    const work = new Work();
    const result = begin(work);
    work.observer.onSent?.(async () => undefined);
    await pass(10_000);
    expect((await failureOf(result)).message).toBe(
      'Log transactions: after 10 s there is no outcome. It is still being looked for.',
    );
    expect(work.observer.signal?.aborted).toBe(false);
    work.observer.onResponseLost?.();
    expect(writes.status('ann')).toEqual([
      { tool: 'create_transactions', budget_id: 'b', called_at: START, state: 'being_looked_for' },
    ]);
    expect(writes.status('bob')).toEqual([]);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(states()).toEqual(['written']);
  });

  test('a sent write continues when its host cancels, also when its outcome is already known', async () => {
    const { begin, states } = start();
    const cancelling = new AbortController();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    work.observer.onSent?.(async () => undefined);
    work.observer.onOutcomeKnown?.();
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
  ])('a sent write without a waiting host is %s after an error: %s', async (state, error) => {
    const { left, states } = start();
    (await left()).fail(error);
    await yieldTurn();
    expect(states()).toEqual([state]);
  });

  test('a sent write delays the end of the program until it is lost or settled', async () => {
    for (const end of ['lost', 'settled'] as const) {
      const { writes, left } = start();
      const work = await left();
      let isOver = false;
      const over = writes.drained().then(() => {
        isOver = true;
      });
      await yieldTurn();
      expect(isOver).toBe(false);
      if (end === 'lost') work.observer.onResponseLost?.();
      else work.finish(WRITTEN);
      await over;
    }
  });
});

describe('equal calls', () => {
  test('an equal call gets the outcome of the earlier write that was not delivered, and nothing is sent', async () => {
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

  test('each equal call waits at most ten seconds for the outcome of the earlier write', async () => {
    const { writes, begin, left, pass } = start();
    const work = await left();
    const second = begin(new Work());
    await yieldTurn();
    expect(writes.isRepeated(CALL)).toBe(false);
    expect(work.observer.remainingMs?.()).toBeLessThanOrEqual(0);
    await pass(10_000);
    expect((await failureOf(second)).message).toContain('still being looked for');
    const third = begin(new Work());
    work.finish(WRITTEN);
    expect(await third).toMatchObject({ earlier: WRITTEN });
  });

  test.each([new BudgetError('not_written', 'It was not.'), new BudgetError('bad_request', 'It is wrong.')])(
    'an equal call after a write that was not carried out is sent without another search: %s',
    async (error) => {
      const { begin, left, states } = start();
      (await left(async () => expect.unreachable('The outcome is known.'))).fail(error);
      await yieldTurn();
      const again = new Work();
      const result = begin(again);
      await yieldTurn();
      expect(states()).toEqual(['waiting']);
      again.finish(WRITTEN);
      expect(await result).toEqual({ own: WRITTEN });
    },
  );

  test('equal calls whose hosts wait at the same time are separate writes', async () => {
    const { begin } = start();
    const works = [new Work(), new Work()];
    const results = works.map((work) => begin(work));
    await yieldTurn();
    for (const work of works) work.finish(WRITTEN);
    expect(await Promise.all(results)).toEqual([{ own: WRITTEN }, { own: WRITTEN }]);
  });

  test('an equal call is recognised by its caller, its tool and its arguments in any order', async () => {
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

  test('a call is equal only when its lists have the same order', async () => {
    const { writes, left } = start();
    const call = { ...CALL, input: { rows: [1, 2], nothing: null } };
    await left(undefined, call);
    expect(writes.isRepeated(call)).toBe(true);
    expect(writes.isRepeated({ ...call, input: { rows: [2, 1], nothing: null } })).toBe(false);
  });

  test('an equal call is recognised until the earlier write is settled, and for at least ten minutes', async () => {
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

describe('equal calls after a write with an unknown outcome', () => {
  const afterUnknown = async (searchAgain: () => Promise<AnyWriteResult['data'] | undefined>) => {
    const started = start();
    (await started.left(searchAgain)).fail(unknown);
    await yieldTurn();
    return started;
  };

  test('an equal call after an unknown outcome looks for the write again and returns what it finds', async () => {
    const { begin, states } = await afterUnknown(async () => ({ id: 't' }));
    const again = new Work();
    expect(await begin(again)).toMatchObject({
      earlier: { data: { id: 't' }, outcome: 'confirmed_afterwards' },
      calledAt: START,
    });
    expect([again.isStarted, states()]).toEqual([false, []]);
  });

  test('an equal call after an unknown outcome is sent when the earlier write was certainly not carried out', async () => {
    const { begin } = await afterUnknown(async () => undefined);
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    again.finish(WRITTEN);
    expect(await result).toEqual({ own: WRITTEN });
  });

  test('an equal call after an unknown outcome is not sent while the budget cannot be read, and the earlier write is kept', async () => {
    const cause = new BudgetError('timed_out', 'It took too long.');
    const { begin, states, writes } = await afterUnknown(() => Promise.reject(cause));
    const again = new Work();
    const failure = await failureOf(begin(again));
    expect(failure).toMatchObject({ code: 'outcome_unknown', cause });
    expect(failure.message).toBe(
      'Log transactions: an earlier equal call may have been carried out. It took too long.',
    );
    expect([again.isStarted, states(), writes.isRepeated(CALL)]).toEqual([false, ['unknown'], true]);
  });

  test('an equal call after an unknown outcome is not sent when the search has a bug, and the bug is thrown', async () => {
    const bug = new TypeError('It is broken.');
    const { begin, writes } = await afterUnknown(() => Promise.reject(bug));
    await expect(begin(new Work())).rejects.toBe(bug);
    expect(writes.isRepeated(CALL)).toBe(true);
  });

  test('an equal call after an unknown outcome is answered after ten seconds when the search takes longer', async () => {
    const { begin, pass, writes } = await afterUnknown(() => new Promise(() => {}));
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    expect([again.isStarted, writes.isRepeated(CALL)]).toEqual([false, true]);
  });
});

describe('calls that only ask for the outcome of an equal call', () => {
  test('a call that only asks for an outcome fails when the equal call was answered meanwhile', async () => {
    const { begin, states } = start();
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { isRepeat: true }));
    expect([code, message]).toEqual([
      'conflict',
      'Log transactions: the outcome of the earlier equal call has already been delivered.',
    ]);
    expect([work.isStarted, states()]).toEqual([false, []]);
  });

  test('a call that only asks for an outcome says that the earlier write was not carried out, and sends nothing', async () => {
    const { begin, left } = start();
    (await left()).fail(new BudgetError('not_written', 'It was not.'));
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { isRepeat: true }));
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: the earlier equal call was not carried out.',
    ]);
    expect(work.isStarted).toBe(false);
  });

  test('a call that only asks for an outcome gets the outcome of the earlier write', async () => {
    const { begin, left } = start();
    (await left()).finish(WRITTEN);
    expect(await begin(new Work(), CALL, { isRepeat: true })).toMatchObject({ earlier: WRITTEN });
  });
});
