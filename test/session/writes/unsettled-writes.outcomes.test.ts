/** The answers to hosts when the outcome of a write comes early, late or never. The test controls the write. */
import { describe, expect, test } from 'vitest';
import { yieldTurn } from '../../../src/base/clock.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import type { WriteResult } from '../../../src/session/call-result.ts';
import type { RunOptions } from '../../../src/session/writes/unsettled-writes.ts';
import type { WriteCall } from '../../../src/session/writes/write-call.ts';
import { yieldTurns } from '../../manual-clock.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { START, start, Work, WRITTEN } from './controlled-work.helper.ts';
import { CALL } from './pending.helper.ts';

const MINUTE = 60_000;
const unknown = new BudgetError('outcome_unknown', 'It could not be found out.');

describe('hosts that still wait', () => {
  test('a host that still waits gets the outcome, and the write is not kept', async () => {
    const { begin, states, isRepeated } = start();
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    expect(await states()).toEqual(['waiting']);
    await work.send();
    expect(await states()).toEqual(['sent']);
    work.finish(WRITTEN);
    expect(await result).toEqual({ written: WRITTEN });
    expect(await states()).toEqual([]);
    expect(await isRepeated()).toBe(false);
  });

  test('a host that still waits gets the error of the write', async () => {
    const { begin, states } = start();
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    const error = new BudgetError('bad_request', 'It is wrong.');
    work.fail(error);
    expect(await failureOf(result)).toBe(error);
    expect(await states()).toEqual([]);
  });

  test('a host waits longer than ten seconds for the changes of a write when its outcome is known', async () => {
    const { begin, pass } = start();
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    await work.send();
    work.own.answered();
    await pass(10_000);
    work.finish(WRITTEN);
    expect(await result).toEqual({ written: WRITTEN });
  });

  test('the time left for a write is the rest of ten seconds, and zero after its host was answered', async () => {
    const { begin, pass } = start();
    const work = new Work();
    void begin(work);
    await yieldTurn();
    await pass(4_000);
    expect(work.own.remainingMs()).toBe(6_000);
    await work.send();
    await pass(6_000);
    expect(work.own.remainingMs()).toBe(0);
  });

  test('no time is left for a write after its host has cancelled', async () => {
    const { begin, pass } = start();
    const cancelling = new AbortController();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    await yieldTurn();
    await work.send();
    await pass(4_000);
    cancelling.abort();
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    expect(work.own.remainingMs()).toBe(0);
  });
});

describe('answers on their way to the host', () => {
  const answeredWrite = async (options: RunOptions) => {
    const started = start();
    const work = new Work();
    const result = started.begin(work, CALL, options);
    await yieldTurn();
    await work.send();
    work.finish(WRITTEN);
    expect(await result).toEqual({ written: WRITTEN });
    return started;
  };
  const settle = () => yieldTurns(10);

  test('the outcome of an answer that could not be sent is left to the next equal call', async () => {
    const { begin, states } = await answeredWrite({ answered: Promise.resolve(false) });
    await settle();
    expect(await states()).toEqual(['written']);
    const again = new Work();
    expect(await begin(again)).toMatchObject({ earlier: WRITTEN, calledAt: START });
    expect(again.isStarted).toBe(false);
  });

  test('a call that sent nothing is not kept, whether its answer was sent or not', async () => {
    const { begin, states, isRepeated } = start();
    const work = new Work();
    const result = begin(work, CALL, { answered: Promise.resolve(false) });
    await yieldTurn();
    work.fail(new BudgetError('rate_budget_spent', 'No requests are left.'));
    expect((await failureOf(result)).code).toBe('rate_budget_spent');
    await settle();
    expect([await states(), await isRepeated()]).toEqual([[], false]);
  });

  test('at an orderly end, an answer that is not sent within a second counts as not delivered', async () => {
    const { writes, pass, isRepeated } = await answeredWrite({ answered: new Promise(() => {}) });
    expect(await isRepeated()).toBe(false);
    const drained = writes.ownWrites.drained();
    await settle();
    await pass(1_000);
    await drained;
    expect(await isRepeated()).toBe(true);
  });

  test('the next call equal to one whose answer was sent writes again', async () => {
    const { begin, states } = await answeredWrite({ answered: Promise.resolve(true) });
    await settle();
    expect(await states()).toEqual([]);
    const again = new Work();
    void begin(again);
    await yieldTurn();
    await settle();
    expect(again.isStarted).toBe(true);
  });

  test('no timer is left after the answer was sent', async () => {
    const { clock } = await answeredWrite({ answered: Promise.resolve(true) });
    await settle();
    expect(clock.nextWakeIn).toBeUndefined();
  });

  test('what a host has waited before the write counts, so that it is answered before it gives up', async () => {
    const { begin, pass } = start();
    const work = new Work();
    const result = begin(work, CALL, { waitedMs: 7_000 });
    await yieldTurn();
    await pass(2_999);
    expect(work.own.signal.aborted).toBe(false);
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
    await yieldTurn();
    await pass(9_999);
    expect(work.own.signal.aborted).toBe(false);
    await pass(1);
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: nothing was sent within 10 s. Earlier reads took too long.',
    ]);
    expect(work.own.signal.aborted).toBe(true);
    expect(await states()).toEqual([]);
    await writes.ownWrites.drained();
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
    await yieldTurn();
    cancelling.abort();
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual(['cancelled', 'The call was cancelled before anything was sent.']);
    expect(work.own.signal.aborted).toBe(true);
    expect(await states()).toEqual([]);
  });
});

