/** Operations on accounts (docs/interface.md, Account). */
import { z } from 'zod';
import { account, accountType } from '../base/schema/account.ts';
import { accountId, balanceAmount, budgetId, integer, nameText } from '../base/schema/fields.ts';
import { matches } from '../model/bookkeeping/matching.ts';
import { EXAMPLE_ID, operation } from './operation.ts';
import { cannotDelete } from './reversal.ts';

export const listAccounts = operation({
  name: 'list_accounts',
  description:
    'All accounts with type and account balances: what is in the bank, how much cash, what I owe on the card; open or closed.',
  route: 'GET /budgets/{budget_id}/accounts',
  input: { budget_id: budgetId },
  output: { accounts: z.array(account), server_knowledge: integer },
  rows: { key: 'accounts', order: 'as sent' },
  readLocally: (replica) => ({ accounts: replica.accounts.list(), server_knowledge: replica.knowledge }),
});

export const getAccount = operation({
  name: 'get_account',
  description:
    'One account: how much is in it or owed on it, how much of that is cleared or not, when it was last reconciled or imported, whether it is closed.',
  route: 'GET /budgets/{budget_id}/accounts/{account_id}',
  input: { budget_id: budgetId, account_id: accountId },
  output: { account },
  readLocally: (replica, { account_id }) => ({ account: replica.accounts.get(account_id) }),
  example: { account_id: EXAMPLE_ID },
});

export const createAccount = operation({
  name: 'create_account',
  description:
    'Opens (adds) a new account or card ("I opened one") with its balance now. It cannot be closed or deleted here.',
  route: 'POST /budgets/{budget_id}/accounts',
  input: { budget_id: budgetId, name: nameText(), type: accountType, balance: balanceAmount },
  output: { account },
  body: (account) => ({ account }),
  recover: async (readDelta, { name, type, balance }) => {
    const { accounts } = await readDelta(listAccounts);
    const account = accounts.find((candidate) => matches({ name, type, balance }, candidate));
    return account && { account };
  },
  takeBack: cannotDelete('an account'),
  example: { name: 'Holiday savings', type: 'savings', balance: 250.5 },
});
