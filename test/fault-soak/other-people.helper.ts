/** Changes that other people make to the budget without the client: they create, change and budget. */
import type { Random } from '../../src/service/demo-data/random.ts';
import { assignMoney } from '../../src/service/ledger/money-movements.ts';
import { addTransaction, updateTransaction } from '../../src/service/ledger/transactions.ts';
import type { LedgerState } from '../../src/service/ledger.ts';
import type { Choices } from './choices.helper.ts';
import type { LeadingLedger } from './ledgers.helper.ts';

/** The copies cannot know when it was. */
const ORIGIN = { moved_at: '2026-11-05T08:00:00.000Z', user_id: null, group_id: null };

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
      (books) => assignMoney(books, category, books.currentMonth, budgeted, ORIGIN),
    ];
    this.#ledger.commit(this.#random.pick(kinds));
  }
}
