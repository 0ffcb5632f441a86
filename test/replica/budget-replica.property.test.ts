import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { fuzzRuns } from '../fuzz.ts';
import { apply, changes, smallLedger } from '../service/ledger/random-changes.ts';
import { answerable, asked, idsOf, questionsOf } from './asked.ts';
import { expectNewestFirst, expectSameAnswer } from './same-answer.ts';

const filters = fc.record(
  {
    since_date: fc.constantFrom('2025-12-20', '2026-01-01', '2026-01-19', '2026-03-01'),
    type: fc.constantFrom('uncategorized', 'unapproved'),
  },
  { requiredKeys: [] },
);

describe('a replica', () => {
  it('answers every read of a budget', () => {
    const ofBudgets = operations.filter(({ kind, input }) => kind === 'read' && 'budget_id' in input.shape);
    expect(answerable.map(({ name }) => name)).toEqual(ofBudgets.map(({ name }) => name));
  });

  it('answers as the service does at that knowledge, whatever was changed between its syncs', async () => {
    // A list is made when it is first asked for: before a sync, or not until after it.
    const round = fc.record({ made: changes(6), isAskedBefore: fc.boolean() });
    const rounds = fc.array(round, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes(12), rounds, filters, async (before, rounds, filter) => {
        const ledger = smallLedger();
        const service = asked(ledger);
        for (const change of before) apply(ledger, change);
        const replica = BudgetReplica.load(await service.export(), ledger.books.today);
        for (const { made, isAskedBefore } of rounds) {
          for (const change of made) apply(ledger, change);
          const handedOut = isAskedBefore ? everything(replica) : undefined;
          const copy = structuredClone(handedOut);
          replica.apply(await service.export(replica.knowledge), ledger.books.today);
          expect(handedOut, 'what was handed out before').toEqual(copy);
        }

        const whole = await service.export();
        for (const operation of answerable)
          for (const input of questionsOf(operation, idsOf(whole), filter))
            await expectSameAnswer(replica, service, operation, input);
        expectNewestFirst(replica.transactions.list(filter));
        for (const { id } of replica.payees.list())
          expectNewestFirst(replica.transactions.ofPayee(id, filter));
        expect(replica.bytes).toBe(BudgetReplica.load(whole, ledger.books.today).bytes);
      }),
      { numRuns: fuzzRuns(40) },
    );
  });
});

function everything(replica: BudgetReplica) {
  const { transactions, payees, months } = replica;
  return {
    budget: replica.export(),
    transactions: transactions.list({}),
    ofPayees: payees.list().map(({ id }) => transactions.ofPayee(id, {})),
    months: months.list(),
    groups: replica.categoryGroups(),
    scheduled: replica.scheduledTransactions.list(),
  };
}
