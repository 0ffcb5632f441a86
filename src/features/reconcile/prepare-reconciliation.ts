/** Works out from the current budget what a reconciliation would write, and why it would be refused. Sends no write. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { undoneInParts } from '../../answers/requests-left.ts';
import { counted, present } from '../../answers/text.ts';
import { plainAmounts } from '../../answers/units.ts';
import { isToCome } from '../../base/calendar.ts';
import { canonicalJson } from '../../base/json.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { requestsFor } from '../../operations/row-batches.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import { bankEntriesOf } from './bank-entries.ts';
import { compareRows } from './bank-findings.ts';
import { bankThread } from './bank-thread.ts';
import { otherSignText } from './cleared-balance.ts';
import { type BankComparison, comparisonsOf } from './comparisons.ts';
import { knownRows } from './known-payees.ts';
import {
  type AccountRegister,
  type MarkedState,
  missingNow,
  planReconciliation,
  readRegister,
} from './reconciliation.ts';
import { findStatement, type WantedStatement } from './statements/find-statement.ts';
import { fiveYearsBefore } from './statements/written-values.ts';

/** A small part of the hour's requests. */
const MAX_REQUESTS = 10;

const notRemembered =
  'no comparison of this account is remembered from the last hour: reconcile_account makes one';

/** What the answer says of rows that are perhaps mistyped in the account. */
export const notEntered = (mistyped: number) =>
  `not entered, because perhaps mistyped in the account, or there with another day: ${mistyped} (update_transaction corrects it, create_transactions enters another transaction)`;

/** A file or a table is compared now, instead of the rows that were compared last. */
export interface ReconciliationInput extends WantedStatement {
  readonly account: string;
  /** Without it, transactions become cleared and not reconciled. */
  readonly balance?: number | undefined;
  /** The ids of the transactions to mark. By default those that the last comparison found. */
  readonly transactions?: readonly string[] | undefined;
  readonly enter?: boolean | undefined;
  /** Whether it is no problem that nothing is left to do. */
  readonly canBeDone?: boolean;
}

export type PreparedReconciliation = Awaited<ReturnType<typeof prepareReconciliation>>;

/** `replica` is the current state of the budget. */
export async function prepareReconciliation(
  call: BudgetCall,
  input: ReconciliationInput,
  replica: BudgetReplica,
) {
  const { account: id, balance, transactions: given, enter = false, ...wanted } = input;
  const isOfFile = wanted.statement !== undefined || wanted.table !== undefined;
  const observed = replica.observed();
  const register = readRegister(observed.replica, id);
  const unread = observed.lacks().gaps.filter((each) => each.left_out);
  const { account, transactions } = register;
  const known = new Set(transactions.map((each) => each.id));
  const comparison = await (isOfFile
    ? compareStatement(call, register, wanted)
    : (await comparisonsOf(call)).get(id));
  const date = comparison?.date ?? call.today;
  const compared = comparison ?? { rows: [], missing: [] };
  const now = await bankThread.compare(compared.missing.length > 0 ? compared.rows : [], transactions);
  const { missing, mistyped, done } = missingNow(compared, now);
  const rows = enter ? missing : [];
  const chosen = given ?? [...(comparison?.transactions ?? []), ...done];
  const state: MarkedState = balance === undefined ? 'cleared' : 'reconciled';
  const reconciliation = planReconciliation(register, { date, chosen, entered: rows, state });
  const usedImportIds = rows.length > 0 ? await importIdsBefore(call) : [];
  const ofRow = knownRows(rows, replica, account);
  const entries = bankEntriesOf(rows, { ...register, usedImportIds }, state, ofRow);

  const hint = present([
    !comparison && `. ${notRemembered}`,
    !enter &&
      missing.length > 0 &&
      `; enter: true would enter the ${missing.length} missing rows of the bank's list`,
    mistyped > 0 && `; rows ${notEntered(mistyped)}`,
  ]).join('');
  const { marked, clearedAfter } = reconciliation;
  const refused = rows.filter(
    (row) => row.date < fiveYearsBefore(call.today) || isToCome(row.date, call.days),
  );
  const isDone = input.canBeDone && entries.length === 0;
  const requests = requestsFor(entries) + requestsFor(marked);
  const { left } = (await call.status()).requests;
  const problems = present([
    unread.length > 0 &&
      `the service sent ${counted(unread.length, 'transaction')} in a form that cannot be read. If the bank has one of these rows, it would be entered again`,
    ...(given ?? []).map(
      (each, index) => !known.has(each) && `transactions.${index}: is not a transaction of this account`,
    ),
    refused.length > 0 &&
      `enter: ${refused.length} of the missing rows are older than five years or in the future`,
    enter && !comparison && `enter: ${notRemembered}`,
    !isDone &&
      (balanceProblem(call, date, balance, clearedAfter, hint) ??
        (marked.length + entries.length === 0 && `nothing is left to mark or to enter${hint}`)),
    requests > MAX_REQUESTS &&
      `${marked.length} transactions would need ${requests} requests, and ${MAX_REQUESTS} are allowed: reconcile up to an earlier date first`,
    requests > left && `it needs ${requests} requests, and ${left} are left in this hour`,
  ]);
  return {
    account,
    date,
    balance,
    state,
    reconciliation,
    /** The rows to enter, and the transactions that enter them. */
    rows,
    entries,
    /** How many missing rows are not entered, because the account perhaps has them with a mistyped amount. */
    mistyped,
    facts: comparison?.facts,
    reading: comparison?.reading,
    /** The ids of the account's transactions before the write. */
    known,
    /** True if the rows are those of a file, which no model reads. */
    isHidden: comparison?.statement !== undefined,
    source: sourceOf(isOfFile ? comparison?.rows : comparison),
    /** For `undo` (`undoneInParts`). */
    inParts: await undoneInParts(call, entries.length),
    problems,
  };
}

/** A digest of what a reconciliation goes by: the rows of a file, or what was compared last. */
const sourceOf = (read: BankComparison | BankComparison['rows'] | undefined): string =>
  createHash('sha256')
    .update(canonicalJson(read ?? null))
    .digest('base64url');

async function compareStatement(call: BudgetCall, register: AccountRegister, wanted: WantedStatement) {
  const file = await findStatement(call, wanted, register);
  return (await compareRows(register, file.rows, { ...wanted, date: call.today, file })).comparison;
}

const created = z.object({ transactions: z.array(z.looseObject({ import_id: z.string().optional() })) });

/** Those of all that was created for the caller, also if it was taken back. */
const importIdsBefore = async (call: BudgetCall): Promise<string[]> =>
  (await call.journal())
    .flatMap(({ steps }) => steps.flatMap(({ input }) => created.safeParse(input).data?.transactions ?? []))
    .flatMap(({ import_id }) => import_id ?? []);

function balanceProblem(
  { budget }: BudgetCall,
  date: string,
  balance: number | undefined,
  clearedAfter: number,
  hint: string,
): string | undefined {
  const money = plainAmounts(budget?.currency_format ?? null);
  if (balance === undefined || balance === clearedAfter) return undefined;
  if (balance === -clearedAfter) return `balance: ${otherSignText(balance, money)}`;
  return `the cleared balance on ${date} would be ${money(clearedAfter)} and not ${money(balance)}: ${money(balance - clearedAfter)} is unexplained, and no adjustment is entered${hint}`;
}
