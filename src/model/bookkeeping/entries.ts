/**
 * The fields of transactions that affect balances, and the accounts and categories that they count in. Pure
 * functions.
 */
import type { Immutable } from '../../base/schema/immutable.ts';
import type { NewTransaction, TransactionChange } from '../../base/schema/transaction-fields.ts';
import type { Account as BudgetAccount, Subtransaction, Transaction } from '../replica/entities.ts';

export type Leg = Pick<Subtransaction, 'amount' | 'payee_id' | 'category_id' | 'transfer_transaction_id'>;

/** The fields of a transaction that affect balances, in milliunits. The service's lists have this shape. */
export interface Entry extends Leg {
  readonly id: string;
  readonly account_id: string;
  readonly date: string;
  readonly import_id: string | null;
  readonly cleared: Transaction['cleared'];
  /** Empty for an unsplit transaction. */
  readonly subtransactions: readonly Leg[];
}

type PartyField = 'payee_id' | 'payee_name' | 'category_id';

export type SentFields = Pick<TransactionChange, PartyField>;

/** The fields of a write. A change omits fields that stay. */
export type EntryChange = Immutable<
  Pick<TransactionChange, PartyField | 'account_id' | 'date' | 'amount' | 'cleared' | 'subtransactions'>
>;

export type NewEntry = EntryChange &
  Immutable<Pick<NewTransaction, 'account_id' | 'date' | 'amount' | 'import_id'>>;

/** An amount in milliunits that is added to the balance of an account or to the activity of a category. */
export interface Posting {
  readonly amount: number;
  readonly account_id?: string;
  readonly category_id?: string;
  /** The date of the activity. By default it is in the month of the write. */
  readonly date?: string;
}

type Account = Pick<BudgetAccount, 'id' | 'name' | 'closed' | 'on_budget' | 'transfer_payee_id'>;

interface CategoryIds {
  /** With those of the service itself. */
  readonly all: ReadonlySet<string>;
  /** Those in which nothing can be budgeted. */
  readonly internal: ReadonlySet<string>;
  /** The payment categories of credit cards, which the service ignores in transactions. */
  readonly payment: ReadonlySet<string>;
  /** The internal category for transactions without a category. */
  readonly uncategorized: ReadonlySet<string>;
}

export class ChartOfAccounts {
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #byTransferPayee: ReadonlyMap<string, Account>;
  readonly #categories: CategoryIds;
  readonly #payees: ReadonlySet<string>;

  /** `payees` may lack those of transfers. */
  constructor(accounts: readonly Account[], categories: CategoryIds, payees: ReadonlySet<string>) {
    this.#accounts = new Map(accounts.map((account) => [account.id, account]));
    this.#byTransferPayee = new Map(
      accounts.flatMap((account) =>
        account.transfer_payee_id === null ? [] : [[account.transfer_payee_id, account]],
      ),
    );
    this.#categories = categories;
    this.#payees = payees;
  }

  account(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  hasPayee(id: string): boolean {
    return this.#payees.has(id) || this.#byTransferPayee.has(id);
  }

  hasCategory(id: string): boolean {
    return this.#categories.all.has(id);
  }

  /** The target account of a transfer. */
  targetOf({ payee_id }: Pick<Leg, 'payee_id'>): Account | undefined {
    return payee_id === null ? undefined : this.#byTransferPayee.get(payee_id);
  }

  transferPayeeOf(accountId: string): string | null {
    return this.#accounts.get(accountId)?.transfer_payee_id ?? null;
  }

  isInternalCategory(id: string | undefined): boolean {
    return id !== undefined && this.#categories.internal.has(id);
  }

  isPaymentCategory(id: string | null | undefined): boolean {
    return typeof id === 'string' && this.#categories.payment.has(id);
  }

  /** The category that the service stores. Transfers within the budget and tracking accounts have none. */
  categoryOf({ account_id }: Pick<Entry, 'account_id'>, part: Pick<Leg, 'payee_id' | 'category_id'>) {
    const { category_id } = part;
    if (category_id === null || this.#categories.uncategorized.has(category_id)) return null;
    if (this.isPaymentCategory(category_id)) return null;
    const isInBudget = this.#accounts.get(account_id)?.on_budget !== false;
    return isInBudget && !this.targetOf(part)?.on_budget ? category_id : null;
  }

  postingsOf(entry: Entry): Posting[] {
    const { account_id, date, amount } = entry;
    const inCategories = partsOf(entry).flatMap((part) => {
      const category_id = this.categoryOf(entry, part);
      return category_id === null ? [] : [{ category_id, date, amount: part.amount }];
    });
    return [{ account_id, amount }, ...inCategories];
  }
}

/**
 * The payee's id, or its name if only a name is given. Callers only need to know whether it is the transfer payee of
 * an account, which a name never is. Undefined if no payee is given.
 */
export const payeeOf = ({ payee_id, payee_name }: SentFields): string | null | undefined =>
  payee_id ?? (payee_name?.trim() || payee_id);

export const legOf = ({ amount, category_id = null, ...sent }: SentFields & Pick<Leg, 'amount'>): Leg => ({
  amount,
  category_id,
  payee_id: payeeOf(sent) ?? null,
  transfer_transaction_id: null,
});

export const isSplit = ({ subtransactions }: Entry) => subtransactions.length > 0;

/** The parts that count in categories: the legs of a split, or the transaction itself. */
export const partsOf = (entry: Entry): readonly Leg[] => (isSplit(entry) ? entry.subtransactions : [entry]);

export const otherSidesOf = (entry: Entry): string[] =>
  [entry, ...entry.subtransactions].flatMap(({ transfer_transaction_id: id }) => (id === null ? [] : [id]));
