/** Transactions of an account and rows of a bank's list, as data and as lines. Both show the first of them only. */
import { z } from 'zod';
import { firstLines, MAX_NAME, MAX_SHOWN } from '../../answers/row-lines.ts';
import { joinParts, type TextContext, word } from '../../answers/text.ts';
import { quoteStart } from '../../base/quote.ts';
import { integer, milliunits, text } from '../../base/schema/fields.ts';
import type { BankRow } from './bank-list.ts';
import { sumOfAmounts } from './cleared-balance.ts';

const entry = z.object({
  id: text,
  date: text,
  amount: milliunits,
  payee_name: text.nullable(),
  cleared: text,
  /** If it was perhaps mistyped. */
  amount_at_bank: milliunits.optional(),
});
const row = z.object({ date: text, amount: milliunits, text: text.optional() });

const counted = { count: integer, sum: milliunits };

/** The first transactions, with the number and the sum of all. */
export const countedEntries = z.object({ ...counted, transactions: z.array(entry) });
/** The first rows, with the number and the sum of all. */
export const countedRows = z.object({ ...counted, rows: z.array(row) });

type ShownEntry = Readonly<z.output<typeof entry>>;

export const countEntries = (entries: readonly ShownEntry[]): z.output<typeof countedEntries> => ({
  count: entries.length,
  sum: sumOfAmounts(entries),
  transactions: entries
    .slice(0, MAX_SHOWN)
    .map(({ id, date, amount, payee_name, cleared, amount_at_bank }) => ({
      ...{ id, date, amount, payee_name, cleared },
      ...(amount_at_bank !== undefined && { amount_at_bank }),
    })),
});

export const countRows = (rows: readonly BankRow[]): z.output<typeof countedRows> => ({
  count: rows.length,
  sum: sumOfAmounts(rows),
  rows: rows
    .slice(0, MAX_SHOWN)
    .map(({ date, amount, text }) => ({ date, amount, ...(text !== undefined && { text }) })),
});

/** `max` is less than the default where other lines follow. */
export const entryLines = (entries: readonly ShownEntry[], context: TextContext, max = MAX_SHOWN) =>
  firstLines(entries, context, max, (each) =>
    joinParts(
      word(each.date),
      each.amount_at_bank === undefined
        ? context.money(each.amount)
        : `${context.money(each.amount_at_bank)} at the bank, ${context.money(each.amount)} in the account`,
      each.payee_name !== null && quoteStart(each.payee_name, MAX_NAME),
      each.cleared !== 'uncleared' && word(each.cleared),
      context.id('transaction', each.id),
    ),
  );
