/**
 * What the budgeting service has of one person, to compare answers with it. While it is not known whether a write was carried
 * out, answers with it and without it are right.
 */
import assert from 'node:assert/strict';
import { z } from 'zod';

const accountRow = z.object({ id: z.string(), name: z.string(), balance: z.int() });
const transactionRow = z.object({ id: z.string(), amount: z.int() });
const namedRow = z.object({ id: z.string(), name: z.string() });
const budgetRows = z.object({
  budget: z.object({
    accounts: z.array(accountRow),
    categories: z.array(namedRow),
    payees: z.array(namedRow),
    transactions: z.array(transactionRow),
  }),
});
const writtenRows = z.object({
  transactions: z.array(z.object({ amount: z.int(), payee_name: z.string().nullable() })),
});

const accountsAnswer = z.object({ accounts: z.array(accountRow.extend({ balance: z.number() })) });
const transactionsAnswer = z.object({ transactions: z.array(transactionRow.extend({ amount: z.number() })) });
const writtenRow = z.object({ amount: z.number(), account_name: z.string(), payee_name: z.string() });
/** A single transaction comes alone. */
const writtenAnswer = z.object({
  transaction: writtenRow.optional(),
  transactions: z.array(writtenRow).optional(),
});
const payeesAnswer = z.object({ payees: z.array(namedRow) });
const categoriesAnswer = z.object({
  category_groups: z.array(z.object({ categories: z.array(namedRow) })),
});
const usersAnswer = z.object({ user: z.object({ id: z.string() }) });

/** The account and the payee of all writes. */
export const WRITTEN = { account: 'Checking', payee: 'Soak lantern' } as const;

type Outcome = 'unknown' | 'done' | 'failed';

/** Reads from the service, by a path such as `/budgets`. */
type Get = (path: string) => Promise<unknown>;

export class OwnRows {
  readonly #userId: string;
  readonly #budgetId: string;
  readonly #accounts: Map<string, z.output<typeof accountRow>>;
  readonly #categories: Map<string, string>;
  readonly #payees: Map<string, string>;
  readonly #transactions: Map<string, number>;
  readonly #sum: number;
  /** The writes since, by their amounts in milliunits. */
  readonly #writes = new Map<number, Outcome>();
  /** What has happened with each of them, for the message of a failure. */
  readonly #histories = new Map<number, readonly string[]>();

  private constructor(ids: OwnIds, { budget }: z.output<typeof budgetRows>) {
    this.#userId = ids.userId;
    this.#budgetId = ids.budgetId;
    this.#accounts = new Map(budget.accounts.map((account) => [account.id, account]));
    this.#categories = namesOf(budget.categories);
    this.#payees = namesOf(budget.payees);
    this.#transactions = new Map(budget.transactions.map(({ id, amount }) => [id, amount]));
    this.#sum = budget.transactions.reduce((sum, { amount }) => sum + amount, 0);
  }

  static async read(get: Get, ids: OwnIds): Promise<OwnRows> {
    return new OwnRows(ids, budgetRows.parse(await get(`/budgets/${ids.budgetId}`)));
  }

