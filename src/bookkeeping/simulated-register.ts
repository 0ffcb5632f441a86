/**
 * The rules of the register: what becomes of transactions, and of the other sides of their transfers, when some of them
 * are created, changed or deleted (specification, Transaction; transfers and splits as the service shows them). It works
 * on a copy in memory. It knows neither requests nor balances.
 */
import {
  type Booking,
  type Chart,
  type Entry,
  type EntryChange,
  isSplit,
  type Leg,
  legOf,
  type NewEntry,
  otherSidesOf,
  partsOf,
  payeeOf,
} from './entries.ts';

export class SimulatedRegister {
  readonly #chart: Chart;
  readonly #entries: Map<string, Entry>;
  /** As it was before the first change; undefined where it is new. */
  readonly #before = new Map<string, Entry | undefined>();
  #ids = 0;
  #isComplete = true;

  /** `entries`: at least those that are changed, with the other sides of their transfers. */
  constructor(chart: Chart, entries: Iterable<Entry>) {
    this.#chart = chart;
    this.#entries = new Map([...entries].map((entry) => [entry.id, entry]));
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** The ids of what was created, changed or deleted so far. */
  get changedIds(): Iterable<string> {
    return this.#before.keys();
  }

  /** False where the other side of a changed transfer is not known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  create(sent: NewEntry): void {
    const { account_id, date, amount, subtransactions = [] } = sent;
    this.#enter({
      id: this.#newId(),
      account_id,
      date,
      amount,
      payee_id: payeeOf(sent) ?? null,
      category_id: sent.category_id ?? null,
      import_id: sent.import_id || null,
      transfer_transaction_id: null,
      subtransactions: subtransactions.map(legOf),
    });
  }

  /** An existing split keeps date, amount, category and legs; the other side of a split's leg all but its category. */
  update(id: string, sent: EntryChange): void {
    const before = this.#known(id);
    if (!before) return;
    const { account_id = before.account_id, date = before.date, amount = before.amount } = sent;
    const payee_id = payeeOf(sent) === undefined ? before.payee_id : (payeeOf(sent) ?? null);
    const isCategoryKept = sent.category_id === undefined || this.#chart.isPaymentCategory(sent.category_id);
    const category_id = isCategoryKept ? before.category_id : (sent.category_id ?? null);
    if (this.#splitOf(before)) this.#enter({ ...before, category_id }, before);
    else if (isSplit(before)) this.#enter({ ...before, account_id, payee_id }, before);
    else {
      const subtransactions = sent.subtransactions?.map(legOf) ?? [];
      this.#enter({ ...before, account_id, date, amount, payee_id, category_id, subtransactions }, before);
    }
  }

  /** An import is matched to it, and fills in what the user has left open. */
  match(id: string, imported: NewEntry): void {
    const before = this.#known(id);
    if (!before) return;
    const payee_id = before.payee_id ?? payeeOf(imported) ?? null;
    const category_id = before.category_id ?? imported.category_id ?? null;
    this.#enter({ ...before, import_id: imported.import_id ?? null, payee_id, category_id }, before);
  }

  /** With the other sides of its transfers. A split whose leg it is the other side of keeps the leg's amount. */
  delete(id: string): void {
    const before = this.#known(id);
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

  /** What all changes together add to balances; what they take away is negative. */
  bookings(): Booking[] {
    return [...this.#before].flatMap(([id, before]) => {
      const after = this.#entries.get(id);
      const taken = before ? this.#chart.bookingsOf(before) : [];
      return [
        ...taken.map((booking) => ({ ...booking, amount: -booking.amount })),
        ...(after ? this.#chart.bookingsOf(after) : []),
      ];
    });
  }

  #known(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    if (entry && otherSidesOf(entry).some((side) => !this.#entries.has(side))) this.#isComplete = false;
    return entry;
  }

  /** Puts an entry, and the other sides of its transfers in step with it. */
  #enter(draft: Entry, before?: Entry): void {
    const entry = this.#completed(draft);
    const kept = new Set(otherSidesOf(entry));
    for (const side of before ? otherSidesOf(before) : []) if (!kept.has(side)) this.#put(side, undefined);
    this.#put(entry.id, entry);
    if (this.#splitOf(entry)) return;
    for (const part of partsOf(entry)) this.#enterOtherSide(entry, part);
  }

  #enterOtherSide(entry: Entry, part: Leg): void {
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
      transfer_transaction_id: entry.id,
      subtransactions: [],
    };
    this.#put(id, this.#completed(side));
  }

  /** What follows from payee, account and legs: whether it is a transfer, and whether it has a category. */
  #completed(draft: Entry): Entry {
    const isWhole = !isSplit(draft);
    const isTransfer = this.#chart.targetOf(draft) !== undefined;
    return {
      ...draft,
      payee_id: isWhole || !isTransfer ? draft.payee_id : null,
      category_id: isWhole ? this.#chart.categoryOf(draft, draft) : null,
      transfer_transaction_id:
        isWhole && isTransfer ? (draft.transfer_transaction_id ?? this.#newId()) : null,
      subtransactions: draft.subtransactions.map((leg) => ({
        ...leg,
        category_id: this.#chart.categoryOf(draft, leg),
        transfer_transaction_id: this.#chart.targetOf(leg)
          ? (leg.transfer_transaction_id ?? this.#newId())
          : null,
      })),
    };
  }

  /** The split whose leg this is the other side of. */
  #splitOf({ id, transfer_transaction_id }: Entry): Entry | undefined {
    const other = transfer_transaction_id === null ? undefined : this.#entries.get(transfer_transaction_id);
    return other?.subtransactions.some((leg) => leg.transfer_transaction_id === id) ? other : undefined;
  }

  #put(id: string, entry: Entry | undefined): void {
    if (!this.#before.has(id)) this.#before.set(id, this.#entries.get(id));
    if (entry) this.#entries.set(id, entry);
    else this.#entries.delete(id);
  }

  #newId(): string {
    this.#ids += 1;
    return `new ${this.#ids}`;
  }
}
