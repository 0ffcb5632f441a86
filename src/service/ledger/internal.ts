/**
 * The internal groups, categories and payees that every budget has from the start. Groups and categories are marked as
 * internal. Payees can be recognised by their names only.
 */
import type { CategoryRecord, CategoryRole, GroupRecord, PayeeRecord } from './records.ts';

export interface InternalIds {
  readonly inflow_category_id: string;
  readonly uncategorized_category_id: string;
  /** The category of a split itself. It does not appear in any list. */
  readonly split_category_id: string;
  readonly payments_group_id: string;
  readonly hidden_group_id: string;
  readonly starting_balance_payee_id: string;
}

export interface InternalRecords {
  readonly ids: InternalIds;
  readonly groups: readonly GroupRecord[];
  readonly categories: readonly CategoryRecord[];
  readonly payees: readonly PayeeRecord[];
}

export function internalRecords(newId: () => string): InternalRecords {
  const group = (name: string): GroupRecord => ({ id: newId(), name, hidden: false, internal: true });
  const master = group('Internal Master Category');
  const payments = group('Credit Card Payments');
  const hidden = group('Hidden Categories');
  const category = (name: string, kind: Exclude<CategoryRole['kind'], 'payment'>): CategoryRecord => ({
    id: newId(),
    group_id: master.id,
    name,
    hidden: false,
    note: null,
    goal: null,
    role: { kind },
  });
  const payee = (name: string): PayeeRecord => ({ id: newId(), name, transfer_account_id: null });

  const inflow = category('Inflow: Ready to Assign', 'inflow');
  const uncategorized = category('Uncategorized', 'uncategorized');
  const startingBalance = payee('Starting Balance');
  return {
    ids: {
      inflow_category_id: inflow.id,
      uncategorized_category_id: uncategorized.id,
      split_category_id: newId(),
      payments_group_id: payments.id,
      hidden_group_id: hidden.id,
      starting_balance_payee_id: startingBalance.id,
    },
    groups: [master, payments, hidden],
    categories: [inflow, uncategorized],
    payees: [startingBalance, payee('Manual Balance Adjustment'), payee('Reconciliation Balance Adjustment')],
  };
}
