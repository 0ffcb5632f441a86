/** The page of `find_transactions`. */
import { drawTransactions } from './draw-transactions.ts';
import { startPage } from './page.ts';

startPage('find_transactions', { transactions: drawTransactions });
