/** The legs of a split. They must add up to its amount. Each may be a transfer. */
import { z } from 'zod';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { transferAccountOf } from '../ledger/payees.ts';
import type { LegInput } from '../ledger/transactions.ts';
import { lineFields, milliunits } from './fields.ts';
import { lineProblems, resolveReferences } from './line-fields.ts';
import type { PayeeNames } from './payee-names.ts';

export const leg = z.object({ amount: milliunits, ...lineFields }, 'must be an object');

export type Leg = z.output<typeof leg>;

interface SplitTransaction {
  readonly account_id: string;
  readonly amount: number;
  readonly payee_id?: string | null;
  readonly subtransactions?: readonly Leg[];
}

/** Empty for a transaction without legs. */
export function* splitProblems(state: LedgerState, transaction: SplitTransaction): Generator<string> {
  const { account_id, amount, payee_id, subtransactions: legs = [] } = transaction;
  if (legs.length === 0) return;
  if (legs.reduce((sum, leg) => sum + leg.amount, 0) !== amount) {
    yield 'subtransactions must add up to the amount';
  }
  if (transferAccountOf(state, payee_id) !== null) {
    yield 'payee_id must not transfer to an account when there are subtransactions, which may themselves';
  }
  for (const [index, leg] of legs.entries()) {
    for (const problem of lineProblems(state, leg, account_id)) yield `subtransactions[${index}].${problem}`;
  }
}

export function legInputs(state: LedgerState, payees: PayeeNames, legs: readonly Leg[]): LegInput[] {
  return legs.map(({ amount, memo = null, ...leg }) => ({
    amount,
    memo,
    ...resolveReferences(state, payees, leg),
  }));
}
