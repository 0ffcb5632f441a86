/** Random writes. Each can be recognised in the ledger's history. */
import {
  createCategory,
  createCategoryGroup,
  updateCategory,
  updateCategoryGroup,
  updateMonthCategory,
} from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createPayee, updatePayee } from '../../src/operations/payees.ts';
import {
  createScheduledTransaction,
  deleteScheduledTransaction,
  updateScheduledTransaction,
} from '../../src/operations/scheduled-transactions.ts';
import {
  createTransactions,
  deleteTransaction,
  importTransactions,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import type { Random } from '../../src/service/demo-data/random.ts';
import { AMOUNTS, type Choices } from './choices.helper.ts';
import { type History, mark } from './history.helper.ts';
import { type LeadingLedger, LINKED_ACCOUNT } from './ledgers.helper.ts';
import type { World } from './world.helper.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface SoakWrite {
  readonly operation: Operation;
  readonly input: Fields;
  /** What the history shows of it, once for each time that it was carried out. */
  readonly marks: readonly string[];
  /** Whether a second delivery creates the entity twice. */
  readonly isRepeatable: boolean;
}

/**
 * For this long no other host imports. A late import of the bank's transactions then takes no rows of another one. All
 * imports are equal calls: within ten minutes of an undelivered one, the client returns its outcome to the next.
 */
const BETWEEN_IMPORTS_MS = 1_200_000;

export class SoakWrites {
  readonly #random: Random;
  readonly #ledger: LeadingLedger;
  readonly #history: History;
  readonly #choices: Choices;
  readonly #now: () => number;
  #count = 0;
  #nextImportAt = 0;

  constructor(
    random: Random,
    choices: Choices,
    { ledger, history, timeline }: Pick<World, 'ledger' | 'history' | 'timeline'>,
  ) {
    this.#random = random;
    this.#choices = choices;
    this.#ledger = ledger;
    this.#history = history;
    this.#now = () => timeline.world.now();
  }

  next(): SoakWrite {
    this.#count += 1;
    const kinds = [
      () => this.#creation(1),
      () => this.#creation(1),
      () => this.#creation(1),
      () => this.#creation(this.#random.integer(2, 3)),
      () => this.#imported(),
      () => this.#change(),
      () => this.#change(),
      () => this.#changes(),
      () => this.#deletion(),
      () => this.#deletion(),
      () => this.#bankImport(),
      () => this.#budgeting(),
      () => this.#naming(),
      () => this.#newCategory(),
      () => this.#newGroup(),
      () => this.#newPayee(),
      () => this.#groupName(),
      () => this.#plan(),
      () => this.#planChange(),
    ] as const;
    return this.#random.pick(kinds)();
  }

