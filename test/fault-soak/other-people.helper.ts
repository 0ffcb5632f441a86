/** Changes that other people make to the budget without the client: they create, change and budget. */
import type { Random } from '../../src/service/demo-data/random.ts';
import { setBudgeted } from '../../src/service/ledger/categories.ts';
import { addTransaction, updateTransaction } from '../../src/service/ledger/transactions.ts';
import type { LedgerState } from '../../src/service/ledger.ts';
import type { Choices } from './choices.helper.ts';
import type { LeadingLedger } from './ledgers.helper.ts';

/** Every copy of the ledger carries this out again, so all choices are made before. */
type Change = (books: LedgerState) => unknown;

export class OtherPeople {
  readonly #random: Random;
  readonly #choices: Choices;
  readonly #ledger: LeadingLedger;
  #count = 0;

  constructor(random: Random, choices: Choices, ledger: LeadingLedger) {
    this.#random = random;
    this.#choices = choices;
    this.#ledger = ledger;
  }

  act(): void {
    this.#count += 1;
    const memo = `else ${this.#count}`;
    const { account_id, date, amount } = this.#choices.row(memo);
    const [target] = this.#choices.targets('transaction', 1);
    const [category, budgeted] = [this.#choices.ownCategory(), 10 * this.#count + 1];
    const kinds: readonly [Change, ...Change[]] = [
      (books) => addTransaction(books, { account_id, date, amount, memo }),
      (books) => updateTransaction(books, target?.id ?? '', { flag_color: 'green' }),
      (books) => setBudgeted(books, category, books.currentMonth, budgeted),
    ];
    this.#ledger.commit(this.#random.pick(kinds));
  }
}
