/**
 * Reads files of a bank and compares lists with accounts, in a thread of its own that `bank-thread.ts` starts and ends. It keeps
 * and changes nothing, so that nothing is lost where it is ended in the middle of its work.
 */
import { parentPort } from 'node:worker_threads';
import { BudgetError } from '../../base/errors.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { compareWithList, type ListComparison } from './bank-list.ts';
import { type Statement, statementsIn } from './statements/read-statement.ts';

export type BankTask =
  | { readonly read: Parameters<typeof statementsIn> }
  | { readonly compare: Parameters<typeof compareWithList<Transaction>> };

/** The problem is for a model. */
export type BankAnswer =
  | { readonly statements: readonly Statement[] }
  | { readonly comparison: ListComparison<Transaction> }
  | { readonly problem: string };

function answerTo(task: BankTask): BankAnswer {
  try {
    if ('read' in task) return { statements: statementsIn(...task.read) };
    return { comparison: compareWithList(...task.compare) };
  } catch (error) {
    if (error instanceof BudgetError) return { problem: error.message };
    throw error;
  }
}

parentPort?.on('message', (task: BankTask) => parentPort?.postMessage(answerTo(task)));
// Loading this file is no part of the time that a task may take.
parentPort?.postMessage('loaded');