describe('writes that were sent', () => {
  test('a sent write continues after its host was answered, and the answer says that it is still being looked for', async () => {
    const { begin, pass, states, status } = start();
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    await work.send();
    await pass(10_000);
    expect((await failureOf(result)).message).toBe(
      'Log transactions: after 10 s there is no outcome. It is still being looked for.',
    );
    expect(work.own.signal.aborted).toBe(false);
    await work.own.dispatch([{ type: 'lose' }]);
    expect(await status()).toEqual([
      { tool: 'create_transactions', budget_id: 'b', called_at: START, state: 'being_looked_for' },
    ]);
    expect(await status('bob')).toEqual([]);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(await states()).toEqual(['written']);
  });

  test('a sent write continues when its host cancels, also when its outcome is already known', async () => {
    const { begin, states } = start();
    const cancelling = new AbortController();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    await yieldTurn();
    await work.send();
    work.own.answered();
    cancelling.abort();
    const { code, message } = await failureOf(result);
    expect([code, message]).toEqual([
      'outcome_unknown',
      'Log transactions: the call was cancelled after it had been sent.',
    ]);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(await states()).toEqual(['written']);
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
    expect(await states()).toEqual([state]);
  });

  test('a sent write delays the end of the program until it is lost or settled', async () => {
    for (const end of ['lost', 'settled'] as const) {
      const { writes, left } = start();
      const work = await left();
      let isOver = false;
      const over = writes.ownWrites.drained().then(() => {
        isOver = true;
      });
      await yieldTurn();
      expect(isOver).toBe(false);
      if (end === 'lost') await work.own.dispatch([{ type: 'lose' }]);
      else work.finish(WRITTEN);
      await over;
    }
  });
});