  /** What is known about the write of this amount, in milliunits. What is certain does not change. */
  note(amount: number, outcome: Outcome, event: string = outcome): void {
    const at = new Date().toISOString().slice(14, -1);
    this.#histories.set(amount, [...(this.#histories.get(amount) ?? []), `${at} ${event}`]);
    if ((this.#writes.get(amount) ?? 'unknown') === 'unknown') this.#writes.set(amount, outcome);
  }

  /** How many writes there were. */
  get written(): number {
    return this.#writes.size;
  }

  /** The amounts of the writes of which this is known. */
  with(outcome: Outcome): number[] {
    return [...this.#writes].flatMap(([amount, each]) => (each === outcome ? [amount] : []));
  }

  checkUser(structured: unknown): void {
    assert.equal(usersAnswer.parse(structured).user.id, this.#userId);
  }

  checkAccounts(structured: unknown): void {
    const { accounts } = accountsAnswer.parse(structured);
    const rows = [...this.#accounts.values()];
    assert.deepEqual(
      accounts.map(({ id, name }) => `${id} ${name}`).toSorted(),
      rows.map(({ id, name }) => `${id} ${name}`).toSorted(),
    );
    for (const { id, name, balance } of accounts) {
      const before = this.#accounts.get(id)?.balance ?? 0;
      if (name === WRITTEN.account) this.#checkWithWrites(milliunits(balance), before, name);
      else assert.equal(milliunits(balance), before, name);
    }
  }

  checkTransactions(structured: unknown, text: string): void {
    const { transactions } = transactionsAnswer.parse(structured);
    assert.ok(transactions.length > 0);
    for (const { id, amount } of transactions) {
      const own = this.#transactions.get(id);
      const outcome = this.#writes.get(milliunits(amount)) ?? 'failed';
      const isOwn = own === undefined ? outcome !== 'failed' : own === milliunits(amount);
      assert.ok(isOwn, `${id} with ${amount} is not a transaction of this person`);
    }
    const sum = Number(/· sum (-?[\d.]+)/.exec(text)?.[1]);
    this.#checkWithWrites(milliunits(sum), this.#sum, 'sum');
  }

  checkWritten(structured: unknown, amount: number): void {
    const { transaction, transactions = [] } = writtenAnswer.parse(structured);
    const rows = transaction ? [transaction] : transactions;
    const written = rows.map((each) => [milliunits(each.amount), each.account_name, each.payee_name]);
    assert.deepEqual(written, [[amount, WRITTEN.account, WRITTEN.payee]]);
  }

  checkPayees(structured: unknown): void {
    const { payees } = payeesAnswer.parse(structured);
    assert.ok(payees.length > 0);
    for (const { id, name } of payees)
      assert.ok(
        this.#payees.get(id) === name || name === WRITTEN.payee,
        `${id} ${name} is not a payee of this person`,
      );
  }

  checkCategories(structured: unknown): void {
    const all = categoriesAnswer.parse(structured).category_groups.flatMap(({ categories }) => categories);
    assert.ok(all.length > 0);
    for (const { id, name } of all)
      assert.equal(this.#categories.get(id), name, `${id} ${name} is not a category of this person`);
  }

  /** The service has each write that was carried out once, and no other ones. */
  async checkService(get: Get): Promise<void> {
    const { transactions } = writtenRows.parse(await get(`/budgets/${this.#budgetId}/transactions`));
    const amounts = transactions.flatMap(({ payee_name, amount }) =>
      payee_name === WRITTEN.payee ? [amount] : [],
    );
    const twice = amounts.filter((amount, nth) => amounts.indexOf(amount) !== nth);
    const lost = this.with('done').filter((amount) => !amounts.includes(amount));
    const unexpected = amounts.filter((amount) => (this.#writes.get(amount) ?? 'failed') === 'failed');
    const wrong = [
      ...twice.map((amount) => `carried out more than once: ${this.#historyOf(amount)}`),
      ...lost.map((amount) => `reported as done, and not there: ${this.#historyOf(amount)}`),
      ...unexpected.map((amount) => `not reported as done, and there: ${this.#historyOf(amount)}`),
    ];
    assert.equal(wrong.join('\n'), '');
  }

  #historyOf(amount: number): string {
    return `${amount} (${this.#histories.get(amount)?.join(', ') ?? 'no such write'})`;
  }

  /** `value` is `before` with all writes that are done, and with any of those that are unknown. */
  #checkWithWrites(value: number, before: number, what: string): void {
    const certain = this.with('done').reduce((sum, amount) => sum + amount, before);
    const right = [certain];
    for (const amount of this.with('unknown')) right.push(...right.map((sum) => sum + amount));
    assert.ok(right.includes(value), `${what}: ${value} is not ${right.join(' or ')}`);
  }
}

interface OwnIds {
  readonly userId: string;
  readonly budgetId: string;
}

const namesOf = (rows: readonly z.output<typeof namedRow>[]) =>
  new Map(rows.map(({ id, name }) => [id, name]));
const milliunits = (amount: number) => Math.round(amount * 1_000);
