/**
 * Random calls of every tool that writes, with arguments as people and models send them: right ones, and those that the
 * service refuses for a reason of its own.
 */
import fc from 'fast-check';
import { addDays, addMonths, addYears } from '../../../src/service/ledger/calendar.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { UNKNOWN } from '../../service/writes/writing.helper.ts';
import { Picks } from './picks.helper.ts';

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Choices as numbers. Each is taken modulo the number of possible values. */
export interface AnyWrite {
  readonly tool: keyof typeof TOOLS;
  readonly picks: readonly number[];
}

type Fields = Readonly<Record<string, unknown>>;

const TOOLS = {
  create_transactions: (pick: Choices) => ({
    transactions: pick.rows([1, 1, 1, 2, 3], () => pick.transaction()),
  }),
  update_transactions: (pick: Choices) => ({
    transactions: pick.rows([1, 2, 3], () => ({ ...pick.identified(), ...pick.change() })),
  }),
  update_transaction: (pick: Choices) => ({ transaction_id: pick.transactionId(), ...pick.change() }),
  delete_transaction: (pick: Choices) => ({ transaction_id: pick.transactionId() }),
  import_transactions: () => ({}),
  create_scheduled_transaction: (pick: Choices) => pick.scheduled(),
  update_scheduled_transaction: (pick: Choices) => ({
    scheduled_transaction_id: pick.scheduledId(),
    ...pick.scheduled(),
  }),
  delete_scheduled_transaction: (pick: Choices) => ({ scheduled_transaction_id: pick.scheduledId() }),
  create_account: (pick: Choices) => ({
    name: pick.name(),
    type: pick.from(['checking', 'cash', 'creditCard', 'otherAsset', 'mortgage']),
    balance: pick.amount(),
  }),
  create_category: (pick: Choices) => ({
    category_group_id: pick.groupId(),
    name: pick.name(),
    ...pick.goal(),
  }),
  update_category: (pick: Choices) => ({
    category_id: pick.categoryId(),
    ...pick.sometimes(3, () => ({ name: pick.name() })),
    ...pick.sometimes(4, () => ({ note: 'x' })),
    ...pick.sometimes(3, () => ({ category_group_id: pick.groupId() })),
    ...pick.goal(),
  }),
  create_category_group: (pick: Choices) => ({ name: pick.name() }),
  update_category_group: (pick: Choices) => ({ category_group_id: pick.groupId(), name: pick.name() }),
  update_month_category: (pick: Choices) => ({
    month: pick.month(),
    category_id: pick.categoryId(),
    budgeted: pick.amount(),
  }),
  move_budgeted: (pick: Choices) => ({
    from: pick.from(['Ready to Assign', 'Ready to Assign', pick.categoryId()]),
    to: pick.from(['Ready to Assign', pick.categoryId(), pick.categoryId()]),
    ...pick.sometimes(2, () => ({ amount: pick.from([1, 7, -10]) })),
    ...pick.sometimes(6, () => ({ month: pick.month() })),
  }),
  assign_money: (pick: Choices) => ({
    ...pick.from<Fields>([
      { rule: 'cover_overspent' },
      { rule: 'fund_goals', limit: 50 },
      { amounts: [{ category: pick.categoryId(), amount: pick.from([1, 7, -10]) }] },
    ]),
    ...pick.sometimes(3, () => ({ from: pick.categoryId() })),
    ...pick.sometimes(6, () => ({ month: pick.month() })),
  }),
  create_payee: (pick: Choices) => ({ name: pick.name() }),
  update_payee: (pick: Choices) => ({ payee_id: pick.anyPayeeId(), name: pick.name() }),
  apply_reconciliation: (pick: Choices) => pick.reconciliation(),
  undo: () => ({}),
} satisfies Record<string, (pick: Choices) => Fields>;

const isTool = (name: string): name is keyof typeof TOOLS => name in TOOLS;
export const tools = Object.keys(TOOLS).filter(isTool);

