/**
 * Enters what is missing of a statement as cleared, without a balance of the bank. It marks nothing, and enters nothing twice: the
 * account is compared again just before.
 */
import { z } from 'zod';
import type { WriteTool } from '../../answers/tool.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { accountId, budgetId, text } from '../../base/schema/fields.ts';
import { planBankReconciliation } from './plan-reconciliation.ts';
import { prepareReconciliation } from './prepare-reconciliation.ts';
import { reconciliationFields } from './reconciliation-answer.ts';

const input = z.strictObject({ budget_id: budgetId, account: accountId, statement: text.optional() });

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
  input,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', statement: 'checking.csv' },
  async plan(call, args) {
    const { account, statement } = input.parse(args);
    const entered = { account, statement, transactions: [], enter: true, canBeDone: true };
    const { replica } = await readWholeBudget(call);
    const { entries } = await prepareReconciliation(call, entered, replica);
    return planBankReconciliation(call, enterStatement, { ...entered, args, rows: entries.length });
  },
};
