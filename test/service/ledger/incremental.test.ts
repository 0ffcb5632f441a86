import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DirtySet } from '../../../src/service/ledger/dirty-set.ts';
import { ReadModel } from '../../../src/service/ledger/read-model.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { expectBalanced } from './balanced.ts';
import { apply, applyTo, changes, smallLedger } from './random-changes.ts';

/** The same books, served by somebody who renders everything from nothing. */
function servedAnew(ledger: Ledger): ReadModel {
  return ledger.commit((books) => {
    const touched = new DirtySet();
    for (const id of books.accounts.keys()) touched.accounts.add(id);
    for (const id of books.groups.keys()) touched.groups.add(id);
    for (const id of books.payees.keys()) touched.payees.add(id);
    for (const id of books.locations.keys()) touched.locations.add(id);
    for (const id of books.transactions.keys()) touched.transactions.add(id);
    for (const id of books.scheduled.keys()) touched.scheduled.add(id);
    for (const id of books.categories.keys()) touched.categoryFrom(id, books.firstMonth);
    touched.cashMoved(books.firstMonth);
    const served = new ReadModel(books, 10);
    served.settle(touched, 1);
    return served;
  });
}

const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

function expectServedAsAnew(ledger: Ledger): void {
  const anew = servedAnew(ledger);
  const budget = ledger.detail();
  expect(byId(budget.accounts)).toEqual(byId(anew.accounts.list()));
  expect(byId(budget.payees)).toEqual(byId(anew.payees.list()));
  expect(byId(budget.payee_locations)).toEqual(byId(anew.locations.list()));
  expect(byId(budget.category_groups)).toEqual(byId(anew.groups.list()));
  expect(byId(budget.categories)).toEqual(byId(anew.categories.list()));
  expect(byId(budget.transactions)).toEqual(byId(anew.transactions.summaries()));
  expect(byId(budget.subtransactions)).toEqual(byId(anew.transactions.legs()));
  expect(byId(budget.scheduled_transactions)).toEqual(byId(anew.scheduledSummaries.list()));
  expect(byId(budget.scheduled_subtransactions)).toEqual(byId(anew.scheduledLegs.list()));
  expect(byId(ledger.transactions(undefined))).toEqual(byId(anew.transactions.list()));
  expect(byId(ledger.scheduledTransactions())).toEqual(byId(anew.scheduled.list()));
  expect(ledger.months()).toEqual(anew.months());
  for (const { month, categories } of anew.monthDetails()) {
    expect(byId(ledger.month(month)?.categories ?? [])).toEqual(byId(categories));
  }
}

const everything = (ledger: Ledger) => [
  ledger.knowledge,
  ledger.detail(),
  ledger.detail(0),
  ledger.transactions(undefined),
  ledger.scheduledTransactions(),
];

describe('what is served', () => {
  it('is what rendering everything anew would give, though a change renders only what it touches', () => {
    fc.assert(
      fc.property(changes(25), (all) => {
        const ledger = smallLedger();
        for (const change of all) apply(ledger, change);
        expectServedAsAnew(ledger);
      }),
      { numRuns: 150 },
    );
  });

  it('is what it was when a change is undone halfway, and goes on from there', () => {
    fc.assert(
      fc.property(changes(8), changes(8), changes(8), (before, undone, after) => {
        const ledger = smallLedger();
        for (const change of before) apply(ledger, change);
        const was = everything(ledger);
        const failure = new Error('halfway');
        expect(() =>
          ledger.commit((books) => {
            for (const change of undone) applyTo(books, change);
            throw failure;
          }),
        ).toThrow(failure);
        expect(everything(ledger)).toEqual(was);
        for (const change of after) apply(ledger, change);
        expectServedAsAnew(ledger);
        expectBalanced(ledger);
      }),
      { numRuns: 100 },
    );
  });
});
