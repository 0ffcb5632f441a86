/**
 * How writes of scheduled transactions are taken back. The interface can neither empty their fields nor create splits, and
 * a series that is created again begins with its next date (docs/interface.md, Scheduled transaction).
 */
import type { JsonObject } from '../base/json.ts';
import { type ScheduledTransaction, scheduledTransaction } from '../base/schema/scheduled-transaction.ts';
import {
  type ReversalSource,
  type TakeBack,
  takeBackFields,
  UNKNOWN_BEFORE,
  type Written,
  withoutNulls,
} from './reversal.ts';

const parse = (data: JsonObject) => scheduledTransaction.parse(data['scheduled_transaction']);

/** The fields that can be written. `date` is the next date of the series. */
const contentOf = (it: ScheduledTransaction) => ({
  account_id: it.account_id,
  date: it.date_next,
  amount: it.amount,
  payee_id: it.payee_id,
  category_id: it.category_id,
  memo: it.memo,
  flag_color: it.flag_color,
  frequency: it.frequency,
});

const labelOf = ({ id, date_next, amount, payee_name }: ScheduledTransaction): JsonObject => ({
  id,
  date: date_next,
  amount,
  payee_name,
});

const sourceOf = ({ id }: ScheduledTransaction): ReversalSource => ({
  operation: 'get_scheduled_transaction',
  input: { scheduled_transaction_id: id },
  contentOf: (data) => contentOf(parse(data)),
});

export function takeBackScheduledCreation({ data }: Written): TakeBack {
  const created = parse(data);
  return {
    reversals: [
      {
        operation: 'delete_scheduled_transaction',
        input: { scheduled_transaction_id: created.id },
        targets: [
          {
            kind: 'scheduled_transaction',
            label: labelOf(created),
            written: contentOf(created),
            source: sourceOf(created),
          },
        ],
      },
    ],
    leftovers: [],
  };
}

export function takeBackScheduledUpdate({ before, data }: Written): TakeBack {
  const after = parse(data);
  const content = contentOf(after);
  const update = {
    kind: 'scheduled_transaction',
    operation: 'update_scheduled_transaction',
    key: { scheduled_transaction_id: after.id },
    label: labelOf(after),
    fields: Object.keys(content),
    source: sourceOf(after),
  };
  const earlier = before?.map((row) => contentOf(scheduledTransaction.parse(row)));
  return takeBackFields(update, { before: earlier }, content);
}

export function takeBackScheduledDeletion({ before }: Written): TakeBack {
  const [row] = before ?? [];
  if (!row) return { impossible: UNKNOWN_BEFORE };
  const deleted = scheduledTransaction.parse(row);
  if (deleted.subtransactions.length > 0)
    return { impossible: 'it was a split, and the service cannot create a scheduled split' };
  const earlier = contentOf(deleted);
  return {
    reversals: [
      {
        operation: 'create_scheduled_transaction',
        input: withoutNulls(earlier),
        targets: [{ kind: 'scheduled_transaction', label: labelOf(deleted), earlier }],
      },
    ],
    leftovers: ['it has a new id'],
  };
}
