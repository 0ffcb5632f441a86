/**
 * Simulates creating, changing and deleting transactions, including the other sides of their transfers
 * (docs/interface.md, Transaction). It works on a copy in memory and sends no requests.
 */
import { groupBy } from '../../base/group-by.ts';
import {
  type ChartOfAccounts,
  type Entry,
  type EntryChange,
  isSplit,
  type Leg,
  legOf,
  type NewEntry,
  otherSidesOf,
  type Posting,
  partsOf,
  payeeOf,
} from './entries.ts';
import { type ReconciledMove, reconciledMoves } from './reconciled.ts';

export class SimulatedRegister {
  readonly #chart: ChartOfAccounts;
  /** Undefined for a deleted one. */
  readonly #entries: Map<string, Entry | undefined>;
  /** The entry before the first change. Undefined for a new one. */
  readonly #before = new Map<string, Entry | undefined>();
  /** By import id. */
  #imports: ReadonlyMap<string | null, readonly Entry[]> | undefined;
  #ids = 0;
  #isComplete = true;

  /** `entries` must include those to change, with the other sides of their transfers. */
  constructor(chart: ChartOfAccounts, entries: Iterable<Entry>) {
    this.#chart = chart;
    this.#entries = new Map([...entries].map((entry) => [entry.id, entry]));
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** The entries that have the import id, in any account. Not for creations: a change keeps the import id. */
  importedAs(importId: string): Entry[] {
    this.#imports ??= groupBy(
      [...this.#entries.values()].flatMap((each) => each ?? []),
      ({ import_id }) => import_id,
    );
    return (this.#imports.get(importId) ?? []).flatMap(({ id }) => this.get(id) ?? []);
  }

  /** False if the other side of a changed transfer is missing. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  create(sent: NewEntry): Entry {
    const { account_id, date, amount, subtransactions = [] } = sent;
    return this.#putWithTransfers({
      id: this.#newId(),
      account_id,
      date,
      amount,
      payee_id: payeeOf(sent) ?? null,
      category_id: sent.category_id ?? null,
      import_id: sent.import_id || null,
      cleared: sent.cleared ?? 'uncleared',
      transfer_transaction_id: null,
      subtransactions: subtransactions.map(legOf),
    });
  }

  /**
   * The fields of a change that are not ignored. An existing split keeps date, amount, category and legs. The other side
   * of a leg keeps everything but its category.
   */
  effective(before: Entry, { account_id, payee_id, payee_name, ...sent }: EntryChange): EntryChange {
    if (this.#splitOf(before)) return { category_id: sent.category_id };
    return { account_id, payee_id, payee_name, ...(!isSplit(before) && sent) };
  }

  /** Undefined if there is no such entry. */
  update(id: string, sent: EntryChange): Entry | undefined {
    const before = this.#find(id);
    if (!before) return undefined;
    const change = this.effective(before, sent);
    const { account_id = before.account_id, date = before.date, amount = before.amount } = change;
    const payee_id = payeeOf(change) === undefined ? before.payee_id : (payeeOf(change) ?? null);
    const isCategoryKept =
      change.category_id === undefined || this.#chart.isPaymentCategory(change.category_id);
    const category_id = isCategoryKept ? before.category_id : (change.category_id ?? null);
    const { cleared = before.cleared } = sent;
    const subtransactions = change.subtransactions?.map(legOf) ?? before.subtransactions;
    return this.#putWithTransfers(
      { ...before, account_id, date, amount, payee_id, category_id, cleared, subtransactions },
      before,
    );
  }

  /**
   * Also deletes the other sides of its transfers. If the entry is the other side of a leg, the leg keeps its
   * amount.
   */
  delete(id: string): void {
    const before = this.#find(id);
    if (!before) return;
    const split = this.#splitOf(before);
    if (split) {
      const subtransactions = split.subtransactions.map((leg) =>
        leg.transfer_transaction_id === id ? { ...leg, payee_id: null, transfer_transaction_id: null } : leg,
      );
      this.#put(split.id, { ...split, subtransactions });
    } else {
      for (const side of otherSidesOf(before)) this.#put(side, undefined);
    }
    this.#put(id, undefined);
  }

  /** The postings of all changes together. Removed amounts are negative. */
  postings(): Posting[] {
    return [...this.#before].flatMap(([id, before]) => {
      const after = this.#entries.get(id);
      const removed = before ? this.#chart.postingsOf(before) : [];
      return [
        ...removed.map((posting) => ({ ...posting, amount: -posting.amount })),
        ...(after ? this.#chart.postingsOf(after) : []),
      ];
    });
  }

  /** How all changes together move the reconciled balances of accounts. */
  reconciledMoves(): ReconciledMove[] {
    const before = [...this.#before.values()].flatMap((each) => each ?? []);
    const after = [...this.#before.entries()].flatMap(
      ([id, each]) => this.#entries.get(id) ?? (each ? { ...each, deleted: true } : []),
    );
    return reconciledMoves(before, after);
  }

  #find(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    if (entry && otherSidesOf(entry).some((side) => !this.#entries.get(side))) this.#isComplete = false;
    return entry;
  }

  /** Stores an entry and updates the other sides of its transfers. */
  #putWithTransfers(draft: Entry, before?: Entry): Entry {
    const entry = this.#deriveFields(draft);
    const currentSides = new Set(otherSidesOf(entry));
    for (const side of before ? otherSidesOf(before) : [])
      if (!currentSides.has(side)) this.#put(side, undefined);
    this.#put(entry.id, entry);
    if (!this.#splitOf(entry)) for (const part of partsOf(entry)) this.#putOtherSide(entry, part);
    return entry;
  }

  #putOtherSide(entry: Entry, part: Leg): void {
    const account = this.#chart.targetOf(part);
    const id = part.transfer_transaction_id;
    if (!account || id === null) return;
    const before = this.#entries.get(id);
    const side = {
      id,
      account_id: account.id,
      date: entry.date,
      amount: -part.amount,
      payee_id: this.#chart.transferPayeeOf(entry.account_id),
      category_id: before?.category_id ?? null,
      import_id: before?.import_id ?? null,
      cleared: before?.cleared ?? 'uncleared',
      transfer_transaction_id: entry.id,
      subtransactions: [],
    };
    this.#put(id, this.#deriveFields(side));
  }

  /** Sets the fields that depend on payee, account and legs: those of a transfer, and the category. */
  #deriveFields(draft: Entry): Entry {
    const isUnsplit = !isSplit(draft);
    const isTransfer = this.#chart.targetOf(draft) !== undefined;
    return {
      ...draft,
      payee_id: isUnsplit || !isTransfer ? draft.payee_id : null,
      category_id: isUnsplit ? this.#chart.categoryOf(draft, draft) : null,
      transfer_transaction_id:
        isUnsplit && isTransfer ? (draft.transfer_transaction_id ?? this.#newId()) : null,
      subtransactions: draft.subtransactions.map((leg) => ({
        ...leg,
        category_id: this.#chart.categoryOf(draft, leg),
        transfer_transaction_id: this.#chart.targetOf(leg)
          ? (leg.transfer_transaction_id ?? this.#newId())
          : null,
      })),
    };
  }

  /** The split with a leg that this entry is the other side of. */
  #splitOf({ id, transfer_transaction_id }: Entry): Entry | undefined {
    const other = transfer_transaction_id === null ? undefined : this.#entries.get(transfer_transaction_id);
    return other?.subtransactions.some((leg) => leg.transfer_transaction_id === id) ? other : undefined;
  }

  #put(id: string, entry: Entry | undefined): void {
    if (!this.#before.has(id)) this.#before.set(id, this.#entries.get(id));
    this.#entries.set(id, entry);
  }

  #newId(): string {
    this.#ids += 1;
    return `new ${this.#ids}`;
  }
}