describe('equal calls', () => {
  test('an equal call gets the outcome of the earlier write that was not delivered, and nothing is sent', async () => {
    const { clock, begin, left, pass, states, isRepeated } = start();
    const work = await left();
    await pass(5_000);
    work.finish(WRITTEN);
    await yieldTurn();
    await pass(5_000);
    expect(await isRepeated()).toBe(true);
    const again = new Work();
    const result = await begin(again);
    expect(result).toEqual({ earlier: WRITTEN, calledAt: START, settledAt: START + 15_000 });
    expect(again.isStarted).toBe(false);
    expect(await states()).toEqual([]);
    expect(clock.now()).toBe(START + 20_000);
    expect(await isRepeated()).toBe(false);
  });

  test('each equal call waits at most ten seconds for the outcome of the earlier write', async () => {
    const { begin, left, pass, isRepeated } = start();
    const work = await left();
    const second = begin(new Work());
    await yieldTurn();
    expect(await isRepeated()).toBe(false);
    expect(work.own.remainingMs()).toBeLessThanOrEqual(0);
    await pass(10_000);
    expect((await failureOf(second)).message).toContain('still being looked for');
    const third = begin(new Work());
    await yieldTurn();
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
      expect(await states()).toEqual(['waiting']);
      again.finish(WRITTEN);
      expect(await result).toEqual({ written: WRITTEN });
    },
  );

  test('equal calls whose hosts wait at the same time are separate writes', async () => {
    const { begin, isRepeated } = start();
    const works = [new Work(), new Work()];
    const results = works.map((work) => begin(work));
    await yieldTurn();
    expect(await isRepeated()).toBe(false);
    for (const work of works) work.finish(WRITTEN);
    expect(await Promise.all(results)).toEqual([{ written: WRITTEN }, { written: WRITTEN }]);
  });

  test('an equal call does not wait for a write that was sent and whose host still waits in the same process', async () => {
    const { begin } = start();
    const [first, second] = [new Work(), new Work()];
    void begin(first);
    await yieldTurn();
    await first.send();
    void begin(second);
    await yieldTurn();
    expect(second.isStarted).toBe(true);
  });

  test('a write that the store of the sign-in has not is shown if its budget is accessible, and an equal call repeats it', async () => {
    const { writes, left } = start();
    await left();
    expect(writes.status('ann', [], (id) => id === 'b')).toMatchObject([{ budget_id: 'b', state: 'sent' }]);
    expect(writes.status('ann', [], (id) => id !== 'b')).toEqual([]);
    expect(writes.isRepeated(CALL, [])).toBe(true);
  });

  test('for two equal writes that were lost at the same time, each equal call returns the outcome of one of them', async () => {
    const { begin, pass } = start();
    const works = [new Work(), new Work()];
    const results = works.map((work) => begin(work));
    await yieldTurn();
    for (const work of works) await work.send();
    await pass(10_000);
    for (const result of results) expect((await failureOf(result)).code).toBe('outcome_unknown');
    for (const [id, work] of works.entries()) work.finish({ data: { id }, outcome: 'written' });
    await yieldTurn();
    for (const id of works.keys())
      expect(await begin(new Work())).toMatchObject({ earlier: { data: { id } } });
  });

  test('an equal call is recognised by its caller, its tool and its arguments in any order', async () => {
    const { left, isRepeated } = start();
    await left();
    const isSame = (more: Partial<WriteCall>) => isRepeated({ ...CALL, ...more });
    expect(
      await isSame({ input: { transactions: [{ memo: 'Coffee', amount: -4_500 }], budget_id: 'b' } }),
    ).toBe(true);
    expect(await isSame({ caller: 'bob' })).toBe(false);
    expect(await isSame({ tool: 'update_transactions' })).toBe(false);
    expect(await isSame({ input: { ...CALL.input, transactions: [] } })).toBe(false);
  });

  test('a call is equal only when its lists have the same order', async () => {
    const { left, isRepeated } = start();
    const call = { ...CALL, input: { rows: [1, 2], nothing: null } };
    await left(undefined, call);
    expect(await isRepeated(call)).toBe(true);
    expect(await isRepeated({ ...call, input: { rows: [2, 1], nothing: null } })).toBe(false);
  });

  test('an equal call is recognised until the earlier write is settled, and for at least ten minutes', async () => {
    const { left, pass, isRepeated } = start();
    const work = await left();
    await pass(60 * MINUTE);
    expect(await isRepeated()).toBe(true);
    work.finish(WRITTEN);
    await yieldTurn();
    expect(await isRepeated()).toBe(false);
    for (const end of [(work: Work) => work.finish(WRITTEN), (work: Work) => work.fail(unknown)]) {
      const settled = start();
      end(await settled.left());
      await settled.pass(10 * MINUTE);
      expect(await settled.isRepeated()).toBe(true);
      await settled.pass(1);
      expect(await settled.isRepeated()).toBe(false);
      expect(await settled.states()).toEqual([]);
    }
  });
});

