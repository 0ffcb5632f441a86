/** The page of `report`. A press on a payee leads to transactions. */
import { drawReport } from './draw-report.ts';
import { drawTransactions } from './draw-transactions.ts';
import { startPage } from './page.ts';

startPage('report', { report: drawReport, transactions: drawTransactions });
