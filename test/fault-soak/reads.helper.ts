/** Random reads, and when the ledger contained their results. */

import { BudgetError } from '../../src/base/errors.ts';
import { getAccount, listAccounts } from '../../src/operations/accounts.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { listScheduledTransactions } from '../../src/operations/scheduled-transactions.ts';
import {
  getTransaction,
  listAccountTransactions,
  listTransactions,
} from '../../src/operations/transactions.ts';
import type { Random } from '../../src/service/demo-data/random.ts';
import { addDays } from '../../src/service/ledger/calendar.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import type { CallResult } from '../../src/session/call-result.ts';
import { callOperation } from '../call-operation.helper.ts';
import { asRow, type History, type Kind, type Row, type Span } from './history.helper.ts';

export interface ReadResult {
  readonly name: string;
  /** Whether the result says that it may be older than it should be. */
  readonly isMarkedStale: boolean;
  /** When the ledger contained the result. Empty if it never did. */
  readonly spans: readonly Span[];
}

interface Question {
  readonly name: string;
  readonly kind: Kind;
  /** Which rows of the kind a result contains. */
  readonly isMeant: (row: Row) => boolean;
  readonly ask: (client: BudgetClient) => Promise<CallResult<readonly Row[]>>;
}

/** The reason if there is no result. */
export async function read(
  client: BudgetClient,
  history: History,
  { name, kind, isMeant, ask }: Question,
): Promise<ReadResult | BudgetError> {
  try {
    const { data, freshness } = await ask(client);
    const spans = history.spansOf(kind, data, isMeant);
    return { name, isMarkedStale: freshness.stale_reason !== undefined, spans };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    if (error.code !== 'resource_not_found') return error;
    return { name, isMarkedStale: false, spans: history.spansOf(kind, [], isMeant) };
  }
}

const all = () => true;

const given = async <Data>(
  answer: Promise<CallResult<Data>>,
  rowsOf: (data: Data) => readonly Row[],
): Promise<CallResult<readonly Row[]>> => {
  const { data, freshness } = await answer;
  return { data: rowsOf(data), freshness };
};

/** `recent`: ids of transactions that are likely to be read. */
export function randomQuestion(
  random: Random,
  history: History,
  recent: readonly string[],
  today: string,
): Question {
  const account = history.current('account')[random.integer(0, 5)]?.id ?? '';
  const transaction = recent[random.integer(0, recent.length - 1)];
  const since = addDays(today, -1);
  const lists: readonly Question[] = [
    {
      name: 'list_transactions',
      kind: 'transaction',
      isMeant: ({ date }) => String(date) >= since,
      ask: (client) =>
        given(callOperation(client, listTransactions, { since_date: since }), (data) => data.transactions),
    },
    {
      name: 'list_account_transactions',
      kind: 'transaction',
      isMeant: ({ account_id }) => account_id === account,
      ask: (client) =>
        given(
          callOperation(client, listAccountTransactions, { account_id: account, since_date: '1970-01-01' }),
          (data) => data.transactions,
        ),
    },
    {
      name: 'list_accounts',
      kind: 'account',
      isMeant: all,
      ask: (client) => given(callOperation(client, listAccounts, {}), ({ accounts }) => accounts),
    },
    {
      name: 'get_account',
      kind: 'account',
      isMeant: ({ id }) => id === account,
      ask: (client) =>
        given(callOperation(client, getAccount, { account_id: account }), (data) => [data.account]),
    },
    {
      name: 'list_categories',
      kind: 'category',
      isMeant: all,
      ask: (client) =>
        given(callOperation(client, listCategories, {}), (data) =>
          data.category_groups.flatMap((group) => group.categories),
        ),
    },
    {
      name: 'list_money_movements',
      kind: 'movement',
      isMeant: all,
      ask: (client) =>
        given(callOperation(client, listMoneyMovements, {}), (data) => data.money_movements.map(asRow)),
    },
    {
      name: 'list_payees',
      kind: 'payee',
      isMeant: all,
      ask: (client) => given(callOperation(client, listPayees, {}), ({ payees }) => payees),
    },
    {
      name: 'list_scheduled_transactions',
      kind: 'scheduled',
      isMeant: all,
      ask: (client) =>
        given(callOperation(client, listScheduledTransactions, {}), (data) => data.scheduled_transactions),
    },
  ];
  const one: readonly Question[] =
    transaction === undefined
      ? []
      : [
          {
            name: 'get_transaction',
            kind: 'transaction',
            isMeant: ({ id }) => id === transaction,
            ask: (client) =>
              given(callOperation(client, getTransaction, { transaction_id: transaction }), (data) => [
                data.transaction,
              ]),
          },
        ];
  const questions = [...lists, ...one, ...one];
  const question = questions[random.integer(0, questions.length - 1)];
  if (!question) throw new Error('There is no question.');
  return question;
}
