/** The contents of a budget, read from the service itself without a client, step by step. */
import { z } from 'zod';

const row = z.looseObject({ id: z.string(), deleted: z.boolean() });
const named = row.extend({ name: z.string() });
const transaction = row.extend({
  account_id: z.string(),
  payee_id: z.string().nullable(),
  import_id: z.string().nullable(),
  transfer_transaction_id: z.string().nullable(),
});
const leg = row.extend({ transaction_id: z.string() });
const month = z.object({ month: z.string(), categories: z.array(row) });

const budget = z.object({
  accounts: z.array(named),
  payees: z.array(named),
  categories: z.array(named),
  months: z.array(month),
  transactions: z.array(transaction),
  subtransactions: z.array(leg),
  scheduled_transactions: z.array(row),
});
const exported = z.object({ data: z.object({ server_knowledge: z.int(), budget }) });

export type Row = z.output<typeof row>;
export type Transaction = z.output<typeof transaction>;

/** The entities by id, in the order of their first appearance. An unchanged row stays the same object. */
export interface Books {
  readonly accounts: ReadonlyMap<string, z.output<typeof named>>;
  readonly payees: ReadonlyMap<string, z.output<typeof named>>;
  readonly categories: ReadonlyMap<string, Row>;
  readonly transactions: ReadonlyMap<string, Transaction>;
  readonly legs: ReadonlyMap<string, z.output<typeof leg>>;
  readonly scheduled: ReadonlyMap<string, Row>;
  /** By month and category, `2026-11-01 <id>`. */
  readonly budgeted: ReadonlyMap<string, Row>;
}

function booksOf(delta: z.output<typeof budget>, before?: Books): Books {
  return {
    accounts: merged(before?.accounts, delta.accounts),
    payees: merged(before?.payees, delta.payees),
    categories: merged(before?.categories, delta.categories),
    transactions: merged(before?.transactions, delta.transactions),
    legs: merged(before?.legs, delta.subtransactions),
    scheduled: merged(before?.scheduled, delta.scheduled_transactions),
    budgeted: merged(
      before?.budgeted,
      delta.months.flatMap(({ month, categories }) =>
        categories.map((category) => ({ ...category, id: `${month} ${category.id}` })),
      ),
    ),
  };
}

function merged<Kind extends Row>(before: ReadonlyMap<string, Kind> = new Map(), delta: readonly Kind[]) {
  const rows = new Map(before);
  for (const each of delta)
    if (each.deleted) rows.delete(each.id);
    else rows.set(each.id, each);
  return rows;
}

export class Witness {
  readonly #url: string;
  readonly #token: string;
  #knowledge = 0;
  #books: Books | undefined;

  constructor(budgetUrl: string, token: string) {
    this.#url = budgetUrl;
    this.#token = token;
  }

  /** The budget now: its state at the last call, with the changes since. */
  async look(): Promise<Books> {
    if (!this.#books) return this.lookAnew();
    const { budget, server_knowledge } = await this.#ask(`?last_knowledge_of_server=${this.#knowledge}`);
    this.#knowledge = server_knowledge;
    this.#books = booksOf(budget, this.#books);
    return this.#books;
  }

  /** The same, loaded as a whole. */
  async lookAnew(): Promise<Books> {
    const { budget, server_knowledge } = await this.#ask('');
    this.#knowledge = server_knowledge;
    this.#books = booksOf(budget);
    return this.#books;
  }

  async #ask(query: string) {
    const headers = { authorization: `Bearer ${this.#token}`, 'accept-encoding': 'identity' };
    const response = await fetch(this.#url + query, { headers });
    return exported.parse(await response.json()).data;
  }
}
