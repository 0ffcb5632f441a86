/** Operations on scheduled transactions (docs/interface.md, Scheduled transaction). */
import { z } from 'zod';
import { type Days, isOver } from '../base/calendar.ts';
import type { JsonObject } from '../base/json.ts';
import {
  accountId,
  budgetId,
  date,
  flagColor,
  frequency,
  integer,
  milliunits,
  scheduledTransactionId,
} from '../base/schema/fields.ts';
import { type ScheduledTransaction, scheduledTransaction } from '../base/schema/scheduled-transaction.ts';
import { newLine } from '../base/schema/transaction-fields.ts';
import { isUpdated, matches } from '../model/bookkeeping/matching.ts';
import { scheduledProblems } from '../model/bookkeeping/refusals.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import { compareSoonestFirst } from '../model/replica/scheduled-transaction-table.ts';
import { EXAMPLE_ID, idsIn, operation, type ReadCurrent, type ReadDelta } from './operation.ts';
import { type TakeBack, takeBackFields, UNKNOWN_BEFORE, type Written, withoutNulls } from './reversal.ts';

export const listScheduledTransactions = operation({
  name: 'list_scheduled_transactions',
  description: 'Planned bills and income: what is coming up, due or going out.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions',
  input: { budget_id: budgetId },
  output: { scheduled_transactions: z.array(scheduledTransaction), server_knowledge: integer },
  rows: { key: 'scheduled_transactions', order: 'soonest first' },
  arrange: (data) => ({
    ...data,
    scheduled_transactions: data.scheduled_transactions.toSorted(compareSoonestFirst),
  }),
  readLocally: (replica) => ({
    scheduled_transactions: replica.scheduledTransactions.list().toSorted(compareSoonestFirst),
    server_knowledge: replica.knowledge,
  }),
});

export const getScheduledTransaction = operation({
  name: 'get_scheduled_transaction',
  description: 'One scheduled transaction.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  input: { budget_id: budgetId, scheduled_transaction_id: scheduledTransactionId },
  output: { scheduled_transaction: scheduledTransaction },
  readLocally: (replica, { scheduled_transaction_id }) => ({
    scheduled_transaction: replica.scheduledTransactions.get(scheduled_transaction_id),
  }),
  example: { scheduled_transaction_id: EXAMPLE_ID },
});

const scheduledFields = {
  account_id: accountId,
  date,
  amount: milliunits.optional(),
  ...newLine,
  flag_color: flagColor.optional(),
  frequency: frequency.optional(),
};

const output = { scheduled_transaction: scheduledTransaction };

type Dated = { readonly date?: string | undefined };

const inPast = ({ date }: Dated, days: Days) =>
  date !== undefined && isOver(date, days)
    ? [`date ${date} is in the past (today is ${days.today}): use create_transactions`]
    : [];

/** For the person, the day may not be over. */
const overForService = ({ date }: Dated, ofService: string) =>
  date !== undefined && date < ofService
    ? [
        `For the service, which counts days in UTC, ${date} is over: it takes ${ofService} and later days. What was paid is entered by create_transactions.`,
      ]
    : [];

const readBefore = (
  { scheduledTransactions }: BudgetReplica,
  { scheduled_transaction_id: id }: { readonly scheduled_transaction_id: string },
) => [scheduledTransactions.get(id)];

const readStateBefore = async (read: ReadDelta) => [
  (await read(getScheduledTransaction)).scheduled_transaction,
];

/** A scheduled transaction does not change balances. */
async function readTarget(readCurrent: ReadCurrent) {
  const { scheduled_transaction } = await readCurrent(getScheduledTransaction);
  return { current: { scheduled_transaction } };
}

/** The given date is the first or the next date of the series. */
const isOn = (date: string, found: ScheduledTransaction) =>
  found.date_next === date || found.date_first === date;

const defaults = { amount: 0, memo: null, flag_color: null, frequency: 'never' };

export const createScheduledTransaction = operation({
  name: 'create_scheduled_transaction',
  description:
    'Plans (schedules) a recurring payment, a bill or income on a future day, once or as a repeat (every month, every other week): "remind me of the rent". No splits.',
  route: 'POST /budgets/{budget_id}/scheduled_transactions',
  input: { budget_id: budgetId, ...scheduledFields },
  output,
  check: inPast,
  whenRefused: overForService,
  body: (scheduled_transaction) => ({ scheduled_transaction }),
  recover: async (readDelta, { budget_id: _, date, ...sent }) => {
    const { scheduled_transactions } = await readDelta(listScheduledTransactions);
    const payee = sent.payee_id === undefined && sent.payee_name === undefined ? { payee_id: null } : {};
    const scheduled_transaction = scheduled_transactions.find(
      (candidate) =>
        isOn(date, candidate) &&
        // The service may have ignored the category. A creation that is not recognised might be sent again.
        matches(
          { ...defaults, ...payee, ...sent },
          candidate,
          candidate.category_id === null ? ['category_id'] : [],
        ),
    );
    return scheduled_transaction && { scheduled_transaction };
  },
  simulate: async (_, sent, rules) => ({ problems: [...scheduledProblems(rules, sent)] }),
  takeBack: takeBackScheduledCreation,
  example: { account_id: EXAMPLE_ID, date: '2027-01-15', amount: -30, frequency: 'monthly' },
});

