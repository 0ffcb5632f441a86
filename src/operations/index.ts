/**
 * Every operation of the service, by toolset. Tools, resources and documentation are generated from this list, in
 * its order.
 */
import { createAccount, getAccount, listAccounts } from './accounts.ts';
import { getBudget, getBudgetSettings, getUser, listBudgets } from './budgets.ts';
import {
  createCategory,
  createCategoryGroup,
  getCategory,
  getMonthCategory,
  listCategories,
  updateCategory,
  updateCategoryGroup,
  updateMonthCategory,
} from './categories.ts';
import {
  listMoneyMovementGroups,
  listMoneyMovements,
  listMonthMoneyMovementGroups,
  listMonthMoneyMovements,
} from './money-movements.ts';
import { getMonth, listMonths } from './months.ts';
import type { Operation } from './operation.ts';
import {
  createPayee,
  getPayee,
  getPayeeLocation,
  listPayeeLocations,
  listPayeeLocationsByPayee,
  listPayees,
  updatePayee,
} from './payees.ts';
import {
  createScheduledTransaction,
  deleteScheduledTransaction,
  getScheduledTransaction,
  listScheduledTransactions,
  updateScheduledTransaction,
} from './scheduled-transactions.ts';
import { type Toolset, toolsetNames } from './toolsets.ts';
import {
  createTransactions,
  deleteTransaction,
  importTransactions,
  updateTransaction,
  updateTransactions,
} from './transaction-writes.ts';
import {
  getTransaction,
  listAccountTransactions,
  listCategoryTransactions,
  listMonthTransactions,
  listPayeeTransactions,
  listTransactions,
} from './transactions.ts';

/** `reports` has tools without an operation of their own. */
export const toolsets: Readonly<Record<Toolset, readonly Operation[]>> = {
  user: [getUser],
  budgets: [listBudgets, getBudget, getBudgetSettings],
  accounts: [listAccounts, getAccount, createAccount],
  categories: [
    listCategories,
    getCategory,
    getMonthCategory,
    createCategory,
    updateCategory,
    updateMonthCategory,
    createCategoryGroup,
    updateCategoryGroup,
  ],
  payees: [listPayees, getPayee, createPayee, updatePayee],
  payee_locations: [listPayeeLocations, getPayeeLocation, listPayeeLocationsByPayee],
  months: [listMonths, getMonth],
  money_movements: [
    listMoneyMovements,
    listMonthMoneyMovements,
    listMoneyMovementGroups,
    listMonthMoneyMovementGroups,
  ],
  transactions: [
    listTransactions,
    listAccountTransactions,
    listCategoryTransactions,
    listPayeeTransactions,
    listMonthTransactions,
    getTransaction,
    createTransactions,
    updateTransactions,
    updateTransaction,
    deleteTransaction,
    importTransactions,
  ],
  scheduled: [
    listScheduledTransactions,
    getScheduledTransaction,
    createScheduledTransaction,
    updateScheduledTransaction,
    deleteScheduledTransaction,
  ],
  reports: [],
};

export const operations: readonly Operation[] = toolsetNames.flatMap((name) => toolsets[name]);
