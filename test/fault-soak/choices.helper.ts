/** Random choices from the current budget for the writes of the soak. */
import { PAYMENT_GROUP } from '../../src/schema/category.ts';
import type { Random } from '../../src/service/demo-data/random.ts';
import { addDays } from '../../src/service/ledger/calendar.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import type { History, Kind, Row } from './history.helper.ts';

export const AMOUNTS = [-4_500, -12_300, 20_000] as const;

export class Choices {
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #deleted = new Set<string>();

  constructor(random: Random, ledger: Ledger, history: History) {
    this.#random = random;
    this.#ledger = ledger;
    this.#history = history;
  }

  get today(): string {
    return this.#ledger.state.today;
  }

  /** A new transaction: a payment, a transfer, or a split. */
  row(memo: string) {
    const random = this.#random;
    const { id: account_id } = this.account();
    const amount = random.pick(AMOUNTS);
    const row = { account_id, date: addDays(this.today, -random.integer(0, 2)), amount, memo };
    const transfer = { payee_id: this.transferPayee(account_id) };
    const kinds = [
      () => ({ payee_name: random.pick(['Baker', 'BAKER ', 'Café', 'Cafe\u0301']) }),
      () => ({ category_id: this.ownCategory() }),
      () => ({ category_id: this.category() }),
      () => transfer,
      () => ({ subtransactions: [{ amount: amount - 1_000, ...transfer }, { amount: 1_000 }] }),
      () => ({}),
    ] as const;
    return { ...row, ...random.pick(kinds)() };
  }

  /** A new scheduled transaction. */
  planned(memo: string) {
    const random = this.#random;
    return {
      account_id: this.account().id,
      date: addDays(this.today, random.integer(20, 40)),
      amount: random.pick(AMOUNTS),
      memo,
      frequency: random.pick(['monthly', 'never']),
    };
  }

  /** Excludes an entity from later choices, so that nothing is deleted twice or changed after it was deleted. */
  markDeleted(id: string): void {
    this.#deleted.add(id);
  }

  /** Different existing ones. */
  targets(kind: Kind, most: number): Row[] {
    const rows = this.#history.current(kind).filter(({ id }) => !this.#deleted.has(id));
    const picked = Array.from({ length: most }, () => rows[this.#random.integer(0, rows.length - 1)]);
    return [...new Set(picked.filter((row) => row !== undefined))];
  }

  account(): Row {
    return this.#of(this.#history.current('account'));
  }

  transferPayee(accountId: string): string {
    const others = this.#history.current('account').filter(({ id }) => id !== accountId);
    return String(this.#of(others)['transfer_payee_id']);
  }

  /** Any category, including those for credit card payments, which transactions ignore. */
  category(): string {
    return this.#of(this.#history.current('category')).id;
  }

  paymentCategory(): string {
    const rows = this.#history.current('category');
    return this.#of(rows.filter((row) => row['category_group_name'] === PAYMENT_GROUP)).id;
  }

  ownCategory(): string {
    const names: readonly unknown[] = ['Food', 'Fun', 'Travel'];
    return this.#of(this.#history.current('category').filter(({ name }) => names.includes(name))).id;
  }

  #of(rows: readonly Row[]): Row {
    const row = rows[this.#random.integer(0, rows.length - 1)];
    if (!row) throw new Error('There is nothing to choose from.');
    return row;
  }
}
