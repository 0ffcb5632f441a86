import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatConfirmation } from '../../src/answers/dry-run.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { getBudget, listBudgets } from '../../src/operations/budgets.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { forbidden, hostileText, withPlainTexts } from '../hostile-texts.helper.ts';
import { arbitraryOf, objectOf } from './arbitrary-data.helper.ts';
import { formatted } from './formatted.helper.ts';

const hostile = () => hostileText;
const { budgets } = listBudgets.output.shape;
const budget = arbitraryOf(budgets.element, hostile).map((each) => budgets.element.parse(each));
/** Months are real: which lines a result has depends on them, and plain words would be other months than hostile texts. */
const exported = arbitraryOf(getBudget.output.shape.budget, (field) =>
  field === 'month' ? fc.constantFrom('2026-10-01', '2026-11-01') : hostileText,
).map((each) => getBudget.output.shape.budget.parse(each));
const dataOf = ({ output }: Operation) => objectOf(output, hostile).map((each) => output.parse(each));
const freshness = { as_of: '2026-11-20T09:00:00.000Z', source: 'service', requests_left: 187 } as const;

const named = operations.map((operation) => [operation.name, operation] as const);
const writes = named.filter(([, { kind }]) => kind !== 'read');

/** Checks that `text` has no invisible characters, and as many lines as the same text with plain words. */
function expectHarmless(text: string, plain: string): void {
  expect(text).not.toMatch(forbidden);
  expect(text.split('\n')).toHaveLength(plain.split('\n').length);
}

describe('hostile texts from the service', () => {
  it.each(named)(
    'hostile texts add no lines and no invisible characters to the result of %s',
    (_, operation) => {
      const outcome = operation.kind === 'read' ? {} : ({ outcome: 'written' } as const);
      const textOf = ([data, about, changed, duplicates]: readonly [
        JsonObject,
        z.output<typeof budgets.element>,
        z.output<typeof getBudget.output.shape.budget>,
        readonly string[],
      ]) =>
        formatted(operation, {
          data,
          budget: about,
          freshness,
          ...outcome,
          ...('outcome' in outcome && { changed, possibleDuplicates: duplicates }),
        }).text;
      fc.assert(
        fc.property(
          fc.tuple(dataOf(operation), budget, exported, fc.array(hostileText, { maxLength: 2 })),
          (answer) => expectHarmless(textOf(answer), textOf(withPlainTexts(answer))),
        ),
        { numRuns: fuzzRuns(40) },
      );
    },
  );

  it.each(writes)(
    'hostile texts add no lines and no invisible characters to the question about %s',
    (_, operation) => {
      const effect = fc.record({
        kind: fc.constantFrom('account' as const, 'category' as const),
        id: hostileText,
        name: hostileText,
        balanceBefore: fc.integer(),
        balanceAfter: fc.integer(),
      });
      const things = fc.tuple(dataOf(operation), budget, fc.array(effect, { maxLength: 3 }), hostileText);
      const questionOf = ([current, about, balanceChanges, name]: readonly [
        JsonObject,
        z.output<typeof budgets.element>,
        Parameters<typeof formatConfirmation>[2]['balanceChanges'],
        string,
      ]) => {
        const names = new Map([['acc-1', { name }]]);
        const rows = z.array(z.record(z.string(), z.unknown())).safeParse(current['transactions']).data ?? [];
        const changes = rows.map(({ id }) => ({ id, account_id: 'acc-1', amount: -4_500 }));
        const input = 'transactions' in operation.input.shape ? { transactions: changes } : {};
        const found = {
          current,
          balanceChanges,
          unpredictable: [name],
          freshness,
          names,
          problems: [],
        };
        return formatConfirmation(operation, input, found, about);
      };
      fc.assert(
        fc.property(things, (asked) => expectHarmless(questionOf(asked), questionOf(withPlainTexts(asked)))),
        { numRuns: fuzzRuns(40) },
      );
    },
  );
});
