/** Notes, while an answer reads a budget, which parts the service did not send and which could not be read. */
import { groupBy } from '../../base/group-by.ts';
import { type Gap, gapsOf, isMissingList } from '../../base/schema/gap.ts';
import { linesOf } from '../sums/lines.ts';
import type { Collections } from './collections.ts';
import { isOfMonth, keyOf, keyOfPart } from './gaps.ts';

/** Fields that are shown and sought, and on which no sum depends. */
const SHOWN_ONLY =
  /^(name|internal|note|memo|latitude|longitude|date_format|age_of_money)$|^(flag|import|matched|transfer_transaction|debt|direct|last|first|original)_|_(name|creation_month)$/;

/** Things that the service has not sent, and how many lines of an answer refer to them. */
export interface UnknownThing {
  readonly id: string;
  /** Such as `unknown category`. */
  readonly name: string;
  readonly lines: number;
}

export interface Lacks {
  readonly gaps: readonly Gap[];
  readonly unknown: readonly UnknownThing[];
}

/** The parts of a budget that one answer has read. */
export class Uses {
  readonly #collections: Collections;
  /** True if rows are shown with all their fields, not only counted. */
  readonly #areShown: boolean;
  readonly #ids = new Set<string>();
  /** The kinds of which lists were read, and the days of their rows. */
  readonly #lists = new Map<string, { readonly since: string; readonly until: string }>();

  constructor(collections: Collections, areShown: boolean) {
    this.#collections = collections;
    this.#areShown = areShown;
  }

  list(kind: string, since = '', until = '9999'): void {
    const known = this.#lists.get(kind) ?? { since, until };
    this.#lists.set(kind, {
      since: since < known.since ? since : known.since,
      until: until > known.until ? until : known.until,
    });
  }

  /** Throws `unreadable` if the thing was left out. */
  one(kind: string, id: string): void {
    this.#ids.add(id);
    this.#collections.gaps.checkSent(kind, id);
  }

  /** A table that notes what is read of it: methods with an id read one thing, others read all. */
  observed<Table extends object>(table: Table, kind: string): Table {
    return new Proxy(table, {
      get: (_, name) => {
        const read: unknown = Reflect.get(table, name, table);
        if (typeof read !== 'function') return read;
        return (...args: readonly unknown[]): unknown => {
          const [id, part] = args.map(String);
          if (id === undefined) this.list(kind);
          else if (kind === 'month') this.#month(id, part, name === 'has');
          else if (name !== 'has') this.one(kind, id);
          return Reflect.apply(read, table, args);
        };
      },
    });
  }

  #month(given: string, category: string | undefined, mayBeMissing: boolean): void {
    const { months, gaps } = this.#collections;
    const month = months.firstDayOf(given);
    if (category === undefined) this.list('month', month, month);
    else this.one('category', keyOfPart(month, category));
    if (!mayBeMissing) gaps.checkSent('month', month);
  }

  lacks(): Lacks {
    const { gaps, names } = this.#collections;
    return {
      gaps: gaps.all.filter((each) => this.#restsOn(each)),
      unknown: names.found > 0 ? this.#unknown() : [],
    };
  }

  #restsOn(gap: Gap): boolean {
    const { kind, id, of, fields, left_out } = gap;
    if (!this.#areShown && !left_out && Object.keys(fields).every((name) => SHOWN_ONLY.test(name)))
      return false;
    if ([keyOf(gap), of].some((each) => each !== null && this.#ids.has(each))) return true;
    const whole = kind.replace('sub', '');
    if (kind === 'month' || isOfMonth(gap)) return this.#hasRead('month', kind === 'month' ? id : of);
    // The names of things are in all rows that refer to them.
    if (isMissingList(gap) && /^(account|payee|category)$/.test(kind) && this.#hasRead('transaction', null))
      return true;
    return this.#hasRead(whole, kind === 'subtransaction' ? this.#dayOf(of) : gap.date);
  }

  #hasRead(kind: string, day: string | null): boolean {
    const days = this.#lists.get(kind);
    return days !== undefined && (day === null || (day >= days.since && day <= days.until));
  }

  #dayOf(id: string | null): string | null {
    const { transactions } = this.#collections;
    return id !== null && transactions.has(id) ? transactions.get(id).date : null;
  }

  /** In a list, each row shows what it refers to. */
  #unknown(): readonly UnknownThing[] {
    const { names, transactions, scheduled } = this.#collections;
    const days = this.#lists.get('transaction');
    const isScheduledRead = this.#lists.has('scheduled_transaction');
    const rows = [
      ...(days ? transactions.between(days.since, days.until) : []),
      ...(isScheduledRead ? scheduled.list() : []),
    ];
    const ids = [
      ...(this.#areShown ? [] : rows).flatMap((row) => [
        row.account_id,
        ...linesOf(row).map(({ category_id }) => category_id ?? ''),
      ]),
      ...[...(days ? transactions.orphans.values() : [])].map((leg) => leg.transaction_id),
      ...(isScheduledRead ? scheduled.orphans() : []).map((leg) => leg.scheduled_transaction_id),
    ];
    return [...groupBy(ids, (id) => id)].flatMap(([id, { length }]) => {
      const name = names.ofUnknown(id);
      return name === undefined ? [] : [{ id, name, lines: length }];
    });
  }
}

/** The data of a response, and what it lacks apart from it. */
export function withoutGaps<Data extends object>(
  data: Data,
): { readonly data: Data; readonly lacks?: Lacks } {
  const gaps = gapsOf(data);
  return gaps.length === 0 ? { data } : { data: { ...data, gaps: undefined }, lacks: { gaps, unknown: [] } };
}
