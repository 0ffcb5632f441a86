import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { operations } from '../../../src/operations/index.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { apply, changes, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { expectNewestFirst, expectSameAnswer } from './same-answer.helper.ts';
import { directReader, idsOf, inputsOf, replicaOperations } from './service-reader.helper.ts';

const filters = fc.record(
  {
    since_date: fc.constantFrom('2025-12-20', '2026-01-01', '2026-01-19', '2026-03-01'),
    until_date: fc.constantFrom('2026-01-19', '2026-02-10', '2026-03-01'),
    type: fc.constantFrom('uncategorized', 'unapproved'),
  },
  { requiredKeys: [] },
);

describe('replicas', () => {
  it('a replica can answer every read of a budget, except those whose data exports and deltas lack', () => {
    const ofBudgets = operations.filter(
      ({ kind, input, isCachedByKnowledge }) =>
        kind === 'read' && 'budget_id' in input.shape && !isCachedByKnowledge,
    );
    expect(replicaOperations.map(({ name }) => name)).toEqual(ofBudgets.map(({ name }) => name));
  });

  it('after any changes and syncs, a replica answers like the service', async () => {
    // A list is built when it is first read: before a sync or after it.
    const round = fc.record({ changed: changes(6), isReadBefore: fc.boolean() });
    const rounds = fc.array(round, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes(12), rounds, filters, async (before, rounds, filter) => {
        const ledger = smallLedger();
        const service = directReader(ledger);
        for (const change of before) apply(ledger, change);
        const replica = BudgetReplica.load(await service.export(), ledger.state.today);
        for (const { changed, isReadBefore } of rounds) {
          for (const change of changed) apply(ledger, change);
          const returnedRows = isReadBefore ? everything(replica) : undefined;
          const copy = structuredClone(returnedRows);
          replica.apply(await service.export(replica.knowledge), ledger.state.today);
          expect(returnedRows, 'rows that were returned earlier').toEqual(copy);
        }

        const exported = await service.export();
        for (const operation of replicaOperations)
          for (const input of inputsOf(operation, idsOf(exported), filter))
            await expectSameAnswer(replica, service, operation, input);
        expectNewestFirst(replica.transactions.list(filter));
        for (const { id } of replica.payees.list())
          expectNewestFirst(replica.transactions.ofPayee(id, filter));
        expect(replica.bytes).toBe(BudgetReplica.load(exported, ledger.state.today).bytes);
      }),
      { numRuns: fuzzRuns(20) },
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
