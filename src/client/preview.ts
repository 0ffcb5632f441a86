/**
 * What a write would do, without doing it: judged by what the budget shows now. It asks the service only to read.
 */
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import { getMonthCategory, listCategories, updateMonthCategory } from '../operations/categories.ts';
import type { Operation } from '../operations/operation.ts';
import {
  deleteScheduledTransaction,
  getScheduledTransaction,
  updateScheduledTransaction,
} from '../operations/scheduled-transactions.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../operations/transaction-writes.ts';
import { getTransaction } from '../operations/transactions.ts';
import type { Answer, BudgetClient, Freshness } from './budget-client.ts';

export interface Preview {
  /** Of what it is judged by. */
  readonly freshness: Freshness;
  /** Why the service would refuse it, as far as can be seen from here. */
  readonly problems: readonly string[];
  /** What it is about as it stands now: the transaction to be deleted, say. */
  readonly current: Readonly<Record<string, unknown>>;
  /** Balances now and then, in milliunits. */
  readonly effects: readonly Effect[];
}

export interface Effect {
  readonly kind: 'account' | 'category';
  readonly id: string;
  readonly name: string;
  readonly balance_now: number;
  readonly balance_then: number;
}

/** Money that a transaction moves in an account and in categories. */
interface Booking {
  readonly date?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: number | undefined;
  /** That of an account makes it a transfer. */
  readonly payee_id?: string | null | undefined;
  readonly category_id?: string | null | undefined;
  readonly subtransactions?: readonly Booking[] | undefined;
}

type Input = Readonly<Record<string, unknown>>;
type Reader = Pick<BudgetClient, 'call'>;

/** Its categories take no balance: what comes into them is for all the others. */
const INTERNAL_GROUP = 'Internal Master Category';

/** `input` names the budget by id. Throws where the budget cannot be read. */
export async function preview(client: Reader, operation: Operation, input: Input): Promise<Preview> {
  const about = { budget_id: input['budget_id'] };
  const [{ data: listed, freshness }, { data: grouped }] = await Promise.all([
    client.call(listAccounts, listAccounts.input.parse(about)),
    client.call(listCategories, listCategories.input.parse(about)),
  ]);
  const categories = grouped.category_groups.flatMap((group) => group.categories);
  const known = { accounts: listed.accounts, categories };
  const own = categories.filter((each) => each.category_group_name !== INTERNAL_GROUP);
  const { current, changes, problems, category } = await changesOf(client, operation, input);
  return {
    freshness,
    current,
    problems: [...problems, ...unknownReferences(input, known)],
    effects: effectsOf(
      changes,
      { ...known, categories: category ? [category] : own },
      freshness.as_of.slice(0, 7),
    ),
  };
}

interface Changes {
  readonly current: Input;
  readonly problems: readonly string[];
  /** What is added to the books; what is taken away is negative. */
  readonly changes: readonly Booking[];
  /** As it is in the month that the write is about. */
  readonly category?: Known['categories'][number];
}

