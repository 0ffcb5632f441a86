import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DirtySet } from '../../../src/service/ledger/dirty-set.ts';
import { ReadModel } from '../../../src/service/ledger/read-model.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { expectBalanced } from './balanced.helper.ts';
import { apply, applyTo, changes, smallLedger } from './random-changes.helper.ts';

/** A new read model of the same state, in which everything is rendered. */
function renderFromScratch(ledger: Ledger): ReadModel {
  return ledger.commit((state) => {
    const dirty = new DirtySet();
    for (const id of state.accounts.keys()) dirty.accounts.add(id);
    for (const id of state.groups.keys()) dirty.groups.add(id);
    for (const id of state.payees.keys()) dirty.payees.add(id);
    for (const id of state.locations.keys()) dirty.locations.add(id);
    for (const id of state.transactions.keys()) dirty.transactions.add(id);
    for (const id of state.scheduled.keys()) dirty.scheduled.add(id);
    for (const id of state.categories.keys()) dirty.categoryFrom(id, state.firstMonth);
    dirty.cashMoved(state.firstMonth);
    const readModel = new ReadModel(state, 10, true);
    readModel.update(dirty, 1);
    return readModel;
  });
}

const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

function expectEqualsFreshRender(ledger: Ledger): void {
  const fresh = renderFromScratch(ledger);
  const budget = ledger.detail();
  expect(byId(budget.accounts)).toEqual(byId(fresh.accounts.list()));
  expect(byId(budget.payees)).toEqual(byId(fresh.payees.list()));
  expect(byId(budget.payee_locations)).toEqual(byId(fresh.locations.list()));
  expect(byId(budget.category_groups)).toEqual(byId(fresh.groups.list()));
  expect(byId(budget.categories)).toEqual(byId(fresh.categories.list()));
  expect(byId(budget.transactions)).toEqual(byId(fresh.transactions.summaries()));
  expect(byId(budget.subtransactions)).toEqual(byId(fresh.transactions.legs()));
  expect(byId(budget.scheduled_transactions)).toEqual(byId(fresh.scheduledSummaries.list()));
  expect(byId(budget.scheduled_subtransactions)).toEqual(byId(fresh.scheduledLegs.list()));
  expect(byId(ledger.transactions(undefined))).toEqual(byId(fresh.transactions.list()));
  expect(byId(ledger.scheduledTransactions())).toEqual(byId(fresh.scheduled.list()));
  expect(ledger.months()).toEqual(fresh.months());
  for (const { month, categories } of fresh.monthDetails()) {
    expect(byId(ledger.month(month)?.categories ?? [])).toEqual(byId(categories));
  }
}

const snapshotOf = (ledger: Ledger) => [
  ledger.knowledge,
  ledger.detail(),
  ledger.detail(0),
  ledger.transactions(undefined),
  ledger.scheduledTransactions(),
];

describe('incremental rendering', () => {
  it('after any changes, the read model equals one that renders everything from scratch', () => {
    fc.assert(
      fc.property(changes(25), (all) => {
        const ledger = smallLedger();
        for (const change of all) apply(ledger, change);
        expectEqualsFreshRender(ledger);
      }),
      { numRuns: 150 },
    );
  });

  it('a failed change is undone completely, and later changes work', () => {
    fc.assert(
      fc.property(changes(8), changes(8), changes(8), (before, undone, after) => {
        const ledger = smallLedger();
        for (const change of before) apply(ledger, change);
        const snapshot = snapshotOf(ledger);
        const failure = new Error('halfway');
        expect(() =>
          ledger.commit((state) => {
            for (const change of undone) applyTo(state, change);
            throw failure;
          }),
        ).toThrow(failure);
        expect(snapshotOf(ledger)).toEqual(snapshot);
        for (const change of after) apply(ledger, change);
        expectEqualsFreshRender(ledger);
        expectBalanced(ledger);
      }),
      { numRuns: 100 },
    );
  });
});
