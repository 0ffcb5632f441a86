/**
 * Every operation of the service, by toolset. Nothing outside this room enumerates operations: tools, resources and
 * documentation are made from this list, in its order.
 */
import { getAccount, listAccounts } from './accounts.ts';
import { getBudget, getBudgetSettings, listBudgets } from './budgets.ts';
import { getCategory, getMonthCategory, listCategories } from './categories.ts';
import { getMonth, listMonths } from './months.ts';
import type { Operation } from './operation.ts';
import { getPayeeLocation, listPayeeLocations, listPayeeLocationsByPayee } from './payee-locations.ts';
import { getPayee, listPayees } from './payees.ts';
import { getScheduledTransaction, listScheduledTransactions } from './scheduled-transactions.ts';
import {
  getTransaction,
  listAccountTransactions,
  listCategoryTransactions,
  listMonthTransactions,
  listPayeeTransactions,
  listTransactions,
} from './transactions.ts';
import { getUser } from './user.ts';

export const toolsets = {
  user: [getUser],
  budgets: [listBudgets, getBudget, getBudgetSettings],
  accounts: [listAccounts, getAccount],
  categories: [listCategories, getCategory, getMonthCategory],
  payees: [listPayees, getPayee],
  payee_locations: [listPayeeLocations, getPayeeLocation, listPayeeLocationsByPayee],
  months: [listMonths, getMonth],
  transactions: [
    listTransactions,
    listAccountTransactions,
    listCategoryTransactions,
    listPayeeTransactions,
    listMonthTransactions,
    getTransaction,
  ],
  scheduled: [listScheduledTransactions, getScheduledTransaction],
} satisfies Record<string, readonly Operation[]>;

export const operations: readonly Operation[] = Object.values(toolsets).flat();
