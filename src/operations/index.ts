/**
 * Every operation of the service, by toolset. Tools, resources and documentation are generated from this list, in
 * its order.
 */
import * as accounts from './accounts.ts';
import * as budgets from './budgets.ts';
import * as categories from './categories.ts';
import * as moneyMovements from './money-movements.ts';
import * as months from './months.ts';
import type { Operation } from './operation.ts';
import * as payees from './payees.ts';
import * as scheduledTransactions from './scheduled-transactions.ts';
import { type Toolset, toolsetNames } from './toolsets.ts';
import * as transactionWrites from './transaction-writes.ts';
import * as transactions from './transactions.ts';

/** `reports` has tools without an operation of their own. */
export const toolsets: Readonly<Record<Toolset, readonly Operation[]>> = {
  user: [budgets.getUser],
  budgets: [budgets.listBudgets, budgets.getBudget, budgets.getBudgetSettings],
  accounts: [accounts.listAccounts, accounts.getAccount, accounts.createAccount],
  categories: [
    categories.listCategories,
    categories.getCategory,
    categories.getMonthCategory,
    categories.createCategory,
    categories.updateCategory,
    categories.updateMonthCategory,
    categories.createCategoryGroup,
    categories.updateCategoryGroup,
  ],
  payees: [payees.listPayees, payees.getPayee, payees.createPayee, payees.updatePayee],
  payee_locations: [payees.listPayeeLocations, payees.getPayeeLocation, payees.listPayeeLocationsByPayee],
  months: [months.listMonths, months.getMonth],
  money_movements: [
    moneyMovements.listMoneyMovements,
    moneyMovements.listMonthMoneyMovements,
    moneyMovements.listMoneyMovementGroups,
    moneyMovements.listMonthMoneyMovementGroups,
  ],
  transactions: [
    transactions.listTransactions,
    transactions.listAccountTransactions,
    transactions.listCategoryTransactions,
    transactions.listPayeeTransactions,
    transactions.listMonthTransactions,
    transactions.getTransaction,
    transactionWrites.createTransactions,
    transactionWrites.updateTransactions,
    transactionWrites.updateTransaction,
    transactionWrites.deleteTransaction,
    transactionWrites.importTransactions,
  ],
  scheduled: [
    scheduledTransactions.listScheduledTransactions,
    scheduledTransactions.getScheduledTransaction,
    scheduledTransactions.createScheduledTransaction,
    scheduledTransactions.updateScheduledTransaction,
    scheduledTransactions.deleteScheduledTransaction,
  ],
  reports: [],
};

export const operations: readonly Operation[] = toolsetNames.flatMap((name) => toolsets[name]);
