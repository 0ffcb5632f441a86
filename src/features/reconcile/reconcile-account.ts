/**
 * Compares an account with its bank: its balance on a date, or the rows of a list. The server remembers what it found,
 * for `apply_reconciliation`.
 */
import { z } from 'zod';
import { leftOutLine, ofUnknownState } from '../../answers/left-out.ts';
import type { FormattedText, TextContext } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { leftOut } from '../../answers/view-data/left-out.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { invalidInput } from '../../base/errors.ts';
import {
  accountId,
  balanceAmount,
  budgetId,
  categoryId,
  date,
  milliunits,
  payeeId,
  payeeName,
  rangeEnd,
  text,
} from '../../base/schema/fields.ts';
import { meanings } from '../../base/schema/meaning.ts';
import { compareRows, findingFields, searchDifference } from './bank-findings.ts';
import { clearedBalanceOn, isStateKnown } from './cleared-balance.ts';
import { comparisonsOf } from './comparisons.ts';
import { readRegister } from './reconciliation.ts';
import { findStatement } from './statements/find-statement.ts';

/** The limit of arguments (`mcp/arguments.ts`). */
const MAX_ROWS = 2_000;

/** Longer texts of a bank are cut: a memo has no room for more. */
const bankText = text.transform((value) => [...value].slice(0, 500).join(''));

const row = z.strictObject({
  date,
  amount: milliunits,
  text: bankText.optional(),
  payee_name: payeeName.optional(),
  category_id: categoryId.optional(),
  payee_id: payeeId.optional().register(meanings, { isResolved: true }),
});

const input = z.strictObject({
  budget_id: budgetId,
  account: accountId,
  balance: balanceAmount.optional(),
  rows: z.array(row).min(1).max(MAX_ROWS).optional(),
  date: rangeEnd.optional().meta({ description: 'of the balance, YYYY-MM-DD' }),
  /** A file, instead of rows. */
  statement: text.meta({ description: 'name of a file' }).optional(),
  /** A list as the bank shows it, instead of a file. */
  table: text.meta({ description: 'pasted csv, unchanged' }).optional(),
});

export const reconcileAccount = defineTool({
  name: 'reconcile_account',
  title: 'Reconcile account',
  description:
    'Does an account match its bank? Reconcile savings, for instance: compares by balance or by a list, csv or statement from the bank. Finds the uncleared transactions that make up the difference, or what either side lacks.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: z.object({
    account_id: text,
    date: text,
    cleared_balance: milliunits,
    balance: milliunits.optional(),
    /** What the balance of the bank is above the cleared balance. */
    difference: milliunits.optional(),
    ...findingFields,
    /** Transactions that are neither cleared nor uncleared as far as is known here. */
    unknown_state: z.array(leftOut).optional(),
  }),
  example: { account: 'Checking', balance: 17_684.41 },
  check({ balance, statement, table, rows = [] }) {
    const isOfFile = statement !== undefined || table !== undefined;
    if (isOfFile && rows.length > 0) return ['rows and a table or statement: give one of them'];
    if (balance === undefined && !isOfFile && rows.length === 0)
      return ['balance, rows, table or statement is needed'];
    const total = rows.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
    return Number.isSafeInteger(total) ? [] : ['rows: the amounts are too large to be added exactly'];
  },
  async run(call, { account: id, balance, rows: given, date: on = call.today, ...wanted }) {
    const { statement, table } = wanted;
    const { replica, freshness } = await readWholeBudget(call);
    const register = readRegister(replica, id);
    const { account, transactions } = register;
    const isOfFile = statement !== undefined || table !== undefined;
    const file = isOfFile ? await findStatement(call, wanted, register) : undefined;
    const rows = file?.rows ?? given?.map((each) => ({ ...each, text: each.text ?? each.payee_name }));
    const cleared_balance = clearedBalanceOn(on, account, transactions);
    const difference = balance === undefined ? 0 : balance - cleared_balance;
    if (!Number.isSafeInteger(difference))
      throw invalidInput('balance: is too large to be compared exactly.');
    const finding = rows
      ? await compareRows(register, rows, { ...wanted, date: on, balance, file })
      : searchDifference(register, { balance: balance ?? 0, difference }, on);
    const left_out = transactions.filter((each) => !isStateKnown(each)).map(ofUnknownState);
    await (await comparisonsOf(call)).set(id, finding.comparison);
    const compared = balance !== undefined && { balance, difference };
    return {
      freshness,
      view: finding.view,
      data: {
        account_id: id,
        date: on,
        cleared_balance,
        ...compared,
        ...finding.data,
        ...(left_out.length > 0 && { unknown_state: left_out }),
      },
      format: (context: TextContext): FormattedText => ({
        heading: [
          context.withId('account', id, account.name),
          `cleared ${context.money(cleared_balance)} on ${on}`,
          compared && `bank ${context.money(compared.balance)}`,
          compared && `difference from the cleared balance ${context.money(difference)}`,
        ],
        lines: [...finding.lines(context), leftOutLine(left_out, context)],
      }),
    };
  },
  text: (answer, context) => answer.format(context),
  view: 'transactions',
});
