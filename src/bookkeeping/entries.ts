/**
 * Transactions as far as they decide about balances, and which accounts and categories they count in. Pure: it knows
 * neither requests nor balances.
 */

/** A part of a split. */
export interface Leg {
  readonly amount: number;
  readonly payee_id: string | null;
  readonly category_id: string | null;
  readonly transfer_transaction_id: string | null;
}

/** A transaction, as far as it decides about balances; amounts in milliunits. What the service lists has this shape. */
export interface Entry extends Leg {
  readonly id: string;
  readonly account_id: string;
  readonly date: string;
  readonly import_id: string | null;
  /** Empty unless it is a split. */
  readonly subtransactions: readonly Leg[];
}

interface Sent {
  readonly payee_id?: string | null | undefined;
  readonly payee_name?: string | undefined;
  readonly category_id?: string | null | undefined;
}

export interface SentLeg extends Sent {
  readonly amount: number;
}

/** What a write sends of a transaction; a change leaves out what stays. */
export interface EntryChange extends Sent {
  readonly account_id?: string | undefined;
  readonly date?: string | undefined;
  readonly amount?: number | undefined;
  readonly subtransactions?: readonly SentLeg[] | undefined;
}

export interface NewEntry extends EntryChange {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly import_id?: string | undefined;
}

/** An amount, in milliunits, that is added to the balance of an account or to the activity of a category. */
export interface Booking {
  readonly amount: number;
  readonly account_id?: string;
  readonly category_id?: string;
  /** Of the category's activity; left out, it is the month that the write is about. */
  readonly date?: string;
}

interface Account {
  readonly id: string;
  readonly on_budget: boolean;
  readonly transfer_payee_id: string | null;
}

interface CategoryIds {
  /** The categories of the service's own for credit card payments: it ignores them in transactions. */
  readonly payment: ReadonlySet<string>;
  /** The category of the service's own that stands for none. */
  readonly uncategorized: ReadonlySet<string>;
}

/** The accounts and categories of a budget. */
export class Chart {
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #byTransferPayee: ReadonlyMap<string, Account>;
  readonly #categories: CategoryIds;

  constructor(accounts: readonly Account[], categories: CategoryIds) {
    this.#accounts = new Map(accounts.map((account) => [account.id, account]));
    this.#byTransferPayee = new Map(
      accounts.flatMap((account) =>
        account.transfer_payee_id === null ? [] : [[account.transfer_payee_id, account]],
      ),
    );
    this.#categories = categories;
  }

  /** The account that a transfer goes to. */
  targetOf({ payee_id }: Pick<Leg, 'payee_id'>): Account | undefined {
    return payee_id === null ? undefined : this.#byTransferPayee.get(payee_id);
  }

  transferPayeeOf(accountId: string): string | null {
    return this.#accounts.get(accountId)?.transfer_payee_id ?? null;
  }

  isPaymentCategory(id: string | null | undefined): boolean {
    return typeof id === 'string' && this.#categories.payment.has(id);
  }

  /** The category that the service keeps: money that stays within the budget, or was never in it, has none. */
  categoryOf({ account_id }: Pick<Entry, 'account_id'>, part: Pick<Leg, 'payee_id' | 'category_id'>) {
    const { category_id } = part;
    if (category_id === null || this.#categories.uncategorized.has(category_id)) return null;
    if (this.isPaymentCategory(category_id)) return null;
    const isInBudget = this.#accounts.get(account_id)?.on_budget !== false;
    return isInBudget && !this.targetOf(part)?.on_budget ? category_id : null;
  }

  /** What an entry adds to its account and its categories. */
  bookingsOf(entry: Entry): Booking[] {
    const { account_id, date, amount } = entry;
    const inCategories = partsOf(entry).flatMap((part) => {
      const category_id = this.categoryOf(entry, part);
      return category_id === null ? [] : [{ category_id, date, amount: part.amount }];
    });
    return [{ account_id, amount }, ...inCategories];
  }
}

/**
 * The payee's id or, where it is given by name, the name: what matters is whether it stands for an account, which no
 * name can do. Undefined where nothing is said.
 */
export const payeeOf = ({ payee_id, payee_name }: Sent): string | null | undefined =>
  payee_id ?? (payee_name?.trim() || payee_id);

export const legOf = ({ amount, category_id = null, ...sent }: SentLeg): Leg => ({
  amount,
  category_id,
  payee_id: payeeOf(sent) ?? null,
  transfer_transaction_id: null,
});

export const isSplit = ({ subtransactions }: Entry) => subtransactions.length > 0;

/** What counts in categories: the legs of a split, or the transaction itself. */
export const partsOf = (entry: Entry): readonly Leg[] => (isSplit(entry) ? entry.subtransactions : [entry]);

export const otherSidesOf = (entry: Entry): string[] =>
  [entry, ...entry.subtransactions].flatMap(({ transfer_transaction_id: id }) => (id === null ? [] : [id]));
