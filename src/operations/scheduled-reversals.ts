/**
 * How writes of scheduled transactions are taken back. The interface can neither empty their fields nor create splits, and
 * a series that is created again begins with its next date (docs/interface.md, Scheduled transaction).
 */
import type { JsonObject } from '../base/json.ts';
import { type ScheduledTransaction, scheduledTransaction } from '../base/schema/scheduled-transaction.ts';
import type { ReversalTarget, TakeBack, Written } from './reversal.ts';

const NOT_CACHED = 'the budget was not cached, so what was there before is not known';

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

/** `change` has the fields that the reversal writes or removes. */
const target = (
  it: ScheduledTransaction,
  change: Pick<ReversalTarget, 'written' | 'earlier'>,
): ReversalTarget => ({
  kind: 'scheduled_transaction',
  label: labelOf(it),
  ...change,
  source: {
    operation: 'get_scheduled_transaction',
    input: { scheduled_transaction_id: it.id },
    contentOf: (data) => contentOf(parse(data)),
  },
});

export function takeBackScheduledCreation({ data }: Written): TakeBack {
  const created = parse(data);
  return {
    reversals: [
      {
        operation: 'delete_scheduled_transaction',
        input: { scheduled_transaction_id: created.id },
        targets: [target(created, { written: contentOf(created) })],
      },
    ],
    leftovers: [],
  };
}

export function takeBackScheduledUpdate({ before, data }: Written): TakeBack {
  const [row] = before ?? [];
  if (!row) return { impossible: NOT_CACHED };
  const after = parse(data);
  const [earlier, written] = [contentOf(scheduledTransaction.parse(row)), contentOf(after)];
  const changed = fields.filter((field) => earlier[field] !== written[field]);
  const emptied = changed.find((field) => earlier[field] === null);
  if (emptied !== undefined)
    return {
      impossible: `the service cannot empty ${emptied.replace(/_id$/, '').replaceAll('_', ' ')} again`,
    };
  if (changed.length === 0) return { reversals: [], leftovers: [] };
  const pick = (content: typeof written) =>
    Object.fromEntries(changed.map((field) => [field, content[field]]));
  return {
    reversals: [
      {
        operation: 'update_scheduled_transaction',
        input: { scheduled_transaction_id: after.id, ...pick(earlier) },
        targets: [target(after, { written: pick(written), earlier: pick(earlier) })],
      },
    ],
    leftovers: [],
  };
}

export function takeBackScheduledDeletion({ before }: Written): TakeBack {
  const [row] = before ?? [];
  if (!row) return { impossible: NOT_CACHED };
  const deleted = scheduledTransaction.parse(row);
  if (deleted.subtransactions.length > 0)
    return { impossible: 'it was a split, and the service cannot create a scheduled split' };
  const earlier = contentOf(deleted);
  return {
    reversals: [
      {
        operation: 'create_scheduled_transaction',
        input: Object.fromEntries(Object.entries(earlier).filter(([, value]) => value !== null)),
        targets: [{ kind: 'scheduled_transaction', label: labelOf(deleted), earlier }],
        idChanges: (data) => [{ deleted: deleted.id, entered: parse(data).id }],
      },
    ],
    leftovers: ['it has a new id'],
  };
}

const fields = [
  'account_id',
  'date',
  'amount',
  'payee_id',
  'category_id',
  'memo',
  'flag_color',
  'frequency',
] as const;
