/** The last comparisons of accounts with their bank. They are read in the store: another process may have compared since. */
import { z } from 'zod';
import { canonicalJson, newestWithin } from '../../base/json.ts';
import { integer, text } from '../../base/schema/fields.ts';
import { storedMoment } from '../../base/schema/stored-moment.ts';
import type { BudgetCall } from '../../session/budget-call.ts';

/** Long enough to talk about what was found. The account is read again before anything is written. */
export const MAX_COMPARISON_AGE_MS = 60 * 60_000;
/** In characters of JSON. */
const MAX_LENGTH = 6 * 2 ** 20;

const bankRow = z.object({
  date: z.string(),
  amount: z.int(),
  text: z.string().optional(),
  memo: z.string().optional(),
  payee_id: z.string().optional(),
  payee_name: z.string().optional(),
  category_id: z.string().optional(),
});

const statementReading = z.object({ kind: z.string(), ways: z.record(z.string(), z.string()) });

/** How files of a kind are read (`statements/readings.ts`). */
export type StatementReading = Readonly<z.output<typeof statementReading>>;

/** How a list is read, and what it or its file has that was not compared. */
const listFacts = z.object({
  /** The number of rows after the date, and of lines that are no rows. */
  later_rows: integer.optional(),
  left_out: integer.optional(),
  /** The name of the reading, if only what is remembered decides it. */
  read_as: text.optional(),
});

const bankComparison = z.object({
  /** The date of the bank's balance. */
  date: z.string(),
  /** The ids of the transactions that the bank has and the cleared balance does not contain. */
  transactions: z.array(z.string()).readonly(),
  /** The bank's list. Empty if a balance was compared. */
  rows: z.array(bankRow).readonly(),
  /** The indexes of the rows that the account does not have, or has with a likely typing mistake. */
  missing: z.array(z.int()).readonly(),
  /** The name of the bank's file that has the rows, which no model reads. */
  statement: z.string().optional(),
  facts: listFacts.optional(),
  /** To be remembered once rows are entered. */
  reading: statementReading.optional(),
});

export type BankComparison = z.output<typeof bankComparison>;

const comparisons = z.array(z.object({ request: z.string(), data: z.unknown(), asOf: storedMoment }));

/** Those of the caller in the budget of the call, by the id of the account. */
export async function comparisonsOf(call: BudgetCall) {
  const { id: budgetId } = await call.resolveBudget(undefined);
  const record = await call.record('comparisons', comparisons, []);
  const keyOf = (accountId: string) => canonicalJson([call.caller, budgetId, accountId]);
  return {
    set: (accountId: string, data: BankComparison): Promise<void> =>
      record.update((all, asOf) => {
        const request = keyOf(accountId);
        const others = all.filter((each) => each.request !== request);
        return newestWithin([...others, { request, data, asOf }], MAX_LENGTH);
      }),
    /** Undefined if there is none, or if it is older than an hour. */
    get: async (accountId: string): Promise<BankComparison | undefined> => {
      const found = (await record.read()).find(({ request }) => request === keyOf(accountId));
      if (!found || record.ageOf(found.asOf) >= MAX_COMPARISON_AGE_MS) return undefined;
      return bankComparison.safeParse(found.data).data;
    },
  };
}
