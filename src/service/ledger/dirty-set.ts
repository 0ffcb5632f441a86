/**
 * The entities that a commit may have changed. It may contain too many, but never too few: all are rendered again,
 * and only those that then differ count as changed.
 */
export class DirtySet {
  readonly accounts = new Set<string>();
  readonly groups = new Set<string>();
  readonly payees = new Set<string>();
  readonly locations = new Set<string>();
  readonly transactions = new Set<string>();
  readonly scheduled = new Set<string>();
  /** Categories, each with the first month that may differ. */
  readonly categories = new Map<string, string>();
  /** The first month whose totals may differ. */
  monthsFrom: string | undefined;
  /** The first month in which cash moved. */
  cashFrom: string | undefined;

  categoryFrom(id: string, month: string): void {
    this.categories.set(id, earlier(this.categories.get(id), month));
    this.totalsFrom(month);
  }

  totalsFrom(month: string): void {
    this.monthsFrom = earlier(this.monthsFrom, month);
  }

  cashMoved(month: string): void {
    this.cashFrom = earlier(this.cashFrom, month);
    this.totalsFrom(month);
  }
}

function earlier(current: string | undefined, month: string): string {
  return current === undefined || month < current ? month : current;
}
