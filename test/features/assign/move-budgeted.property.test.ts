import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DROPPED, NO_FAULT, REFUSED, TWICE, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { startMoving } from '../moving.helper.ts';

const READY = 'Ready to Assign';
const givers = ['Groceries', 'Emergency Fund', 'Blue Card', READY];
const receivers = ['Groceries', 'Hobbies', 'Old Gym', READY];
const faults = [
  NO_FAULT,
  REFUSED,
  DROPPED,
  UNANSWERED,
  TWICE,
  { deliveries: 0, answer: 'never' },
  { deliveries: 1, answer: '503' },
] as const;

/** What a result says about the two writes. `undefined` if it says that it is not known. */
function claimOf({ isError, text }: { readonly isError: boolean; readonly text: string }) {
  if (!isError) return 'moved';
  if (/not known|after it had been sent/.test(text)) return undefined;
  if (/^This call changed nothing|was not made/.test(text)) return 'untouched';
  return /1 of 2 categories of \S+ are written/.test(text) ? 'released' : `no claim: ${text}`;
}

test('whatever fails during a move, no money appears, and the result agrees with the budget', async () => {
  const started = await startMoving();
  const { move, pass, faults: planned, altering, ready, budgeted, ledger } = started;
  const has = (name: string) => (name === READY ? ready() : budgeted(name));
  const claims = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.constantFrom(...givers), fc.constantFrom(...receivers)),
      fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      fc.oneof(
        { weight: 4, arbitrary: fc.array(fc.constantFrom(...faults), { maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant([NO_FAULT, REFUSED, REFUSED]) },
      ),
      fc.array(fc.constantFrom(NO_FAULT, NO_FAULT, NO_FAULT, DROPPED, UNANSWERED), { maxLength: 8 }),
      async ([from, to], amount, writes, reads) => {
        // Earlier calls are forgotten, and the cached budget is no longer fresh.
        await pass(700_000);
        const before = { from: has(from), to: has(to), ready: ready() };
        let lowest = before.ready;
        altering.answer = (_, body) => {
          lowest = Math.min(lowest, ready());
          return body;
        };
        planned.writes.push(...writes);
        planned.reads.push(...reads);
        const result = await move({ from, to, ...(amount !== undefined && { amount }) });
        planned.writes.length = 0;
        planned.reads.length = 0;
        await pass(300_000);
        const given = before.from - has(from);
        const taken = has(to) - before.to;
        const claim = claimOf(result);
        claims.add(claim);
        if (claim === 'moved') expect([given > 0, taken]).toEqual([true, given]);
        if (claim === 'untouched') expect([given, taken]).toEqual([0, 0]);
        if (claim === 'released') expect([given > 0, taken]).toEqual([true, 0]);
        if (claim === undefined) expect([0, given]).toContain(taken);
        if (typeof claim === 'string') expect(['moved', 'untouched', 'released']).toContain(claim);
        // What is ready to be assigned never falls in between, and never below zero.
        const least = from === READY ? before.ready - given : before.ready;
        expect(lowest).toBeGreaterThanOrEqual(least);
        expect(lowest).toBeGreaterThanOrEqual(Math.min(before.ready, 0));
      },
    ),
    { numRuns: 100, endOnFailure: true, seed: 20_261_121 },
  );
  expect([...claims]).toEqual(expect.arrayContaining(['moved', 'untouched', 'released', undefined]));
  expect(ledger.months().at(-1)?.to_be_budgeted).toBe(ready());
}, 300_000);
