/** The lines of transactions, of scheduled ones, and of the legs of both. */
import { z } from 'zod';
import { getScheduledTransaction } from '../operations/scheduled-transactions.ts';
import { getTransaction, listCategoryTransactions } from '../operations/transactions.ts';
import { scheduledSubtransaction, scheduledTransactionSummary } from '../schema/scheduled-transaction.ts';
import { subtransaction, transactionSummary } from '../schema/transaction.ts';
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

/** From whom to what, and why. */
function spending(it: Spending, prose: TextContext): TextPart[] {
  return [
    prose.named('payee', it.payee_id, it.payee_name ?? null),
    it.category_id ? `in ${prose.named('category', it.category_id, it.category_name ?? null)}` : null,
    it.memo && `memo ${quote(it.memo)}`,
  ];
}

interface Booking {
  readonly account_id: string;
  readonly account_name?: string | undefined;
}

const accountOf = (it: Booking, prose: TextContext): TextPart =>
  it.account_name === undefined
    ? prose.named('account', it.account_id, null)
    : `account ${prose.named('account', it.account_id, it.account_name)}`;

const flagOf = (it: { readonly flag_color: string | null; readonly flag_name: string | null }): TextPart =>
  it.flag_color && joinWords(word(it.flag_color), 'flag', it.flag_name && quote(it.flag_name));

type Leg = Spending & {
  readonly id: string;
  readonly amount: number;
  readonly transfer_account_id: string | null;
  readonly deleted: boolean;
};

const legOf = (it: Leg, prose: TextContext, whole?: string) =>
  joinParts(
    prose.money(it.amount),
    ...spending(it, prose),
    it.transfer_account_id && 'transfer',
    it.deleted && 'deleted',
    it.id && joinWords(`leg ${word(it.id)}`, whole && `of ${word(whole)}`),
  );

/** A leg by itself, as exports have it. */
export const formatLeg = rowFormat(subtransaction, (it, prose) => legOf(it, prose, it.transaction_id));

export const formatScheduledLeg = rowFormat(scheduledSubtransaction, (it, prose) =>
  legOf(it, prose, it.scheduled_transaction_id),
);

// What each list adds to a transaction is optional here, so that one line serves full, hybrid and exported ones.
const anyTransaction = transactionSummary.extend({
  ...z
    .object(getTransaction.output.shape.transaction.shape)
    .pick({ account_name: true, payee_name: true, category_name: true, subtransactions: true })
    .partial().shape,
  ...listCategoryTransactions.output.shape.transactions.element
    .pick({ parent_transaction_id: true })
    .partial().shape,
});

export const formatTransaction = rowFormat(anyTransaction, (it, prose) => {
  const legs = it.subtransactions ?? [];
  const split = legs.length > 0;
  const head = joinParts(
    word(it.date),
    prose.money(it.amount),
    ...spending(split ? { ...it, category_id: null } : it, prose),
    split && 'split',
    it.transfer_account_id && 'transfer',
    accountOf(it, prose),
    word(it.cleared),
    !it.approved && 'unapproved',
    flagOf(it),
    it.deleted && 'deleted',
    it.parent_transaction_id && `leg of ${word(it.parent_transaction_id)}`,
    word(it.id),
  );
  return head + indentLines(legs.map((leg) => legOf(leg, prose)));
});

const anyScheduled = scheduledTransactionSummary.extend(
  z
    .object(getScheduledTransaction.output.shape.scheduled_transaction.shape)
    .pick({ account_name: true, payee_name: true, category_name: true, subtransactions: true })
    .partial().shape,
);

export const formatScheduledTransaction = rowFormat(anyScheduled, (it, prose) => {
  const legs = it.subtransactions ?? [];
  const split = legs.length > 0;
  const head = joinParts(
    `next ${word(it.date_next)}`,
    it.frequency === 'never' ? 'once' : word(it.frequency),
    prose.money(it.amount),
    ...spending(split ? { ...it, category_id: null } : it, prose),
    split && 'split',
    it.transfer_account_id && 'transfer',
    accountOf(it, prose),
    flagOf(it),
    it.deleted && 'deleted',
    word(it.id),
  );
  return head + indentLines(legs.map((leg) => legOf(leg, prose)));
});
