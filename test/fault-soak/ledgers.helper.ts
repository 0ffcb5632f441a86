/** The budget of the soak, and copies of it that lag: each carries out every change some seconds later. */
import type { Clock } from '../../src/base/clock.ts';
import { dateOf } from '../../src/base/clock.ts';
import { createAccount } from '../../src/service/ledger/accounts.ts';
import { createCategory, createCategoryGroup, setBudgeted } from '../../src/service/ledger/categories.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import { Ledger, type LedgerOptions, type LedgerState } from '../../src/service/ledger.ts';

interface Change {
  readonly at: number;
  readonly carryOut: (copy: LaggingLedger) => void;
}

/** The ledger that is written to. It records its changes for the copies. */
export class LeadingLedger extends Ledger {
  readonly changes: Change[] = [];
  /** Called after each change. */
  onChange = () => {};
  readonly #clock: Clock;
  #isPassingTime = false;

  constructor(clock: Clock) {
    super(optionsAt(clock.now()));
    this.#clock = clock;
  }

  override commit<Result>(change: (books: LedgerState) => Result): Result {
    // The first commit is that of the base class's constructor, which every copy does itself.
    if (!this.changes) return super.commit(change);
    if (!this.#isPassingTime)
      this.changes.push({ at: this.#clock.now(), carryOut: (copy) => copy.repeat(change) });
    const result = super.commit(change);
    this.onChange();
    return result;
  }

  override advanceTo(now: number): void {
    if (dateOf(now) <= this.state.today) {
      super.advanceTo(now);
      return;
    }
    this.changes.push({ at: this.#clock.now(), carryOut: (copy) => copy.passTime(now) });
    this.#isPassingTime = true;
    super.advanceTo(now);
    this.#isPassingTime = false;
  }
}

/** A copy that lags. Equal changes in equal order give equal ids, so it is the same budget. */
export class LaggingLedger extends Ledger {
  readonly #leading: LeadingLedger;
  readonly #lagMs: number;
  #carriedOut = 0;

  constructor(leading: LeadingLedger, startedAt: number, lagMs: number) {
    super(optionsAt(startedAt));
    this.#leading = leading;
    this.#lagMs = lagMs;
    this.#catchUp(Number.POSITIVE_INFINITY);
  }

  /** The service calls this before each request. */
  override advanceTo(now: number): void {
    this.#catchUp(now - this.#lagMs);
  }

  /** A change that was refused there is refused here too, and uses the same ids. */
  repeat(change: (books: LedgerState) => unknown): void {
    try {
      this.commit(change);
    } catch {}
  }

  passTime(now: number): void {
    super.advanceTo(now);
  }

  #catchUp(until: number): void {
    for (;;) {
      const change = this.#leading.changes[this.#carriedOut];
      if (!change || change.at > until) return;
      this.#carriedOut += 1;
      change.carryOut(this);
    }
  }
}

function optionsAt(now: number): LedgerOptions {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
  return {
    id: newId(),
    name: 'Soak',
    now,
    currency_format: {
      iso_code: 'EUR',
      example_format: '123.456,78',
      decimal_digits: 2,
      decimal_separator: ',',
      symbol_first: false,
      group_separator: '.',
      currency_symbol: '€',
      display_symbol: true,
    },
    date_format: 'DD.MM.YYYY',
    newId,
  };
}

export const LINKED_ACCOUNT = 'Checking';

/** Accounts of each kind, some categories and payees, and a few first entries. */
export function furnish(ledger: LeadingLedger): void {
  ledger.commit((books) => {
    const checking = createAccount(books, {
      name: LINKED_ACCOUNT,
      type: 'checking',
      balance: 900_000,
      direct_import_linked: true,
    });
    for (const name of ['Savings', 'Wallet', 'Purse'])
      createAccount(books, { name, type: 'cash', balance: 70_000 });
    createAccount(books, { name: 'Card', type: 'creditCard', balance: -50_000 });
    createAccount(books, { name: 'House', type: 'otherAsset', balance: 9_000_000 });
    const group = createCategoryGroup(books, 'Daily');
    const categories = ['Food', 'Fun', 'Travel'].map((name) =>
      createCategory(books, { group_id: group.id, name }),
    );
    for (const { id } of categories) setBudgeted(books, id, books.currentMonth, 200_000);
    const shops = ['Baker', 'Butcher', 'Bookshop', 'Garage'].map((name) => createPayee(books, name));
    for (const [at, { id }] of shops.entries())
      addTransaction(books, {
        account_id: checking.id,
        date: books.today,
        amount: -1_000 * (at + 1),
        payee_id: id,
        category_id: categories[0]?.id ?? null,
        memo: `first ${at}`,
      });
  });
}