/** The tools with most rules are called more often. */
const WEIGHTS: Partial<Record<keyof typeof TOOLS, number>> = {
  create_transactions: 6,
  update_transactions: 5,
  update_transaction: 6,
  update_scheduled_transaction: 3,
  create_scheduled_transaction: 2,
  update_category: 3,
};

export const anyWrite = fc.record<AnyWrite>({
  tool: fc.oneof(...tools.map((tool) => ({ weight: WEIGHTS[tool] ?? 1, arbitrary: fc.constant(tool) }))),
  picks: fc.array(fc.nat(10_000), { minLength: 60, maxLength: 60 }),
});

export const toolCall = (ledger: Ledger, { tool, picks }: AnyWrite): ToolCall => ({
  name: tool,
  args: TOOLS[tool](new Choices(ledger, picks)),
});

const AMOUNTS = [-10, -4.5, 7, 0, -10, -10, 12.345, -0.01] as const;
const NAMES = [
  'Baker',
  'Something new',
  ' ',
  ' Padded ',
  'Starting Balance',
  'manual balance adjustment of May',
  ' Reconciliation Balance Adjustment',
  'Transfer : Savings',
  'Transfer : Nowhere',
  'x'.repeat(50),
  '🏠'.repeat(50),
  'x'.repeat(51),
  'x'.repeat(201),
  'x'.repeat(501),
] as const;
const MEMOS = ['memo', 'x'.repeat(500), '🏠'.repeat(500), 'x'.repeat(501), ''] as const;

