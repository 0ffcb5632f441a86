/**
 * All versions of the service's own ledger: the truth that results are compared with. It reads the ledger directly, without
 * the service, the network and the client.
 */
import { listAccounts } from '../../src/operations/accounts.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { listPayees } from '../../src/operations/payees.ts';
import { listScheduledTransactions } from '../../src/operations/scheduled-transactions.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { comparableRow } from '../session/in-order.helper.ts';

export type Kind = 'account' | 'category' | 'group' | 'payee' | 'transaction' | 'scheduled' | 'movement';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly deleted: boolean };

/** A range of `server_knowledge`, including both ends. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Version {
  readonly from: number;
  /** Undefined if it was deleted. */
  readonly row: Row | undefined;
  readonly text: string;
}

/** An intended result of a write, as the ledger shows it, once for each time that it happened. */
export interface Mark {
  readonly id: string;
  readonly knowledge: number;
}

const NOWHERE = '';

export class History {
  readonly #ledger: Ledger;
  readonly #versions = new Map<Kind, Map<string, Version[]>>();
  readonly #marks = new Map<string, Mark[]>();
  #knowledge = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.record();
  }

  get knowledge(): number {
    return this.#knowledge;
  }

  /** Records the changes since the last call. Must be called after each change. */
  record(): void {
    const ledger = this.#ledger;
    const since = this.#knowledge;
    const { knowledge: server_knowledge } = ledger;
    this.#knowledge = server_knowledge;
    const { accounts } = listAccounts.output.parse({ accounts: ledger.accounts(since), server_knowledge });
    const category_groups = ledger.categoryGroups(since);
    const { category_groups: groups } = listCategories.output.parse({ category_groups, server_knowledge });
    const { payees } = listPayees.output.parse({ payees: ledger.payees(since), server_knowledge });
    const { transactions } = listTransactions.output.parse({
      transactions: ledger.transactions(undefined, { since }),
      server_knowledge,
    });
    const { scheduled_transactions } = listScheduledTransactions.output.parse({
      scheduled_transactions: ledger.scheduledTransactions(since),
      server_knowledge,
    });
    // They never change, so only the new ones are recorded.
    const newMovements = ledger.moneyMovements().slice(this.#versions.get('movement')?.size ?? 0);
    const { money_movements } = listMoneyMovements.output.parse({
      money_movements: newMovements,
      server_knowledge,
    });
    this.#put('movement', money_movements.map(asRow));
    this.#put('account', accounts);
    this.#put(
      'group',
      groups.map(({ categories: _, ...group }) => group),
    );
    this.#put(
      'category',
      groups.flatMap(({ categories }) => categories),
    );
    this.#put('payee', payees);
    this.#put('transaction', transactions);
    this.#put('scheduled', scheduled_transactions);
  }

  /** The current entities, in the order of their first appearance. */
  current(kind: Kind): Row[] {
    return [...(this.#versions.get(kind)?.values() ?? [])].flatMap((versions) => versions.at(-1)?.row ?? []);
  }

  marks(name: string): readonly Mark[] {
    return this.#marks.get(name) ?? [];
  }

  /**
   * When the ledger contained exactly these rows of a kind, among those that `isMeant` accepts. Empty if it never did, or if
   * there is no single moment for all of them.
   */
  spansOf(kind: Kind, rows: readonly Row[], isMeant: (row: Row) => boolean = () => true): readonly Span[] {
    const shown = new Map(rows.map((row) => [row.id, textOf(row)]));
    const known = this.#versions.get(kind) ?? new Map<string, Version[]>();
    if (rows.some(({ id }) => !known.has(id))) return [];
    let spans: readonly Span[] = [{ from: 0, to: this.#knowledge }];
    // The newest row narrows the moments down most, so that older rows need little comparison.
    for (const [id, versions] of [...known].reverse()) {
      const text = shown.get(id) ?? NOWHERE;
      if (this.#isSteady(versions, text, isMeant, spans)) continue;
      spans = common(spans, this.#spansWith(versions, text, isMeant));
      if (spans.length === 0) return [];
    }
    return spans;
  }

  /** It existed at all these moments, exactly as it is shown. */
  #isSteady(
    [version, another]: readonly Version[],
    text: string,
    isMeant: (row: Row) => boolean,
    [earliest]: readonly Span[],
  ): boolean {
    if (!version || another || !earliest || version.from > earliest.from) return false;
    return (version.row && isMeant(version.row) ? version.text : NOWHERE) === text;
  }

  #spansWith(versions: readonly Version[], text: string, isMeant: (row: Row) => boolean): Span[] {
    const spans: Span[] = [];
    const [first] = versions;
    if (text === NOWHERE && first && first.from > 0) spans.push({ from: 0, to: first.from - 1 });
    for (const [at, { from, row, ...version }] of versions.entries()) {
      const shown = row && isMeant(row) ? version.text : NOWHERE;
      const to = (versions[at + 1]?.from ?? this.#knowledge + 1) - 1;
      if (shown === text) spans.push({ from, to });
    }
    return spans;
  }

  #put(kind: Kind, rows: readonly Row[]): void {
    const all = this.#versions.get(kind) ?? new Map<string, Version[]>();
    this.#versions.set(kind, all);
    for (const row of rows) {
      const versions = all.get(row.id) ?? [];
      all.set(row.id, versions);
      const before = versions.at(-1)?.row;
      if (!before && row.deleted) continue;
      for (const name of marksOf(kind, before, row)) this.#mark(name, row.id);
      versions.push({ from: this.#knowledge, row: row.deleted ? undefined : row, text: textOf(row) });
    }
  }

  #mark(name: string, id: string): void {
    const marks = this.#marks.get(name) ?? [];
    this.#marks.set(name, [...marks, { id, knowledge: this.#knowledge }]);
  }
}

/** Nothing deletes a money movement, so it has no field that says so. */
export const asRow = <Movement extends { readonly id: string }>(movement: Movement) => ({
  ...movement,
  deleted: false,
});

/** The meaning of a change, in the terms of `mark`. */
function marksOf(kind: Kind, before: Row | undefined, after: Row): string[] {
  if (after.deleted) return [mark.deleted(after.id)];
  if (!before) {
    const { memo, account_id, import_id, name } = after;
    return [mark.created(memo, account_id), mark.imported(import_id), mark.named(kind, name)];
  }
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return changed.map(([name, value]) => mark.changed(kind, after.id, name, value));
}

export const mark = {
  created: (memo: unknown, accountId: unknown) => `created ${memo} in ${accountId}`,
  named: (kind: Kind, name: unknown) => `created ${kind} ${name}`,
  imported: (importId: unknown) => `imported ${importId}`,
  changed: (kind: Kind, id: string, field: string, value: unknown) =>
    `changed ${kind} ${id} ${field} to ${value}`,
  deleted: (id: string) => `deleted ${id}`,
};

/** Results share rows, so most rows are serialized only once. */
const texts = new WeakMap<object, string>();

function textOf(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  // Answers at interface 1.77 lack this field.
  const compared = Object.entries(comparableRow(row)).filter(([name]) => name !== 'internal');
  const text = sorted(Object.fromEntries(compared));
  texts.set(row, text);
  return text;
}

/** The fields in the order of their names. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${name}:${sorted(each)}`).join()}}`;
}

function common(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)];
      return from <= to ? [{ from, to }] : [];
    }),
  );
}
