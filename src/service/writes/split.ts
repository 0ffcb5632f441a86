/** The legs that make a transaction a split: they add up to it, and each may be a transfer. */
import { z } from 'zod';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { transferAccountOf } from '../ledger/payees.ts';
import type { LegInput } from '../ledger/transactions.ts';
import { leaf, milliunits } from './fields.ts';
import { leafProblems, resolved } from './leaf.ts';
import type { PayeeNames } from './payee-names.ts';

export const leg = z.object({ amount: milliunits, ...leaf }, 'must be an object');

export type Leg = z.output<typeof leg>;

interface Whole {
  readonly account_id: string;
  readonly amount: number;
  readonly payee_id?: string | null;
  readonly subtransactions?: readonly Leg[];
}

/** None for a transaction without legs. */
export function* splitProblems(books: LedgerState, whole: Whole): Generator<string> {
  const { account_id, amount, payee_id, subtransactions: legs = [] } = whole;
  if (legs.length === 0) return;
  if (legs.reduce((sum, each) => sum + each.amount, 0) !== amount) {
    yield 'subtransactions must add up to the amount';
  }
  if (transferAccountOf(books, payee_id) !== null) {
    yield 'payee_id must not transfer to an account when there are subtransactions, which may themselves';
  }
  for (const [index, each] of legs.entries()) {
    for (const problem of leafProblems(books, each, account_id)) yield `subtransactions[${index}].${problem}`;
  }
}

export function legInputs(books: LedgerState, payees: PayeeNames, legs: readonly Leg[]): LegInput[] {
  return legs.map(({ amount, memo = null, ...each }) => ({
    amount,
    memo,
    ...resolved(books, payees, each),
  }));
}