class Choices extends Picks {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, picks: readonly number[]) {
    super(picks);
    this.#ledger = ledger;
  }

  sometimes<T extends Fields>(times: number, fields: () => T): T | undefined {
    return this.happens(times) ? fields() : undefined;
  }

  rows<T>(counts: readonly number[], row: () => T): T[] {
    return Array.from({ length: this.from(counts) }, row);
  }

  transaction(): Fields {
    const split = this.happens(3) ? this.#split() : { amount: this.amount() };
    return {
      account_id: this.accountId(),
      date: this.#date(),
      ...split,
      ...this.#payee(),
      ...this.sometimes(2, () => ({ category_id: this.categoryId() })),
      ...this.sometimes(6, () => ({ memo: this.from(MEMOS) })),
      ...this.sometimes(3, () => ({ import_id: `import ${this.number() % 6}` })),
    };
  }

  /** Some of the fields of a transaction. The other fields stay, unless they are cleared. */
  change(): Fields {
    return {
      ...this.sometimes(3, () => ({ account_id: this.accountId() })),
      ...this.sometimes(3, () => ({ date: this.#date() })),
      ...this.sometimes(3, () => ({ amount: this.amount() })),
      ...this.sometimes(4, () => this.#split()),
      ...this.sometimes(6, () => ({ subtransactions: this.#split().subtransactions })),
      ...this.sometimes(3, () => this.#payee()),
      ...this.sometimes(3, () => ({ category_id: this.categoryId() })),
      ...this.sometimes(12, () => ({ clear: [this.from(['payee', 'category', 'memo'])] })),
      ...this.sometimes(2, () => ({ memo: this.from(MEMOS) })),
    };
  }

  identified(): Fields {
    const imported = [...this.#ledger.state.transactions.values()].flatMap(
      ({ import_id }) => import_id ?? [],
    );
    if (this.happens(4)) return { import_id: this.from([...imported, 'import 99']) };
    return { id: this.transactionId() };
  }

  scheduled(): Fields {
    return {
      account_id: this.accountId(),
      date: this.#plannedDate(),
      ...this.sometimes(2, () => ({ amount: this.amount() })),
      ...this.#payee(),
      ...this.sometimes(2, () => ({ category_id: this.categoryId() })),
      ...this.sometimes(8, () => ({ memo: this.from(MEMOS) })),
      ...this.sometimes(2, () => ({
        frequency: this.from(['never', 'twiceAMonth', 'every4Months', 'everyOtherYear', 'fortnightly']),
      })),
    };
  }

  goal(): Fields {
    const today = this.#ledger.state.today;
    return {
      ...this.sometimes(3, () => ({ goal_target: this.amount() })),
      ...this.sometimes(8, () => ({ clear: ['goal_target'] })),
      ...this.sometimes(4, () => ({
        goal_target_date: this.from(['2026-12-31', addYears(today, 1), addYears(today, -1)]),
      })),
      ...this.sometimes(4, () => ({ goal_needs_whole_amount: this.happens(2) })),
    };
  }

  name(): string {
    const { groups, payees, categories } = this.#ledger.state;
    const existing = [...groups.values(), ...payees.values(), ...categories.values()];
    return this.happens(2) ? this.from(NAMES) : this.from(existing).name;
  }

  amount(): number {
    return this.from(AMOUNTS);
  }

  /** Mostly with the cleared balance that the account has. */
  reconciliation(): Fields {
    const { id, cleared_balance } = this.from(this.#ledger.accounts());
    return {
      account: id,
      balance: cleared_balance / 1_000 + this.from([0, 0, 1]),
      ...this.sometimes(3, () => ({ transactions: [this.transactionId()] })),
    };
  }

  month(): string {
    const { currentMonth, firstMonth } = this.#ledger.state;
    const months = [-13, -1, 0, 0, 1, 11, 12, 13, 60].map((months) => addMonths(currentMonth, months));
    return this.from(['current', firstMonth, addMonths(firstMonth, -1), ...months]);
  }

  accountId(): string {
    return this.#existing(this.#ledger.state.accounts.keys());
  }
  categoryId(): string {
    return this.#existing(this.#ledger.state.categories.keys());
  }
  groupId(): string {
    return this.#existing(this.#ledger.state.groups.keys());
  }
  /** With those that were deleted. */
  anyPayeeId(): string {
    return this.#existing(this.#ledger.payees(0).map(({ id }) => id));
  }
  transactionId(): string {
    const deleted = this.#ledger.transactions(undefined, { since: 0 }).filter((each) => each.deleted);
    const others = [...this.#ledger.state.transactions.keys()];
    return this.#existing(this.happens(12) ? [...deleted.map(({ id }) => id), UNKNOWN] : others);
  }
  scheduledId(): string {
    return this.#existing(this.#ledger.state.scheduled.keys());
  }

  /** Rarely an id that does not exist. */
  #existing(ids: Iterable<string>): string {
    const all = [...ids];
    return all.length === 0 || this.happens(25) ? UNKNOWN : this.from(all);
  }

  #split() {
    const legs = this.rows([1, 2, 2, 3], () => ({
      amount: this.from(AMOUNTS.slice(0, 4)),
      ...this.sometimes(2, () => this.#payee()),
      ...this.sometimes(2, () => ({ category_id: this.categoryId() })),
      ...this.sometimes(20, () => ({ memo: this.from(MEMOS) })),
    }));
    const sum = legs.reduce((total, { amount }) => total + amount, 0);
    return { amount: this.happens(4) ? sum - 1 : sum, subtransactions: legs };
  }

  #payee(): Fields {
    const kind = this.number() % 5;
    if (kind === 0) return { payee_name: this.from(NAMES.filter((name) => name.trim() !== '')) };
    if (kind > 3) return {};
    const payees = this.#ledger.payees(0);
    const transfers = payees.filter(({ transfer_account_id }) => transfer_account_id !== null);
    return { payee_id: this.#existing((kind === 1 ? payees : transfers).map(({ id }) => id)) };
  }

  #date(): string {
    const { today, transactions } = this.#ledger.state;
    const days = [0, 0, -1, -3, -7, -25, -45, 1, 2].map((days) => addDays(today, days));
    const limit = addYears(today, -5);
    const earlier = this.from([...transactions.values()]).date;
    return this.from([...days, limit, addDays(limit, -1), earlier, earlier, earlier]);
  }

  #plannedDate(): string {
    const { today, scheduled } = this.#ledger.state;
    const days = [0, 1, 9, 100, -1].map((days) => addDays(today, days));
    const limit = addYears(today, 5);
    return this.from([
      ...days,
      limit,
      addDays(limit, 1),
      ...[...scheduled.values()].map((each) => each.date_next),
    ]);
  }
}
