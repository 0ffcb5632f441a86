/** Writes of every kind. The budget of the service shows for each one whether it was carried out. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { Random } from '../../src/service/demo-data/random.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import type { Called, Host } from '../hosts.helper.ts';

/** How much of a write was carried out, or whether it was carried out more often than once. */
export type Extent = 'none' | 'part' | 'whole' | 'too often';

export interface MarkedWrite {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Each of its requests, and no other write's, has one of these texts in its path or body. */
  readonly texts: readonly string[];
  extent(): Extent;
}

const KINDS = ['one', 'many', 'update', 'delete', 'scheduled', 'budgeted', 'move', 'undo', 'import'] as const;
export type Kind = (typeof KINDS)[number];

export class MarkedWrites {
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #used = new Set<string>();
  #kinds: Kind[] = [];
  #last = 0;

  constructor(ledger: Ledger, random: Random) {
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Each kind equally often, in a random order. */
  nextKind(other?: Kind): Kind {
    if (this.#kinds.length === 0) {
      const left: Kind[] = [...KINDS];
      while (left.length > 0) this.#kinds.push(...left.splice(this.#random.integer(0, left.length - 1), 1));
    }
    const [next = 'one'] = this.#kinds.splice(this.#kinds[0] === other ? 1 : 0, 1);
    return next;
  }

  /** `host` writes what is needed before. No other write changes the same entities. */
  async prepare(kind: Kind, host: Host): Promise<MarkedWrite> {
    this.#last += 1;
    const number = this.#last;
    const memo = `mark ${number}`;
    const cents = number / 100;
    switch (kind) {
      case 'one':
        return this.#creation([this.#row(memo, -cents)], memo);
      case 'many':
        return this.#creation(
          [1, 2, 3].map((each) => this.#row(memo, -cents - each)),
          memo,
        );
      case 'update': {
        const { id } = this.#unused();
        const extent = () => (this.#ledger.transaction(id)?.memo === memo ? 'whole' : 'none');
        return { tool: 'update_transactions', args: { transactions: [{ id, memo }] }, texts: [id], extent };
      }
      case 'delete': {
        const { id } = this.#unused();
        return {
          tool: 'delete_transaction',
          args: { transaction_id: id },
          texts: [id],
          extent: () => this.#isGone(id),
        };
      }
      case 'scheduled': {
        const args = { ...this.#row(memo, -cents), date: '2027-03-01', frequency: 'monthly' };
        const found = () => this.#ledger.scheduledTransactions().filter((each) => each.memo === memo);
        const extent = () => extentOf(found().length, 1);
        return { tool: 'create_scheduled_transaction', args, texts: [`"${memo}"`], extent };
      }
      case 'budgeted': {
        const category = this.#unusedCategory();
        const { id } = category;
        const args = { month: '2026-11-01', category_id: id, budgeted: 100 + cents };
        const wanted = 100_000 + number * 10;
        const extent = () => (this.#category(category).budgeted === wanted ? 'whole' : 'none');
        return { tool: 'update_month_category', args, texts: [id], extent };
      }
      case 'move':
        return this.#move(cents);
      case 'undo': {
        const made = await host.call('create_transactions', { transactions: [this.#row(memo, -cents)] });
        expect(made.isError, made.text).toBe(false);
        const [created = expect.unreachable()] = this.#withMemo(memo);
        const [{ id } = expect.unreachable()] = listed(await host.call('list_writes', { limit: 1 }));
        const extent = () => this.#isGone(created.id);
        return { tool: 'undo', args: { write: id }, texts: [created.id], extent };
      }
      case 'import': {
        const import_id = `YNAB:${-number * 10}:2026-11-20:1`;
        const { id: account_id } = this.#ledger.accounts().find(({ name }) => name === 'Checking') ?? {};
        if (account_id === undefined) return expect.unreachable();
        const entry = { id: import_id, account_id, date: '2026-11-20', amount: -number * 10, import_id };
        this.#ledger.commit((state) => {
          // An import takes everything that is there.
          for (const id of state.pending.keys()) state.removePending(id);
          state.putPending({ ...entry, payee_name: memo });
        });
        const found = () => this.#transactions().filter((each) => each.import_id === import_id);
        const extent = () => extentOf(found().length, 1);
        return { tool: 'import_transactions', args: {}, texts: ['/import'], extent };
      }
    }
  }

  #move(amount: number): MarkedWrite {
    const [from, to] = [this.#unusedCategory(), this.#unusedCategory()];
    const thousandths = Math.round(amount * 1_000);
    const extent = () => {
      const given = from.budgeted - this.#category(from).budgeted;
      const got = this.#category(to).budgeted - to.budgeted;
      if (![0, thousandths].includes(given) || ![0, thousandths].includes(got)) return 'too often';
      if (given !== got) return 'part';
      return given === 0 ? 'none' : 'whole';
    };
    const args = { from: from.name, to: to.name, amount };
    return { tool: 'move_budgeted', args, texts: [from.id, to.id], extent };
  }

  #creation(transactions: readonly object[], memo: string): MarkedWrite {
    const extent = () => extentOf(this.#withMemo(memo).length, transactions.length);
    return { tool: 'create_transactions', args: { transactions }, texts: [`"${memo}"`], extent };
  }

  #row(memo: string, amount: number) {
    return { account_id: 'Wallet', date: '2026-11-20', amount, memo };
  }

  #transactions() {
    return this.#ledger.transactions(undefined).filter(({ deleted }) => !deleted);
  }

  #withMemo(memo: string) {
    return this.#transactions().filter((each) => each.memo === memo);
  }

  /** A simple transaction that no other write uses. */
  #unused() {
    const found = this.#transactions().find(
      ({ id, memo, transfer_account_id, subtransactions }) =>
        !this.#used.has(id) &&
        !memo?.startsWith('mark ') &&
        transfer_account_id === null &&
        subtransactions.length === 0,
    );
    if (!found) return expect.unreachable();
    this.#used.add(found.id);
    return found;
  }

  #isGone(id: string): Extent {
    return this.#transactions().some((each) => each.id === id) ? 'none' : 'whole';
  }

  #categories() {
    return this.#ledger.categoryGroups().flatMap(({ categories }) => categories);
  }

  /** One of which money can be taken. */
  #unusedCategory() {
    const found = this.#categories().find(
      ({ id, balance, hidden, category_group_name }) =>
        !this.#used.has(id) &&
        !hidden &&
        balance > 1_000 &&
        category_group_name !== 'Credit Card Payments' &&
        category_group_name !== 'Internal Master Category',
    );
    if (!found) return expect.unreachable('There are too many writes for one budget.');
    this.#used.add(found.id);
    return found;
  }

  #category({ id }: { readonly id: string }) {
    return this.#categories().find((each) => each.id === id) ?? expect.unreachable(id);
  }
}

function extentOf(found: number, all: number): Extent {
  if (found === 0) return 'none';
  if (found > all) return 'too often';
  return found === all ? 'whole' : 'part';
}

const writeList = z.object({
  writes: z.array(z.object({ id: z.string(), at: z.string(), tool: z.string() })),
});

/** The answer of `list_writes`, newest first. */
export const listed = ({ structured }: Called) => writeList.parse(structured).writes;
