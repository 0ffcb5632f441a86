/** The states of a write, and how actions change them. docs/pending-writes.md has the same as a table. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import {
  type Action,
  dispatch,
  endWithError,
  endWithOutcome,
  isUndelivered,
  type PendingWrite,
  STATES,
  sentWrite,
} from '../../../src/session/writes/pending-write.ts';
import { readDocument } from '../../documents.ts';
import { STEP, sentWriteOf } from './pending.helper.ts';

const NOW = { wall: 0, monotonic: 0 };
const PROCESSES = ['one', 'other', 'third'] as const;
const ends = [
  endWithOutcome({ data: { id: 't' }, outcome: 'written' }, 1),
  endWithError(new BudgetError('not_written', 'It was not.'), 2),
  endWithError(new BudgetError('outcome_unknown', 'It is not known.'), 3),
] as const;

const process = fc.constantFrom(...PROCESSES);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    type: fc.constant('send' as const),
    step: fc.integer({ min: 1, max: 4 }).map((number) => ({ ...STEP, number })),
  }),
  fc.record({ type: fc.constantFrom('lose' as const, 'answer' as const) }),
  fc.record({ type: fc.constant('settle' as const), result: fc.constantFrom(...ends) }),
  fc.record({ type: fc.constantFrom('claim' as const, 'leave' as const, 'deliver' as const), process }),
  fc.record({
    type: fc.constant('adopt' as const),
    process,
    ended: fc.subarray([...PROCESSES]).map((ids) => new Set<string>(ids)),
  }),
);

const planned = (isTogether: boolean): PendingWrite => {
  const { step: _, ...write } = sentWriteOf('w', 'one', { state: 'planned', isTogether });
  return write;
};

/** Calls `check` for each of many random actions, with the write before and after it. */
function forAll(check: (before: PendingWrite, action: Action, after: PendingWrite) => void): void {
  fc.assert(
    fc.property(fc.boolean(), fc.array(action, { maxLength: 30 }), (isTogether, actions) => {
      let write = planned(isTogether);
      for (const each of actions) {
        const after = dispatch(write, each, NOW);
        check(write, each, after);
        write = after;
      }
    }),
    { numRuns: 2_000 },
  );
}

describe('laws', () => {
  test('how a write ended never changes', () => {
    forAll((before, _, after) => {
      if (before.result) expect(after.result).toBe(before.result);
      expect(after.result !== undefined).toBe(after.state === 'settled' || after.state === 'delivered');
    });
  });

  test('a write is delivered only after it is settled, and nothing changes it after that', () => {
    forAll((before, _, after) => {
      if (before.state === 'delivered') expect(after).toBe(before);
      else if (after.state === 'delivered') expect(before.state).toBe('settled');
    });
  });

  test('a step is sent at most once: after it was lost, answered, settled or taken over, only a later step of several can be sent', () => {
    forAll((before, { type }, after) => {
      if (type !== 'send' || after === before || before.state === 'planned') return;
      const [last, next] = [before.step?.number ?? 0, after.step?.number ?? 0];
      if (next === last) expect(before.state).toBe('sent');
      else expect([before.isTogether, next > last, before.result]).toEqual([true, true, undefined]);
    });
  });

  test('a write never becomes planned again, and goes back only to send its next step or when it is taken over', () => {
    forAll((before, { type }, after) => {
      const isBack = STATES.indexOf(after.state) < STATES.indexOf(before.state);
      if (isBack) expect(['send', 'adopt']).toContain(type);
      if (isBack) expect(after.state).not.toBe('planned');
    });
  });

  test('an action that is repeated changes nothing', () => {
    forAll((_, each, after) => expect(dispatch(after, each, NOW)).toEqual(after));
  });

  test('only one host waits for an outcome, and no host for one that is delivered', () => {
    forAll((before, each, after) => {
      if (each.type === 'claim' && after !== before) expect(isUndelivered(before)).toBe(true);
      if (after.state === 'delivered') expect(after.awaitedBy).toBeUndefined();
    });
  });

  test('a write that may have been sent stays as it is when it is stored as JSON', () => {
    forAll((_, __, after) => {
      if (after.step) expect(sentWrite.parse(JSON.parse(JSON.stringify(after)))).toEqual(after);
    });
  });
});

test('a request that is sent again, because the service has refused its token, was sent at the second time', () => {
  const again = { ...STEP, sentAt: { wall: 5, monotonic: 5 } };
  const sent = dispatch(planned(false), { type: 'send', step: STEP }, NOW);
  expect(dispatch(sent, { type: 'send', step: again }, NOW).step).toEqual(again);
});

const statesIn = (cell: string) => STATES.filter((state) => cell.includes(`\`${state}\``));

/** The transitions of the table, such as `send: planned > sent`. */
function transitionsInDocument(): string[] {
  const rows = readDocument('docs/pending-writes.md').split('\n');
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  return cells.flatMap(([, action = '', from = '', to = '', ...others]) => {
    if (others.length < 3 || !action.startsWith('`')) return [];
    return statesIn(from).flatMap((state) => {
      const targets = [...statesIn(to), ...(to.includes('as before') ? [state] : [])];
      return targets.map((target) => `${action.replaceAll('`', '')}: ${state} > ${target}`);
    });
  });
}

const EVERY_ACTION: readonly Action[] = [
  { type: 'send', step: STEP },
  { type: 'send', step: { ...STEP, number: 2 } },
  { type: 'lose' },
  { type: 'answer' },
  { type: 'settle', result: ends[0] },
  { type: 'claim', process: 'third' },
  { type: 'leave', process: 'one' },
  { type: 'deliver', process: 'one' },
  ...[['one'], ['other']].map((ids) => ({ type: 'adopt', process: 'third', ended: new Set(ids) }) as const),
];

/** A write of the process `other`, with or without a host of the process `one`. */
const writesIn = (state: PendingWrite['state']): PendingWrite[] =>
  [true, false].flatMap((isTogether) =>
    ['one', undefined].map((awaitedBy) => {
      const write = sentWriteOf('w', 'other', { isTogether, awaitedBy, state });
      return state === 'settled' || state === 'delivered' ? { ...write, result: ends[0] } : write;
    }),
  );

test('docs/pending-writes.md has every transition of the code, and no other', () => {
  const inCode = STATES.flatMap(writesIn).flatMap((write) =>
    EVERY_ACTION.flatMap((each) => {
      const after = dispatch(write, each, NOW);
      return after === write ? [] : [`${each.type}: ${write.state} > ${after.state}`];
    }),
  );
  expect([...new Set(transitionsInDocument())].toSorted()).toEqual([...new Set(inCode)].toSorted());
});
