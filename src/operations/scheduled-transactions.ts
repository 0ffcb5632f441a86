/** What is planned: the entries that read and write it (specification, Scheduled transaction). */
import { z } from 'zod';
import { matches } from '../bookkeeping/matching.ts';
import { budgetId, date, id, integer, milliunits, typed } from '../schema/fields.ts';
import { type ScheduledTransaction, scheduledTransaction } from '../schema/scheduled-transaction.ts';
import { EXAMPLE_ID, operation, type ReadCurrent } from './operation.ts';
import { flagColor } from './transaction-writes.ts';
import { isUpdated } from './updated-entries.ts';

export const listScheduledTransactions = operation({
  name: 'list_scheduled_transactions',
  title: 'List scheduled transactions',
  description: 'What is planned: bills and income to come, each with its next date and frequency.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { scheduled_transactions: z.array(scheduledTransaction), server_knowledge: integer },
  rows: { key: 'scheduled_transactions', order: 'soonest first' },
  completes: {
    argument: 'scheduled_transaction_id',
    candidates: ({ scheduled_transactions }) =>
      scheduled_transactions.map(({ id, payee_name, memo, date_next }) => ({
        id,
        label: [payee_name, memo, date_next].filter(Boolean).join(' '),
      })),
  },
  readLocally: (replica) => ({
    scheduled_transactions: replica.scheduledTransactions.list(),
    server_knowledge: replica.knowledge,
  }),
  example: {},
});

export const getScheduledTransaction = operation({
  name: 'get_scheduled_transaction',
  title: 'Get scheduled transaction',
  description: 'One scheduled transaction.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  kind: 'read',
  input: { budget_id: budgetId, scheduled_transaction_id: id },
  output: { scheduled_transaction: scheduledTransaction },
  readLocally: (replica, { scheduled_transaction_id }) => ({
    scheduled_transaction: replica.scheduledTransactions.get(scheduled_transaction_id),
  }),
  example: { scheduled_transaction_id: EXAMPLE_ID },
});

const planned = {
  account_id: id,
  date,
  amount: milliunits.optional(),
  payee_id: id.optional(),
  payee_name: typed(200).optional(),
  category_id: id.optional(),
  memo: typed(500).optional(),
  flag_color: flagColor.optional(),
  frequency: z
    .enum([
      'never',
      'daily',
      'weekly',
      'everyOtherWeek',
      'twiceAMonth',
      'every4Weeks',
      'monthly',
      'everyOtherMonth',
      'every3Months',
      'every4Months',
      'twiceAYear',
      'yearly',
      'everyOtherYear',
    ])
    .optional(),
};

const one = { scheduled_transaction: scheduledTransaction };

const inPast = ({ date }: { readonly date: string }, today: string) =>
  date < today ? [`date ${date} is in the past (today is ${today} UTC): use create_transactions`] : [];

/** A plan moves no money. */
async function foreseePlan(look: ReadCurrent) {
  const { scheduled_transaction } = await look(getScheduledTransaction);
  return { current: { scheduled_transaction } };
}

/** The date that is given begins the series or is the next one. */
const isOn = (date: string, found: ScheduledTransaction) =>
  found.date_next === date || found.date_first === date;

const unsaid = { amount: 0, memo: null, flag_color: null, frequency: 'never' };
const nobody = { payee_id: null };

export const createScheduledTransaction = operation({
  name: 'create_scheduled_transaction',
  title: 'Create scheduled transaction',
  description: 'Plans a transaction for a day to come, once or repeating. No splits.',
  route: 'POST /budgets/{budget_id}/scheduled_transactions',
  kind: 'create',
  input: { budget_id: budgetId, ...planned },
  output: one,
  check: inPast,
  body: (scheduled_transaction) => ({ scheduled_transaction }),
  recover: async (ask, { budget_id: _, date, ...sent }) => {
    const { scheduled_transactions } = await ask(listScheduledTransactions);
    const payee = sent.payee_id === undefined && sent.payee_name === undefined ? nobody : {};
    const scheduled_transaction = scheduled_transactions.find(
      (each) =>
        isOn(date, each) &&
        // The service may have ignored the category. A creation that is not recognised would be made again.
        matches({ ...unsaid, ...payee, ...sent }, each, each.category_id === null ? ['category_id'] : []),
    );
    return scheduled_transaction && { scheduled_transaction };
  },
  example: { account_id: EXAMPLE_ID, date: '2027-01-15', amount: -30, frequency: 'monthly' },
});

export const updateScheduledTransaction = operation({
  name: 'update_scheduled_transaction',
  title: 'Update scheduled transaction',
  description: 'Changes a scheduled transaction. What is left out stays; account_id and date are needed.',
  route: 'PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  kind: 'update',
  input: { budget_id: budgetId, scheduled_transaction_id: id, ...planned },
  output: one,
  check: inPast,
  body: (scheduled_transaction) => ({ scheduled_transaction }),
  recover: async (ask, { budget_id: _, scheduled_transaction_id, date, ...sent }) => {
    const { scheduled_transactions } = await ask(listScheduledTransactions);
    const scheduled_transaction = scheduled_transactions.find(({ id }) => id === scheduled_transaction_id);
    if (!scheduled_transaction || !isOn(date, scheduled_transaction)) return undefined;
    return (await isUpdated(ask, sent, scheduled_transaction)) ? { scheduled_transaction } : undefined;
  },
  simulate: foreseePlan,
  example: { scheduled_transaction_id: EXAMPLE_ID, account_id: EXAMPLE_ID, date: '2027-01-15', amount: -32 },
});

export const deleteScheduledTransaction = operation({
  name: 'delete_scheduled_transaction',
  title: 'Delete scheduled transaction',
  description: 'Deletes one scheduled transaction; what it has entered stays. It cannot be undone.',
  route: 'DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  kind: 'delete',
  input: { budget_id: budgetId, scheduled_transaction_id: id },
  output: one,
  before: async (ask) => {
    const { scheduled_transactions, server_knowledge } = await ask(listScheduledTransactions, {
      isWhole: true,
    });
    return { ids: new Set(scheduled_transactions.map(({ id }) => id)), server_knowledge };
  },
  refusedAgain: {
    code: 'resource_not_found',
    wasSoBefore: async (_ask, { scheduled_transaction_id }, before) => !before.has(scheduled_transaction_id),
  },
  recover: async (ask, { scheduled_transaction_id }) => {
    const { scheduled_transactions } = await ask(listScheduledTransactions);
    const scheduled_transaction = scheduled_transactions.find(
      (each) => each.id === scheduled_transaction_id && each.deleted,
    );
    return scheduled_transaction && { scheduled_transaction };
  },
  simulate: foreseePlan,
  example: { scheduled_transaction_id: EXAMPLE_ID },
});
