/** Formats transactions, scheduled transactions, and their legs. */
import { z } from 'zod';
import { milliunits } from '../base/schema/fields.ts';
import { scheduledTransaction } from '../base/schema/scheduled-transaction.ts';
import { hybridTransaction, transaction, transactionSummary } from '../base/schema/transaction.ts';
import {
  indentLines,
  joinParts,
  joinWords,
  quote,
  rowFormat,
  type TextContext,
  type TextPart,
  word,
} from './text.ts';

interface Spending {
  readonly memo: string | null;
  readonly payee_id: string | null;
  readonly payee_name?: string | null | undefined;
  readonly category_id: string | null;
  readonly category_name?: string | null | undefined;
}

function spendingParts(row: Spending, context: TextContext): TextPart[] {
  return [
    context.named('payee', row.payee_id, row.payee_name ?? null),
    row.category_id && prefixed('in', context.named('category', row.category_id, row.category_name ?? null)),
    row.memo && `memo ${quote(row.memo)}`,
  ];
}

const prefixed = (prefix: string, text: string) => text && `${prefix} ${text}`;

interface AccountReference {
  readonly account_id: string;
  readonly account_name?: string | undefined;
}

const accountOf = (row: AccountReference, context: TextContext): TextPart =>
  row.account_name === undefined
    ? context.named('account', row.account_id, null)
    : prefixed('account', context.named('account', row.account_id, row.account_name));

const flagOf = (row: { readonly flag_color: string | null; readonly flag_name: string | null }): TextPart =>
  row.flag_color && joinWords(word(row.flag_color), 'flag', row.flag_name && quote(row.flag_name));

type Leg = Spending & {
  readonly amount: number;
  readonly transfer_account_id: string | null;
  readonly deleted: boolean;
};

const legOf = (row: Leg, context: TextContext) =>
  joinParts(
    context.money(row.amount),
    ...spendingParts(row, context),
    row.transfer_account_id && 'transfer',
    row.deleted && 'deleted',
  );

/** A transaction that was searched for. If only some legs of a split match, it has their sum. */
export const foundTransaction = transaction.extend({ matching_amount: milliunits.optional() });

// Fields that only some lists contain are optional, so that one format serves all of them.
const anyTransaction = transactionSummary.extend({
  ...z
    .object(transaction.shape)
    .pick({ account_name: true, payee_name: true, category_name: true, subtransactions: true })
    .partial().shape,
  ...hybridTransaction.pick({ parent_transaction_id: true }).partial().shape,
  ...foundTransaction.pick({ matching_amount: true }).shape,
});

export const formatTransaction = rowFormat(anyTransaction, (row, context) => {
  const legs = row.subtransactions ?? [];
  const split = legs.length > 0;
  const head = joinParts(
    word(row.date),
    context.money(row.amount),
    ...spendingParts(split ? { ...row, category_id: null } : row, context),
    split && 'split',
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
  return head + indentLines(legs.map((leg) => legOf(leg, context)));
});

export const formatScheduledTransaction = rowFormat(scheduledTransaction, (row, context) => {
  const legs = row.subtransactions;
  const split = legs.length > 0;
  const head = joinParts(
    `next ${word(row.date_next)}`,
    row.frequency === 'never' ? 'once' : word(row.frequency),
    context.money(row.amount),
    ...spendingParts(split ? { ...row, category_id: null } : row, context),
    split && 'split',
    row.transfer_account_id && 'transfer',
    accountOf(row, context),
    flagOf(row),
    row.deleted && 'deleted',
    context.id('scheduled_transaction', row.id),
  );
  return head + indentLines(legs.map((leg) => legOf(leg, context)));
});