describe('equal calls after a write of another process', () => {
  test('an equal call gets a result after ten seconds and sends nothing while a host of another process waits', async () => {
    const { begin, pass, sentByOther } = start();
    await sentByOther();
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    await pass(10_000);
    const { code, message } = await failureOf(result);
    expect(code).toBe('outcome_unknown');
    expect(message).toContain('nothing was sent now. An equal call was sent by another process');
    expect(work.isStarted).toBe(false);
  });

  test('an equal call that is cancelled while a host of another process waits has sent nothing', async () => {
    const { begin, pass, sentByOther } = start();
    await sentByOther();
    const cancelling = new AbortController();
    const work = new Work();
    const result = begin(work, CALL, { signal: cancelling.signal });
    await yieldTurn();
    cancelling.abort();
    await pass(100);
    expect((await failureOf(result)).code).toBe('cancelled');
    expect(work.isStarted).toBe(false);
  });

  /** The store loses the earlier write while an equal call waits for its outcome. */
  const lostMeanwhile = async (isTogether: boolean, data?: WriteResult['data']) => {
    const { begin, pass, searching, sentByOther, lose } = start();
    searching.again = async () => data;
    await sentByOther({ awaitedBy: undefined, isTogether });
    const work = new Work();
    const result = begin(work);
    await yieldTurn();
    lose();
    await pass(100);
    await yieldTurn();
    return { work, result };
  };

  test('a search decides what an equal call returns if the store loses the earlier write meanwhile', async () => {
    const found = await lostMeanwhile(false, { id: 't' });
    expect(await found.result).toMatchObject({ earlier: { data: { id: 't' } } });
    const { work, result } = await lostMeanwhile(false);
    work.finish(WRITTEN);
    expect(await result).toEqual({ written: WRITTEN });
  });

  test('an equal call sends nothing if the store loses an earlier write of several steps meanwhile', async () => {
    const { work, result } = await lostMeanwhile(true, { id: 't' });
    const { code, message } = await failureOf(result);
    expect(code).toBe('outcome_unknown');
    expect(message).toContain('lost what it knew about the earlier call');
    expect(work.isStarted).toBe(false);
  });
});

describe('equal calls after a write with an unknown outcome', () => {
  const afterUnknown = async (searchAgain: () => Promise<WriteResult['data'] | undefined>) => {
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
    expect([again.isStarted, await states()]).toEqual([false, []]);
  });

  test('an equal call after an unknown outcome is sent when the earlier write was certainly not carried out', async () => {
    const { begin } = await afterUnknown(async () => undefined);
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    again.finish(WRITTEN);
    expect(await result).toEqual({ written: WRITTEN });
  });

  test('an equal call after an unknown outcome is not sent while the budget cannot be read, and the earlier write is kept', async () => {
    const cause = new BudgetError('timed_out', 'It took too long.');
    const { begin, states, isRepeated } = await afterUnknown(() => Promise.reject(cause));
    const again = new Work();
    const failure = await failureOf(begin(again));
    expect(failure).toMatchObject({ code: 'outcome_unknown', cause });
    expect(failure.message).toBe(
      'Log transactions: an earlier equal call may have been carried out. It took too long.',
    );
    expect([again.isStarted, await states(), await isRepeated()]).toEqual([false, ['unknown'], true]);
  });

  test('an equal call after an unknown outcome is not sent when the search has a bug, and the bug is thrown', async () => {
    const bug = new TypeError('It is broken.');
    const { begin, isRepeated } = await afterUnknown(() => Promise.reject(bug));
    await expect(begin(new Work())).rejects.toBe(bug);
    expect(await isRepeated()).toBe(true);
  });

  test('an equal call after an unknown outcome is answered after ten seconds when the search takes longer', async () => {
    const { begin, pass, isRepeated } = await afterUnknown(() => new Promise(() => {}));
    const again = new Work();
    const result = begin(again);
    await yieldTurn();
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    expect([again.isStarted, await isRepeated()]).toEqual([false, true]);
  });
});

describe('calls that only ask for the outcome of an equal call', () => {
  test('a call that only asks for an outcome fails when the equal call was answered meanwhile', async () => {
    const { begin, states } = start();
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { mustNotSend: true }));
    expect([code, message]).toEqual([
      'conflict',
      'Log transactions: the outcome of the earlier equal call has already been delivered.',
    ]);
    expect([work.isStarted, await states()]).toEqual([false, []]);
  });

  test('a call that only asks for an outcome says that the earlier write was not carried out, and sends nothing', async () => {
    const { begin, left } = start();
    (await left()).fail(new BudgetError('not_written', 'It was not.'));
    const work = new Work();
    const { code, message } = await failureOf(begin(work, CALL, { mustNotSend: true }));
    expect([code, message]).toEqual([
      'not_written',
      'Log transactions: the earlier equal call was not carried out, or was taken back.',
    ]);
    expect(work.isStarted).toBe(false);
  });

  test('a call that only asks for an outcome gets the outcome of the earlier write', async () => {
    const { begin, left } = start();
    (await left()).finish(WRITTEN);
    expect(await begin(new Work(), CALL, { mustNotSend: true })).toMatchObject({ earlier: WRITTEN });
  });
});