async function changesOf(client: Reader, operation: Operation, input: Input): Promise<Changes> {
  const nothing = { current: {}, problems: [], changes: [] };
  const current = async <Data>(answer: Promise<Answer<Data>>) => {
    try {
      return (await answer).data;
    } catch (error) {
      if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  };
  const transactionOf = async (transaction_id: string) =>
    (await current(client.call(getTransaction, { budget_id: String(input['budget_id']), transaction_id })))
      ?.transaction;
  const gone = (id: string) => ({ ...nothing, problems: [`there is nothing with the id ${id}`] });

  switch (operation.name) {
    case createTransactions.name:
      return { ...nothing, changes: createTransactions.input.parse(input).transactions };
    case deleteTransaction.name: {
      const { transaction_id } = deleteTransaction.input.parse(input);
      const transaction = await transactionOf(transaction_id);
      if (!transaction) return gone(transaction_id);
      return { ...nothing, current: { transaction }, changes: [negated(transaction)] };
    }
    case updateTransaction.name: {
      const { transaction_id, ...sent } = updateTransaction.input.parse(input);
      const transaction = await transactionOf(transaction_id);
      if (!transaction) return gone(transaction_id);
      return { ...nothing, current: { transaction }, changes: replaced(transaction, sent) };
    }
    case updateTransactions.name: {
      const rows = updateTransactions.input.parse(input).transactions;
      const parts = await Promise.all(
        rows.map(async (row): Promise<Changes> => {
          if (row.id === undefined) return nothing;
          const transaction = await transactionOf(row.id);
          return transaction ? { ...nothing, changes: replaced(transaction, row) } : gone(row.id);
        }),
      );
      return {
        ...nothing,
        problems: parts.flatMap(({ problems }) => problems),
        changes: parts.flatMap(({ changes }) => changes),
      };
    }
    case updateMonthCategory.name: {
      const { budgeted, ...where } = updateMonthCategory.input.parse(input);
      const found = await current(client.call(getMonthCategory, where));
      // A month that nobody has budgeted for yet is not there; that the category is, is seen from the list.
      if (!found) return nothing;
      const { category } = found;
      return {
        ...nothing,
        current: found,
        category,
        changes: [{ category_id: category.id, amount: budgeted - category.budgeted }],
      };
    }
    case updateScheduledTransaction.name:
    case deleteScheduledTransaction.name: {
      const where = getScheduledTransaction.input.strip().parse(input);
      const found = await current(client.call(getScheduledTransaction, where));
      return found ? { ...nothing, current: found } : gone(where.scheduled_transaction_id);
    }
    default:
      return nothing;
  }
}

function negated({ amount = 0, subtransactions, ...booking }: Booking): Booking {
  return {
    ...booking,
    amount: -amount,
    ...(subtransactions && { subtransactions: subtransactions.map(negated) }),
  };
}

/** What an update makes of a transaction: of an existing split, neither amount nor category nor legs (they stay). */
function replaced(current: Booking, sent: Booking & { readonly payee_name?: string | undefined }): Booking[] {
  const split = (current.subtransactions ?? []).length > 0;
  const { account_id = current.account_id } = sent;
  if (split) return [negated(current), { ...current, account_id }];
  const { amount = current.amount, category_id = current.category_id, subtransactions } = sent;
  const { payee_id = sent.payee_name ? null : current.payee_id, date = current.date } = sent;
  return [negated(current), { account_id, date, amount, payee_id, category_id, subtransactions }];
}

interface Known {
  readonly accounts: readonly {
    id: string;
    name: string;
    balance: number;
    closed: boolean;
    on_budget: boolean;
    transfer_payee_id: string | null;
  }[];
  readonly categories: readonly { id: string; name: string; balance: number }[];
}

/** Ids in the input, at any depth, that the budget does not have. */
function unknownReferences(value: unknown, known: Known): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => unknownReferences(each, known));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'account_id' && typeof inner === 'string') {
      const account = known.accounts.find(({ id }) => id === inner);
      if (!account) return [`account_id: there is no account ${inner}`];
      return account.closed ? [`account_id: the account ${JSON.stringify(account.name)} is closed`] : [];
    }
    if (
      name === 'category_id' &&
      typeof inner === 'string' &&
      !known.categories.some(({ id }) => id === inner)
    )
      return [`category_id: there is no category ${inner}`];
    return unknownReferences(inner, known);
  });
}

/**
 * The balances of accounts, and those of categories where they simply follow: of entries in `month`, in categories of
 * the user's own. What a credit card's payments and later months make of it is the service's to say.
 */
function effectsOf(changes: readonly Booking[], { accounts, categories }: Known, month: string): Effect[] {
  const inAccounts = new Map<string, number>();
  const inCategories = new Map<string, number>();
  const add = (sums: Map<string, number>, id: string | null | undefined, amount: number) => {
    if (id) sums.set(id, (sums.get(id) ?? 0) + amount);
  };
  const book = ({ account_id, amount = 0, date, payee_id, category_id }: Booking) => {
    const account = accounts.find(({ id }) => id === account_id);
    const other = accounts.find((each) => payee_id && each.transfer_payee_id === payee_id);
    add(inAccounts, account_id, amount);
    add(inAccounts, other?.id, -amount);
    // Money that stays within the budget, or was never in it, is in no category.
    const isInBudget = account?.on_budget !== false && !(account && other?.on_budget);
    const isThisMonth = date === undefined || date.startsWith(month);
    if (isInBudget && isThisMonth) add(inCategories, category_id, amount);
  };
  for (const { subtransactions: legs, ...whole } of changes) {
    if (!legs?.length) book(whole);
    for (const leg of legs ?? []) book({ ...leg, account_id: whole.account_id, date: whole.date });
  }
  const effects = (
    kind: Effect['kind'],
    sums: Map<string, number>,
    rows: readonly { id: string; name: string; balance: number }[],
  ) =>
    rows.flatMap(({ id, name, balance }) => {
      const change = sums.get(id) ?? 0;
      return change === 0 ? [] : [{ kind, id, name, balance_now: balance, balance_then: balance + change }];
    });
  return [...effects('account', inAccounts, accounts), ...effects('category', inCategories, categories)];
}
