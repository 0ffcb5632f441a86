/** Random writes to a small budget with many transfers, splits and imports, for the dry run and for the write. */
import fc from 'fast-check';
import { updateMonthCategory } from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import { addDays } from '../../src/service/ledger/calendar.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { Picks } from '../session/writes/picks.helper.ts';

const KINDS = [
  'create',
  'create several',
  'create several',
  'import',
  'import several',
  'update',
  'update',
  'update several',
  'update several',
  'delete',
  'budget',
] as const;

/** Choices as numbers. Each is taken modulo the number of possible values. */
export interface RandomWrite {
  readonly kind: (typeof KINDS)[number];
  readonly picks: readonly number[];
}

export const randomWrites = fc.array(
  fc.record<RandomWrite>({
    kind: fc.constantFrom(...KINDS),
    picks: fc.array(fc.nat(10_000), { minLength: 40, maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 12 },
);

type Fields = Readonly<Record<string, unknown>>;

export interface PreparedWrite {
  readonly operation: Operation;
  readonly input: Fields;
}

/** Only a few values, so that imports find transactions to match. */
const AMOUNTS = [-10_000, -4_500, 7_000] as const;
/** Days before today, which is a 20th: in this month and the two months before. */
const DAYS_AGO = [0, 1, 2, 3, 7, 12, 25, 45] as const;

/** Creates the write from the choices and the current budget. An empty budget gets a transaction first. */
export function prepared(ledger: Ledger, { kind: chosen, picks }: RandomWrite): PreparedWrite {
  const choose = new Choices(ledger, picks);
  const kind = ledger.state.transactions.size === 0 ? 'create' : chosen;
  switch (kind) {
    case 'create':
      return { operation: createTransactions, input: { transactions: [choose.transaction()] } };
    case 'create several':
      return {
        operation: createTransactions,
        input: { transactions: [choose.transaction(), choose.transaction(), choose.transaction()] },
      };
    case 'import':
      return { operation: createTransactions, input: { transactions: [choose.imported()] } };
    case 'import several':
      return {
        operation: createTransactions,
        input: { transactions: choose.entriesAndImports() },
      };
    case 'update':
      return {
        operation: updateTransaction,
        input: { transaction_id: choose.transactionId(), ...choose.change() },
      };
    case 'update several': {
      const [one, other, third] = [choose.identified(), choose.identified(), choose.identified()];
      // The first one again, so that changes apply to the results of earlier rows.
      const transactions = [one, other, third, one].map((each) => ({ ...each, ...choose.change() }));
      return { operation: updateTransactions, input: { transactions } };
    }
    case 'delete':
      return { operation: deleteTransaction, input: { transaction_id: choose.transactionId() } };
    case 'budget':
      return {
        operation: updateMonthCategory,
        input: {
          month: choose.from(['2026-01-01', '2025-12-01', 'current']),
          category_id: choose.categoryId(),
          budgeted: choose.from(AMOUNTS),
        },
      };
  }
}

class Choices extends Picks {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, picks: readonly number[]) {
    super(picks);
    this.#ledger = ledger;
  }

  transaction(): Fields {
    const account_id = this.#accountId();
    const isSplit = this.happens(3);
    const legs = isSplit ? [this.#leg(account_id), this.#leg(account_id)] : [];
    const amount = isSplit ? legs.reduce((sum, leg) => sum + leg.amount, 0) : this.from(AMOUNTS);
    return {
      account_id,
      date: this.#date(),
      amount,
      ...this.#payee(isSplit ? undefined : account_id),
      ...(!isSplit && this.happens(2) && { category_id: this.categoryId() }),
      ...(isSplit && { subtransactions: legs }),
    };
  }

  imported(): Fields {
    return { ...this.transaction(), import_id: `import ${this.number() % 6}` };
  }

  /** All with the same account and amount, so that imports can be matched to other rows and to earlier entries. */
  entriesAndImports(): Fields[] {
    const account_id = this.from([...this.#ledger.state.accounts.keys()].slice(0, 2));
    return [1, 2, 3, 4].map((nth) => ({
      account_id,
      date: this.#date(),
      amount: AMOUNTS[0],
      ...this.#payee(account_id),
      ...(this.happens(2) && { category_id: this.categoryId() }),
      ...(nth > 2 && { import_id: `import ${this.number() % 6}` }),
    }));
  }

  /** Some of the fields of a transaction. The other fields stay. */
  change(): Fields {
    const account_id = this.#accountId();
    const isSplit = this.happens(6);
    const legs = isSplit ? [this.#leg(account_id), this.#leg(account_id)] : [];
    return {
      ...(this.happens(3) && { account_id }),
      ...(this.happens(3) && { date: this.#date() }),
      ...(this.happens(2) && { amount: this.from(AMOUNTS) }),
      ...(this.happens(3) && this.#payee(isSplit ? undefined : account_id)),
      ...(this.happens(4) && { payee_id: null }),
      ...(this.happens(3) && { category_id: this.happens(4) ? null : this.categoryId() }),
      ...(isSplit && {
        amount: legs.reduce((sum, leg) => sum + leg.amount, 0),
        subtransactions: legs,
      }),
      memo: `memo ${this.number()}`,
    };
  }

  transactionId(): string {
    return this.#recent().id;
  }

  identified(): Fields {
    const { id, import_id } = this.#recent();
    return import_id !== null && this.happens(2) ? { import_id } : { id };
  }

  categoryId(): string {
    return this.from([...this.#ledger.state.categories.keys()]);
  }

  #recent() {
    return this.from([...this.#ledger.state.transactions.values()].slice(-8));
  }

  #leg(accountId: string) {
    return {
      amount: this.from(AMOUNTS),
      ...this.#payee(accountId),
      ...(this.happens(2) && { category_id: this.categoryId() }),
    };
  }

  /** Every other payee is the transfer payee of another account. Without `accountId` none is. */
  #payee(accountId: string | undefined): Fields {
    const payees = [...this.#ledger.state.payees.values()];
    const others = payees.filter(
      ({ transfer_account_id: target }) =>
        target !== null && target !== accountId && !this.#ledger.account(target)?.closed,
    );
    const kind = this.number() % 4;
    if (kind === 0) return {};
    if (kind === 1) return { payee_name: this.from(['Baker', 'New Payee']) };
    return accountId === undefined ? {} : { payee_id: this.from(others).id };
  }

  #accountId(): string {
    return this.from(this.#ledger.accounts().filter(({ closed }) => !closed)).id;
  }

  #date(): string {
    return addDays(this.#ledger.state.today, -this.from(DAYS_AGO));
  }
}
