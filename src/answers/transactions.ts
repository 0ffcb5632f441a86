/** Formats transactions, scheduled transactions, and their legs. */
import { z } from 'zod';
import { milliunits } from '../base/schema/fields.ts';
import { meanings } from '../base/schema/meaning.ts';
import { scheduledTransaction } from '../base/schema/scheduled-transaction.ts';
import { hybridTransaction, transaction, transactionSummary } from '../base/schema/transaction.ts';
import { indentLines, joinParts, joinWords, quote, rowFormat, type TextContext, word } from './text.ts';

/** A transaction that was searched for. If only some legs of a split match, it has their sum. */
export const foundTransaction = transaction
  .extend({ matching_amount: milliunits.optional() })
  .register(meanings, { row: 'transaction' });

// Fields that only some lists contain are optional, so that one format serves all of them.
const anyTransaction = transactionSummary.extend({
  ...z
    .object(transaction.shape)
    .pick({ account_name: true, payee_name: true, category_name: true, subtransactions: true })
    .partial().shape,
  ...hybridTransaction.pick({ parent_transaction_id: true }).partial().shape,
  ...foundTransaction.pick({ matching_amount: true }).shape,
});

type Fields<Name extends keyof z.output<typeof anyTransaction>> = Pick<z.output<typeof anyTransaction>, Name>;

interface Spending extends Fields<'payee_id' | 'payee_name' | 'category_id' | 'category_name' | 'memo'> {
  readonly subtransactions?: readonly unknown[] | undefined;
}

/** The category of a split itself means nothing. */
function spendingParts(row: Spending, context: TextContext) {
  const { category_id, category_name = null, subtransactions: legs = [] } = row;
  const category = legs.length === 0 && category_id && context.named('category', category_id, category_name);
  return [
    context.named('payee', row.payee_id, row.payee_name ?? null),
    category && `in ${category}`,
    row.memo && `memo ${quote(row.memo)}`,
    legs.length > 0 && 'split',
  ];
}

const accountOf = (row: Fields<'account_id' | 'account_name'>, context: TextContext) => {
  const text = context.named('account', row.account_id, row.account_name ?? null);
  return row.account_name === undefined ? text : text && `account ${text}`;
};

const flagOf = (row: Fields<'flag_color' | 'flag_name'>) =>
  row.flag_color && joinWords(word(row.flag_color), 'flag', row.flag_name && quote(row.flag_name));

const legOf = (row: Spending & Fields<'amount' | 'transfer_account_id' | 'deleted'>, context: TextContext) =>
  joinParts(
    context.money(row.amount),
    ...spendingParts(row, context),
    row.transfer_account_id && 'transfer',
    row.deleted && 'deleted',
  );

export const formatTransaction = rowFormat(anyTransaction, (row, context) => {
  const head = joinParts(
    word(row.date),
    context.money(row.amount),
    ...spendingParts(row, context),
    row.matching_amount !== undefined && `of which ${context.money(row.matching_amount)} matches`,
    row.transfer_account_id && 'transfer',
    accountOf(row, context),
    row.cleared !== 'cleared' && word(row.cleared),
    !row.approved && 'unapproved',
    flagOf(row),
    row.deleted && 'deleted',
    row.parent_transaction_id && `leg of ${context.id('transaction', row.parent_transaction_id)}`,
    !row.parent_transaction_id && context.id('transaction', row.id),
  );
  return head + indentLines((row.subtransactions ?? []).map((leg) => legOf(leg, context)));
});

export const formatScheduledTransaction = rowFormat(scheduledTransaction, (row, context) => {
  const head = joinParts(
    `next ${word(row.date_next)}`,
    row.frequency === 'never' ? 'once' : word(row.frequency),
    context.money(row.amount),
    ...spendingParts(row, context),
    row.transfer_account_id && 'transfer',
    accountOf(row, context),
    flagOf(row),
    row.deleted && 'deleted',
    context.id('scheduled_transaction', row.id),
  );
  return head + indentLines(row.subtransactions.map((leg) => legOf(leg, context)));
});
