/**
 * The changes between two exports of a budget, and how expected changes differ from those found. Rows are compared by their
 * ids and shown by names. Derived figures, such as balances and the sums of months, are not compared. Amounts are in milliunits.
 *
 * A transfer has two rows, one for each account, and each of them is a change: see `createdTransfer`.
 */

export interface Line {
  readonly amount: number;
  readonly category: string | null;
  /** The other account of a transfer. */
  readonly transfer: string | null;
  readonly payee: string | null;
  readonly memo: string | null;
}

interface Entry {
  readonly account: string;
  readonly date: string;
  readonly amount: number;
  /** Null for a transfer: there the payee follows from the account. */
  readonly payee: string | null;
  /** Null for a split: there the lines have categories. */
  readonly category: string | null;
  readonly transfer: string | null;
  /** Of a split, in any order; otherwise empty. In an expected row a line names its amount and category, and whatever matters. */
  readonly lines: readonly (Partial<Line> & Pick<Line, 'amount'>)[];
  readonly memo: string | null;
  readonly flag: string | null;
}

export interface Rows {
  readonly transaction: Entry & {
    readonly cleared: string;
    readonly approved: boolean;
    readonly import_id: string | null;
  };
  /** `date` is the next one. */
  readonly 'scheduled transaction': Entry & { readonly frequency: string };
  readonly account: {
    readonly name: string;
    readonly type: string;
    readonly closed: boolean;
    readonly note: string | null;
  };
  readonly category: {
    readonly name: string;
    readonly group: string;
    readonly hidden: boolean;
    readonly note: string | null;
    readonly goal_type: string | null;
    readonly goal_target: number | null;
    readonly goal_target_date: string | null;
    readonly goal_needs_whole_amount: boolean | null;
  };
  readonly 'category group': { readonly name: string; readonly hidden: boolean };
  /** Payees of transfers belong to their account, and are left out. `again`: another payee had that name before. */
  readonly payee: { readonly name: string; readonly again?: true };
}

type ChangeOf<Kind extends keyof Rows> =
  /**
   * An expected row names all that matters. In an entry, payee, category, transfer and lines that are not named are empty;
   * whatever else is not named may be anything.
   */
  | { readonly kind: Kind; readonly created: Partial<Rows[Kind]> }
  /** The row as it was. An expected one names enough of it to know it; `transactionRow` gives all. */
  | { readonly kind: Kind; readonly deleted: Partial<Rows[Kind]> }
  /** `to`: exactly the fields that differ. */
  | { readonly kind: Kind; readonly updated: Partial<Rows[Kind]>; readonly to: Partial<Rows[Kind]> };

export type Change =
  | { [Kind in keyof Rows]: ChangeOf<Kind> }[keyof Rows]
  /** `month` as `2026-11`. */
  | {
      readonly kind: 'budgeted';
      readonly month: string;
      readonly category: string;
      readonly from: number;
      readonly to: number;
    };
