/** A scripted service: it records what it receives, and responds or fails step by step as its script says. */
import type { z } from 'zod';
import { BudgetError, type ErrorCode } from '../../src/base/errors.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { RequestOptions } from '../../src/session/http/requests.ts';
import type { ServicePort } from '../../src/session/writes/lost-write.ts';

type Input = Readonly<Record<string, unknown>>;
type Entry = Input & { readonly id: string };

/** What happens to a write: whether it is carried out, and then its response or failure. */
export interface Turn {
  readonly isWritten: boolean;
  readonly failure?: ErrorCode;
  /** The request was delivered twice. The response is that to the second delivery, which had nothing to do. */
  readonly echo?: boolean;
  /** What happens before it is sent. */
  readonly before?: () => void;
  /** What happens while the request is in progress. */
  readonly meanwhile?: () => void | Promise<void>;
}

export const answered: Turn = { isWritten: true };
export const lost = (failure: ErrorCode = 'connection_lost'): Turn => ({ isWritten: true, failure });
export const failed = (failure: ErrorCode = 'connection_lost'): Turn => ({ isWritten: false, failure });

const OPEN = {
  memo: null,
  cleared: 'uncleared',
  approved: false,
  flag_color: null,
  payee_id: null,
  payee_name: null,
  category_id: null,
  account_name: 'Wallet',
  frequency: 'never',
  subtransactions: [],
  deleted: false,
};

export class ScriptedService implements ServicePort {
  readonly #script: Turn[];
  #knowledge = 100;
  #rows: { readonly entry: Entry; readonly at: number }[] = [];
  readonly sent: Input[] = [];
  /** The reads, with the knowledge that each started from. */
  readonly reads: {
    readonly name: string;
    readonly since: number | undefined;
    readonly timeoutMs: number | undefined;
    readonly input: Input;
  }[] = [];
  /** The failures of the next reads, or errors that only a bug could cause. Reads without an entry succeed. */
  readonly readFailures: (ErrorCode | TypeError | undefined)[] = [];
  /** The knowledge of the copies that answer the next reads. Reads without an entry get the newest state. */
  readonly copies: (number | undefined)[] = [];

  constructor(...script: Turn[]) {
    this.#script = script;
  }

  get knowledge(): number {
    return this.#knowledge;
  }

  get entries(): readonly Entry[] {
    return this.#rows.map(({ entry }) => entry).filter(({ deleted }) => !deleted);
  }

  /** A write of another person. */
  put(entry: Input): Entry {
    this.#knowledge += 1;
    const whole = { id: `t-${this.#knowledge}`, ...OPEN, ...entry };
    this.#rows = [
      ...this.#rows.filter((row) => row.entry.id !== whole.id),
      { entry: whole, at: this.#knowledge },
    ];
    return whole;
  }

  async send<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    { beforeSending }: RequestOptions = {},
  ) {
    const turn = this.#script.shift() ?? answered;
    turn.before?.();
    await beforeSending?.();
    this.sent.push(input);
    const data = turn.isWritten ? this.#write(input) : {};
    await turn.meanwhile?.();
    if (turn.echo) {
      const none = { transaction_ids: [], transactions: [], duplicate_import_ids: [] };
      return operation.output.parse({ ...none, server_knowledge: this.#knowledge });
    }
    if (turn.failure) throw new BudgetError(turn.failure, `It failed: ${turn.failure}.`);
    return operation.output.parse(data);
  }

  async read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    { since, timeoutMs }: RequestOptions = {},
  ) {
    this.reads.push({ name: operation.name, since, timeoutMs, input });
    const failure = this.readFailures.shift();
    if (failure instanceof TypeError) throw failure;
    if (failure) throw new BudgetError(failure, `It failed: ${failure}.`);
    const server_knowledge = this.copies.shift() ?? this.#knowledge;
    const rows = this.#rows.filter(({ at }) => at <= server_knowledge);
    const { transaction_id } = input;
    if (transaction_id !== undefined) {
      const transaction = rows.find(({ entry }) => entry.id === transaction_id && !entry['deleted'])?.entry;
      if (!transaction) throw new BudgetError('resource_not_found', 'It is not there.');
      return operation.output.parse({ transaction, server_knowledge });
    }
    const changed = rows
      .filter(({ at, entry }) => (since === undefined ? !entry['deleted'] : at > since))
      .map(({ entry }) => entry);
    const [scheduled_transactions, transactions] = [true, false].map((is) =>
      changed.filter((entry) => is === 'date_next' in entry),
    );
    const lists = { accounts: [], transactions, scheduled_transactions };
    const budget = { id: 'b', name: 'Home', ...lists };
    return operation.output.parse({ ...lists, budget, server_knowledge });
  }

  #write(input: Input): Input {
    const { transactions, transaction_id, date, ...rest } = input;
    if (transaction_id) {
      const entry = this.entries.find(({ id }) => id === transaction_id);
      return { transaction: this.put({ ...entry, deleted: true }), server_knowledge: this.#knowledge };
    }
    if (!Array.isArray(transactions))
      return { scheduled_transaction: this.put({ ...rest, date_first: date, date_next: date }) };
    const rows = transactions.map((row: Input) => this.put(row));
    const one = rows.length === 1 ? { transaction: rows[0] } : { transactions: rows };
    return { ...one, transaction_ids: rows.map(({ id }) => id), server_knowledge: this.#knowledge };
  }
}
