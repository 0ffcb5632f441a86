/** The writes after a comparison. What the last `reconcile_account` found is remembered by the server, and not copied by the model. */
import { z } from 'zod';
import type { WriteTool } from '../../answers/tool.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { accountId, balanceAmount, budgetId, flag, text, transactionId } from '../../base/schema/fields.ts';
import { planBankReconciliation } from './plan-reconciliation.ts';
import { prepareReconciliation } from './prepare-reconciliation.ts';
import { reconciliationFields } from './reconciliation-answer.ts';

const applied = z.strictObject({
  budget_id: budgetId,
  account: accountId,
  balance: balanceAmount.optional(),
  transactions: z.array(transactionId).max(1_000).optional(),
  enter: flag.optional(),
});

/** Marks transactions as reconciled (without a balance, as cleared), and enters the rows of the bank's list that are missing. */
export const applyReconciliation: WriteTool = {
  name: 'apply_reconciliation',
  title: 'Apply reconciliation',
  description:
    'Ticks off (marks as reconciled) what the last reconcile_account found (or transactions), and everything cleared; enter: also enters missing rows. Refused unless the cleared balance then equals balance. Without balance: as cleared only.',
  kind: 'update',
  isConfirmed: true,
  toolset: 'reports',
  input: applied,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', balance: 17_803.98 },
  plan: async (call, args) =>
    planBankReconciliation(call, applyReconciliation, { ...applied.parse(args), args }),
};

const entered = z.strictObject({ budget_id: budgetId, account: accountId, statement: text.optional() });

/**
 * Enters what is missing of a statement as cleared, without a balance of the bank. It marks nothing, and enters nothing twice: the
 * account is compared again just before.
 */
export const enterStatement: WriteTool = {
  name: 'enter_statement',
  title: 'Enter statement',
  description:
    'Enters what an account lacks of a statement (list_statements), or of the rows last compared, as cleared. Enters nothing twice.',
  kind: 'create',
  batch: 'statement',
  isRepeatable: false,
  needsStatements: true,
  toolset: 'reports',
  input: entered,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', statement: 'checking.csv' },
  async plan(call, args) {
    const { account, statement } = entered.parse(args);
    const wanted = { account, statement, transactions: [], enter: true, canBeDone: true };
    const { replica } = await readWholeBudget(call);
    const { entries } = await prepareReconciliation(call, wanted, replica);
    return planBankReconciliation(call, enterStatement, { ...wanted, args, rows: entries.length });
  },
};