export const updateScheduledTransaction = operation({
  name: 'update_scheduled_transaction',
  description:
    'Changes a scheduled bill or income, by id or payee: its amount went up, push it to another day, skip it this time. Omitted fields stay.',
  route: 'PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  input: {
    budget_id: budgetId,
    scheduled_transaction_id: scheduledTransactionId,
    ...scheduledFields,
    account_id: accountId.optional(),
    date: date.optional(),
  },
  output,
  check: inPast,
  whenRefused: overForService,
  body: (scheduled_transaction) => ({ scheduled_transaction }),
  // The service needs both. They are read just before the write, so that a change made elsewhere stays.
  readBefore: async (readDelta, { scheduled_transaction_id, account_id, date }) => {
    if (account_id !== undefined && date !== undefined) return { ids: new Set() };
    const { scheduled_transactions, server_knowledge } = await readDelta(listScheduledTransactions, {
      isWhole: true,
    });
    const found =
      scheduled_transactions.find(({ id }) => id === scheduled_transaction_id) ??
      // Fails with the words of the service.
      (await readDelta(getScheduledTransaction)).scheduled_transaction;
    const missing = { account_id: found.account_id, date: found.date_next };
    return { ids: new Set(), server_knowledge, missing };
  },
  recover: async (readDelta, { budget_id: _, scheduled_transaction_id, ...sent }) => {
    const { scheduled_transactions } = await readDelta(listScheduledTransactions);
    const scheduled_transaction = scheduled_transactions.find(({ id }) => id === scheduled_transaction_id);
    if (!scheduled_transaction) return undefined;
    const { date = '' } = sent;
    const found = { ...scheduled_transaction, ...(isOn(date, scheduled_transaction) && { date }) };
    return isUpdated([{ sent, found }]) ? { scheduled_transaction } : undefined;
  },
  simulate: async (readCurrent, sent, rules) => {
    const { current } = await readTarget(readCurrent);
    return { current, problems: [...scheduledProblems(rules, sent, current.scheduled_transaction)] };
  },
  stateBefore: readBefore,
  readStateBefore,
  takeBack: takeBackScheduledUpdate,
  example: { scheduled_transaction_id: EXAMPLE_ID, amount: -32 },
});

export const deleteScheduledTransaction = operation({
  name: 'delete_scheduled_transaction',
  description:
    'Deletes (cancels) a scheduled transaction, by id or payee: takes it off the regular bills. What it entered stays.',
  route: 'DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  input: { budget_id: budgetId, scheduled_transaction_id: scheduledTransactionId },
  output,
  readBefore: idsIn(listScheduledTransactions, ({ scheduled_transactions }) => scheduled_transactions),
  duplicateRefusal: {
    code: 'resource_not_found',
    appliedBefore: async (_readDelta, { scheduled_transaction_id }, idsBefore) =>
      !idsBefore.has(scheduled_transaction_id),
  },
  recover: async (readDelta, { scheduled_transaction_id }) => {
    const { scheduled_transactions } = await readDelta(listScheduledTransactions);
    const scheduled_transaction = scheduled_transactions.find(
      (candidate) => candidate.id === scheduled_transaction_id && candidate.deleted,
    );
    return scheduled_transaction && { scheduled_transaction };
  },
  simulate: readTarget,
  stateBefore: readBefore,
  readStateBefore,
  takeBack: takeBackScheduledDeletion,
  example: { scheduled_transaction_id: EXAMPLE_ID },
});

// How writes are taken back. The interface can neither empty fields nor create splits, and a series that is created again begins with
// its next date.
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

const sourceOf = ({ id }: ScheduledTransaction) => ({
  operation: 'get_scheduled_transaction',
  input: { scheduled_transaction_id: id },
  contentOf: (data: JsonObject) => contentOf(parse(data)),
});

function takeBackScheduledCreation({ data }: Written): TakeBack {
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

function takeBackScheduledUpdate({ before, data }: Written): TakeBack {
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

function takeBackScheduledDeletion({ before }: Written): TakeBack {
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