  #creation(rows: number): SoakWrite {
    const transactions = Array.from({ length: rows }, (_, nth) =>
      this.#choices.row(`w${this.#count}.${nth}`),
    );
    return {
      operation: createTransactions,
      input: { transactions },
      marks: transactions.map(({ memo, account_id }) => mark.created(memo, account_id)),
      isRepeatable: true,
    };
  }

  /** With a unique amount, so that it is not matched to anything. */
  #imported(): SoakWrite {
    const { id: account_id } = this.#choices.account();
    const row = { account_id, date: this.#choices.today, amount: -100_000 - 10 * this.#count };
    const import_id = `import ${this.#count}`;
    return {
      operation: createTransactions,
      input: { transactions: [{ ...row, import_id }] },
      marks: [mark.imported(import_id)],
      isRepeatable: false,
    };
  }

  #bankImport(): SoakWrite {
    if (this.#now() < this.#nextImportAt) return this.#creation(1);
    this.#nextImportAt = this.#now() + BETWEEN_IMPORTS_MS;
    const account_id = this.#history.current('account').find(({ name }) => name === LINKED_ACCOUNT)?.id ?? '';
    const reported = [1, 2].map((nth) => ({
      id: `bank ${this.#count}.${nth}`,
      account_id,
      date: this.#choices.today,
      amount: -500_000 - 10 * this.#count - nth,
      payee_name: 'Some shop',
      import_id: `bank ${this.#count}.${nth}`,
    }));
    // Rows of an earlier import that was never sent must not count as its own when this import creates them.
    this.#ledger.commit((books) => {
      // Rows of an earlier import that was not written would be imported together with these.
      for (const id of [...books.pending.keys()]) books.removePending(id);
      for (const each of reported) books.putPending(each);
    });
    return {
      operation: importTransactions,
      input: {},
      marks: reported.map(({ import_id }) => mark.imported(import_id)),
      isRepeatable: false,
    };
  }

  #change(): SoakWrite {
    const [target] = this.#choices.targets('transaction', 1);
    if (!target) return this.#creation(1);
    const change = this.#changed();
    return {
      operation: updateTransaction,
      input: { transaction_id: target.id, ...change },
      marks: [mark.changed('transaction', target.id, 'memo', change.memo)],
      isRepeatable: false,
    };
  }

  #changes(): SoakWrite {
    const transactions = this.#choices
      .targets('transaction', 3)
      .map(({ id }) => ({ id, ...this.#changed() }));
    if (transactions.length === 0) return this.#creation(1);
    return {
      operation: updateTransactions,
      input: { transactions },
      marks: transactions.map(({ id, memo }) => mark.changed('transaction', id, 'memo', memo)),
      isRepeatable: false,
    };
  }

  /** Some of these fields are not stored for every transaction. */
  #changed() {
    const random = this.#random;
    return {
      memo: `w${this.#count}`,
      ...(random.chance(0.3) && { flag_color: random.pick(['red', 'blue']) }),
      ...(random.chance(0.3) && { amount: random.pick(AMOUNTS) }),
      ...(random.chance(0.2) && { category_id: this.#choices.category() }),
      ...(random.chance(0.5) && { category_id: this.#choices.paymentCategory() }),
    };
  }

  #deletion(): SoakWrite {
    const [target] = this.#choices.targets('transaction', 1);
    if (!target) return this.#creation(1);
    this.#choices.markDeleted(target.id);
    const { transfer_transaction_id: side } = target;
    if (typeof side === 'string') this.#choices.markDeleted(side);
    return {
      operation: deleteTransaction,
      input: { transaction_id: target.id },
      marks: [mark.deleted(target.id)],
      isRepeatable: false,
    };
  }

  #budgeting(): SoakWrite {
    const category_id = this.#choices.ownCategory();
    const budgeted = 10 * this.#count;
    return {
      operation: updateMonthCategory,
      input: { month: 'current', category_id, budgeted },
      marks: [mark.changed('category', category_id, 'budgeted', budgeted)],
      isRepeatable: false,
    };
  }

  #naming(): SoakWrite {
    const name = `name ${this.#count}`;
    if (this.#random.chance(0.5)) {
      const category_id = this.#choices.ownCategory();
      const marks = [mark.changed('category', category_id, 'note', name)];
      return { operation: updateCategory, input: { category_id, note: name }, marks, isRepeatable: false };
    }
    const payees = this.#history
      .current('payee')
      .filter((payee) => String(payee['name']).startsWith('name '));
    const garage = this.#history.current('payee').filter((payee) => payee['name'] === 'Garage');
    const payee_id = [...payees, ...garage][0]?.id ?? '';
    const marks = [mark.changed('payee', payee_id, 'name', name)];
    return { operation: updatePayee, input: { payee_id, name }, marks, isRepeatable: false };
  }

  #newCategory(): SoakWrite {
    const name = `category ${this.#count}`;
    return {
      operation: createCategory,
      input: { category_group_id: this.#choices.group(), name },
      marks: [mark.named('category', name)],
      isRepeatable: true,
    };
  }

  #newGroup(): SoakWrite {
    const name = `group ${this.#count}`;
    return {
      operation: createCategoryGroup,
      input: { name },
      marks: [mark.named('group', name)],
      isRepeatable: true,
    };
  }

  #newPayee(): SoakWrite {
    const name = `payee ${this.#count}`;
    return {
      operation: createPayee,
      input: { name },
      marks: [mark.named('payee', name)],
      isRepeatable: true,
    };
  }

  #groupName(): SoakWrite {
    const category_group_id = this.#choices.group();
    const name = `renamed ${this.#count}`;
    const marks = [mark.changed('group', category_group_id, 'name', name)];
    return { operation: updateCategoryGroup, input: { category_group_id, name }, marks, isRepeatable: false };
  }

  #plan(): SoakWrite {
    const plan = this.#choices.planned(`w${this.#count}`);
    return {
      operation: createScheduledTransaction,
      input: plan,
      marks: [mark.created(plan.memo, plan.account_id)],
      isRepeatable: true,
    };
  }

  #planChange(): SoakWrite {
    const [target] = this.#choices.targets('scheduled', 1);
    if (!target) return this.#plan();
    const scheduled_transaction_id = target.id;
    if (this.#random.chance(0.3)) {
      this.#choices.markDeleted(target.id);
      const marks = [mark.deleted(target.id)];
      const input = { scheduled_transaction_id };
      return { operation: deleteScheduledTransaction, input, marks, isRepeatable: false };
    }
    const plan = this.#choices.planned(`w${this.#count}`);
    return {
      operation: updateScheduledTransaction,
      input: { scheduled_transaction_id, ...plan },
      marks: [mark.changed('scheduled', target.id, 'memo', plan.memo)],
      isRepeatable: false,
    };
  }
}
