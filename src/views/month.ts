/** The page of `check_month`. A press on a category leads to its transactions. */
import { drawMonth } from './draw-month.ts';
import { drawTransactions } from './draw-transactions.ts';
import { startPage } from './page.ts';

startPage('check_month', { month: drawMonth, transactions: drawTransactions });
