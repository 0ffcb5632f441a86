/** Operations on accounts (docs/interface.md, Account). */
import { z } from 'zod';
import { budgetId, flag, id, integer, milliunits, orNull, text } from './fields.ts';
import { matches } from './matching.ts';
import { EXAMPLE_ID, operation } from './operation.ts';

/** Rates in thousandths of a per cent, by the date from which they apply. */
const rates = z.record(text, integer);
const amounts = z.record(text, milliunits);

export const account = z.object({
  id: text,
  name: text,
  type: text,
  on_budget: flag,
  closed: flag,
  note: orNull(text),
  balance: milliunits,
  cleared_balance: milliunits,
  uncleared_balance: milliunits,
  transfer_payee_id: orNull(text),
  direct_import_linked: orNull(flag),
  direct_import_in_error: orNull(flag),
  last_reconciled_at: orNull(text),
  debt_original_balance: orNull(milliunits),
  debt_interest_rates: orNull(rates),
  debt_minimum_payments: orNull(amounts),
  debt_escrow_amounts: orNull(amounts),
  deleted: flag,
});

export const listAccounts = operation({
  name: 'list_accounts',
  title: 'List accounts',
  description: 'All accounts with type and balances, closed ones included. For what the user owns and owes.',
  route: 'GET /budgets/{budget_id}/accounts',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { accounts: z.array(account), server_knowledge: integer },
  rows: { key: 'accounts', order: 'as sent' },
  readLocally: (replica) => ({ accounts: replica.accounts.list(), server_knowledge: replica.knowledge }),
  example: {},
});

export const getAccount = operation({
  name: 'get_account',
  title: 'Get account',
  description: 'One account with its balances.',
  route: 'GET /budgets/{budget_id}/accounts/{account_id}',
  kind: 'read',
  input: { budget_id: budgetId, account_id: id },
  output: { account },
  readLocally: (replica, { account_id }) => ({ account: replica.accounts.get(account_id) }),
  example: { account_id: EXAMPLE_ID },
});

const accountType = z.enum([
  'checking',
  'savings',
  'cash',
  'creditCard',
  'lineOfCredit',
  'otherAsset',
  'otherLiability',
  'mortgage',
  'autoLoan',
  'studentLoan',
  'personalLoan',
  'medicalDebt',
  'otherDebt',
]);

export const createAccount = operation({
  name: 'create_account',
  title: 'Create account',
  description:
    'Opens an account with its balance as of today; what is owed is negative. It cannot be deleted here.',
  route: 'POST /budgets/{budget_id}/accounts',
  kind: 'create',
  input: { budget_id: budgetId, name: z.string().min(1), type: accountType, balance: milliunits },
  output: { account },
  body: (account) => ({ account }),
  recover: async (readDelta, { name, type, balance }) => {
    const { accounts } = await readDelta(listAccounts);
    const account = accounts.find((candidate) => matches({ name, type, balance }, candidate));
    return account && { account };
  },
  example: { name: 'Holiday savings', type: 'savings', balance: 250.5 },
});
