/**
 * Marks transactions of an account as reconciled (without a balance, as cleared), and enters the rows of its bank's list
 * that are missing. What the last `reconcile_account` found is remembered by the server, and not copied by the model.
 */
import { z } from 'zod';
import type { WriteTool } from '../../answers/tool.ts';
import { accountId, balanceAmount, budgetId, flag, transactionId } from '../../base/schema/fields.ts';
import { planBankReconciliation } from './plan-reconciliation.ts';
import { reconciliationFields } from './reconciliation-answer.ts';

const input = z.strictObject({
  budget_id: budgetId,
  account: accountId,
  balance: balanceAmount.optional(),
  transactions: z.array(transactionId).max(1_000).optional(),
  enter: flag.optional(),
});

export const applyReconciliation: WriteTool = {
  name: 'apply_reconciliation',
  title: 'Apply reconciliation',
  description:
    'Ticks off (marks as reconciled) what the last reconcile_account found (or transactions), and everything cleared; enter: also enters missing rows. Refused unless the cleared balance then equals balance. Without balance: as cleared only.',
  kind: 'update',
  isConfirmed: true,
  toolset: 'reports',
  input,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', balance: 17_803.98 },
  plan: async (call, args) =>
    planBankReconciliation(call, applyReconciliation, { ...input.parse(args), args }),
};
