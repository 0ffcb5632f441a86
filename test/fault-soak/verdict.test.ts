import { describe, expect, it } from 'vitest';
import { createTransactions, updateTransaction } from '../../src/operations/transaction-writes.ts';
import type { Mark } from './history.helper.ts';
import type { Claim } from './host.helper.ts';
import { judge, NOTHING_WRONG, shownSince } from './verdict.helper.ts';
import type { SoakWrite } from './writes.helper.ts';

const creation: SoakWrite = {
  operation: createTransactions,
  input: {},
  marks: ['first row', 'second row'],
  isRepeatable: true,
};
const change: SoakWrite = {
  operation: updateTransaction,
  input: {},
  marks: ['first row'],
  isRepeatable: false,
};

const written = (ids: string[], duplicates: string[] = [], isUnchecked = false) =>
  ({
    outcome: 'written',
    ids,
    existed: true,
    duplicates,
    isUnchecked,
    mayComeAgain: false,
    knowledge: 20,
  }) satisfies Claim;
const refused: Claim = { outcome: 'not written', isForQuota: false };
const unknown: Claim = { outcome: 'unknown' };

/** A ledger in which the creation was carried out this many times. */
const ledger = (times: number) => {
  const rows = (prefix: string): Mark[] =>
    Array.from({ length: times }, (_, nth) => ({ id: `${prefix}${nth}`, knowledge: 10 + nth }));
  const marks = new Map([
    ['first row', rows('a')],
    ['second row', rows('b')],
  ]);
  return { marks: (name: string) => marks.get(name) ?? [] };
};

/** `claims`: for each time that the write was wanted, the results of the host's calls. */
const verdict = (times: number, claims: readonly Claim[][], write = creation) =>
  judge(
    claims.map((each) => ({ write, claims: each })),
    ledger(times),
  );

describe('the verdict on a write', () => {
  it('the verdict finds no fault if the claims and the ledger agree', () => {
    expect(verdict(1, [[written(['a0', 'b0'])]])).toEqual(NOTHING_WRONG);
    expect(verdict(0, [[refused]])).toEqual(NOTHING_WRONG);
    expect(verdict(1, [[unknown, written(['a0', 'b0'])]])).toEqual(NOTHING_WRONG);
    expect(verdict(2, [[written(['a0', 'b0'])], [written(['a1', 'b1'])]])).toEqual(NOTHING_WRONG);
  });

  it('the verdict finds no fault if no outcome was claimed', () => {
    for (const times of [0, 1, 2]) expect(verdict(times, [[unknown]])).toEqual(NOTHING_WRONG);
  });

  it('the verdict is a loss if more writes were reported as written than the ledger contains', () => {
    expect(verdict(0, [[written(['a0', 'b0'])]])).toMatchObject({ lost: 1, claimedWrongly: 1 });
    const bothTheSame = [[written(['a0', 'b0'])], [written(['a0', 'b0'])]];
    expect(verdict(1, bothTheSame)).toMatchObject({ lost: 1, claimedWrongly: 1 });
    expect(verdict(0, [[written(['a0'])]], change)).toMatchObject({ lost: 1 });
  });

  it('the verdict is a wrong denial if the write was reported as not written and the ledger contains it', () => {
    expect(verdict(1, [[refused]])).toEqual({ ...NOTHING_WRONG, deniedWrongly: 1 });
    expect(verdict(2, [[refused], [written(['a1', 'b1'])]])).toEqual({ ...NOTHING_WRONG, deniedWrongly: 1 });
  });

  it('the verdict is a wrong claim if the result shows a row that the ledger never had', () => {
    const differing: Claim = { ...written(['a0', 'b0']), existed: false };
    expect(verdict(1, [[differing]])).toEqual({ ...NOTHING_WRONG, claimedWrongly: 1 });
  });

  it('the verdict is an unreported duplicate if the ledger contains more than was wanted and no result names the others', () => {
    expect(verdict(2, [[written(['a0', 'b0'])]])).toEqual({ ...NOTHING_WRONG, twiceUnreported: 1 });
    expect(verdict(2, [[written(['a0', 'b0'], ['a1', 'b1'])]])).toEqual(NOTHING_WRONG);
    expect(verdict(3, [[written(['a0', 'b0'], ['a1', 'b1'])]])).toMatchObject({ twiceUnreported: 1 });
    const unchecked = written(['a0', 'b0'], [], true);
    expect(verdict(2, [[unchecked]])).toEqual({ ...NOTHING_WRONG, twiceUnchecked: 1 });
    // Which of the two equal writes was delivered twice is unknown.
    expect(verdict(2, [[refused], [unchecked]])).toEqual({ ...NOTHING_WRONG, twiceUnchecked: 1 });
    expect(verdict(2, [[refused], [written(['a0', 'b0'], ['a1', 'b1'])]])).toEqual(NOTHING_WRONG);
  });

  it('the verdict is an announced second delivery if it happened after a result that says that it may', () => {
    // The ledger has the rows of the second delivery at 11.
    const warned = (knowledge: number) => ({ ...written(['a0', 'b0']), mayComeAgain: true, knowledge });
    expect(verdict(2, [[warned(10)]])).toEqual({ ...NOTHING_WRONG, twiceLater: 1 });
    expect(verdict(2, [[warned(11)]])).toEqual({ ...NOTHING_WRONG, twiceUnreported: 1 });
    expect(verdict(2, [[warned(10)], [written(['a1', 'b1'])]])).toEqual(NOTHING_WRONG);
    expect(verdict(3, [[warned(10)], [written(['a1', 'b1'])]])).toEqual({ ...NOTHING_WRONG, twiceLater: 1 });
    expect(verdict(2, [[{ ...written(['a0', 'b0']), knowledge: 10 }]])).toMatchObject({ twiceUnreported: 1 });
  });

  it('the verdict never counts a second delivery without an effect as a duplicate', () => {
    expect(verdict(2, [[written(['a0'])]], change)).toEqual(NOTHING_WRONG);
  });
});

it('a read must show a write from the knowledge on at which the ledger contains all of its own rows', () => {
  expect(shownSince(creation, written(['a1', 'b1']), ledger(2))).toBe(11);
  expect(shownSince(creation, unknown, ledger(2))).toBe(0);
});
