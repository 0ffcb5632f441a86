/**
 * Finds what a text refers to: a full id, an exact name, the beginning of an id, or a name ignoring case, spaces, accents
 * and emoji. A text that may mean several things finds all of them. A question may take more than a write: names that differ by
 * case or emoji only, and a clear nearest name. It also abbreviates ids, and says how a message describes a thing. Pure.
 */
import { word } from '../../base/quote.ts';
import type { ReferenceKind } from '../../base/schema/meaning.ts';
import { payeeKey } from '../../model/bookkeeping/payee-names.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { type Description, IdIndex, type NamedThing, NameIndex, type ThingsOfKind } from './thing-index.ts';
import { quoted, type ReferenceTables, tablesOf, thingsOfKind } from './things-of-kind.ts';

class KindIndex {
  readonly things: ThingsOfKind;
  readonly ids: IdIndex;
  #names: NameIndex | undefined;

  constructor(things: ThingsOfKind) {
    this.things = things;
    this.ids = new IdIndex(things.ids());
  }

  /** Created when a text is first looked up, because answers need the ids only. */
  get names(): NameIndex {
    this.#names ??= new NameIndex(this.things.named());
    return this.#names;
  }
}

const MAX_LISTED = 3;

const ofReplicas = new WeakMap<BudgetReplica, References>();

export class References {
  readonly #tables: ReferenceTables;
  readonly #unknown: ReadonlySet<ReferenceKind>;
  /** An index is created when its kind is first needed, and again after its rows have changed. */
  readonly #indexes = new Map<ReferenceKind, KindIndex>();

  /** The tables of kinds that are unknown are empty. */
  constructor(tables: ReferenceTables, unknown: ReadonlySet<ReferenceKind> = new Set()) {
    this.#tables = tables;
    this.#unknown = unknown;
  }

  /** The references of a replica, always at its current version. Cheap: they are created once for each replica. */
  static of(replica: BudgetReplica): References {
    const references = ofReplicas.get(replica) ?? new References(tablesOf(replica));
    ofReplicas.set(replica, references);
    return references;
  }

  /** The abbreviated id of a thing, which `find` accepts. The full id if there is no such thing. */
  shortId(kind: ReferenceKind, id: string): string {
    return this.#index(kind).ids.abbreviated(id);
  }

  /** The name of a thing. Undefined if it has none, or if there is no such thing. */
  nameOf(kind: ReferenceKind, id: string): string | undefined {
    return this.#index(kind).things.nameOf(id);
  }

  /** All things of a kind that have names. */
  named(kind: ReferenceKind): readonly NamedThing[] {
    return this.#index(kind)
      .things.named()
      .filter(({ name }) => name !== '');
  }

  /** The ids of all things that a text may mean. The text refers to a thing if that is the only one. */
  find(kind: ReferenceKind, text: string): readonly string[] {
    const { ids, names } = this.#index(kind);
    return ids.has(text) ? [text] : [...new Set([...names.find(text), ...ids.withPrefix(text)])];
  }

  /**
   * The ids of all things that a list of a question means by a text: names that differ by case, spaces, accents or emoji only are
   * all meant. A category and a group of one name are not: the group contains more.
   */
  findAlike(kind: ReferenceKind, text: string): readonly string[] {
    const { ids, names } = this.#index(kind);
    if (ids.has(text) || ids.withPrefix(text).length > 0) return this.find(kind, text);
    const alike = names.findAlike(text);
    const groups = new Set(kind === 'category_or_group' ? this.#tables.groups().map(({ id }) => id) : []);
    return alike.every((id) => groups.has(id) === groups.has(alike[0] ?? '')) ? alike : this.find(kind, text);
  }

  /** The ids of the things with the name that a mistyped one clearly means. */
  findMistyped(kind: ReferenceKind, text: string): readonly string[] {
    return this.#index(kind).names.findMistyped(text);
  }

  /** The ids of the listed things whose name has more words than the name that a text is, such as `Aldi Sued` for `Aldi`. */
  findLonger(kind: ReferenceKind, text: string): readonly string[] {
    const { names } = this.#index(kind);
    return names.find(text).length > 0 ? names.findLonger(text) : [];
  }

  /** Things as a message names them, with what distinguishes them. */
  describe(kind: ReferenceKind, ids: readonly string[]): string {
    return describe(this.#index(kind), ids);
  }

  /** Why a text does not refer to one thing, if `find` does not find exactly one. Names those that may be meant. */
  explain(kind: ReferenceKind, text: string): string {
    const name = quoted(text);
    if (this.#unknown.has(kind)) return `${name} has to be a full id, because the budget is not cached`;
    const index = this.#index(kind);
    const found = this.find(kind, text);
    if (found.length > 1) return `${name} may mean several: ${describe(index, found)}`;
    const nearest = [...new Set([...index.ids.nearest(text), ...index.names.nearest(text)])];
    const hint = nearest.length > 0 ? `, nearest: ${describe(index, nearest.slice(0, MAX_LISTED))}` : '';
    return `there is no ${kind.replaceAll('_', ' ')} ${name}${hint}`;
  }

  /**
   * The ids of the payees that a payee's name may mean, where the service could take it for another one: of the transfer payees for
   * `Transfer :` and an account, or the exact name of one; and of the only payee of a name that the service may have escaped.
   * Undefined for any other name.
   */
  findPayee(name: string): readonly string[] | undefined {
    if (!needsPayees(name)) return undefined;
    const key = payeeKey(name);
    const sameName = this.#tables.payees().filter((payee) => payeeKey(payee.name) === key);
    const account = transferAccountIn(name);
    if (account === undefined) return sameName.length === 1 ? sameName.map(({ id }) => id) : undefined;
    const transfers = sameName.filter(({ transfer_account_id }) => transfer_account_id !== null);
    const open = new Set(this.#tables.accounts().flatMap(({ id, closed }) => (closed ? [] : [id])));
    const toOpen = transfers.filter((each) => open.has(each.transfer_account_id ?? ''));
    if (transfers.length > 0) return (toOpen.length > 0 ? toOpen : transfers).map(({ id }) => id);
    if (sameName.length > 0) return undefined;
    const accounts = new Set(this.find('account', account));
    return this.#tables
      .accounts()
      .flatMap(({ id, transfer_payee_id }) =>
        accounts.has(id) && transfer_payee_id !== null ? [transfer_payee_id] : [],
      );
  }

  #index(kind: ReferenceKind): KindIndex {
    const things = thingsOfKind[kind](this.#tables);
    const known = this.#indexes.get(kind);
    if (known && things.rows.every((rows, at) => rows === known.things.rows[at])) return known;
    const index = new KindIndex(things);
    this.#indexes.set(kind, index);
    return index;
  }
}

function describe({ things, ids }: KindIndex, found: readonly string[]): string {
  const all = found.flatMap((id) => things.describe(id).map((each) => textOf(each, ids.abbreviated(id))));
  const rest = all.length - MAX_LISTED;
  return [...all.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

const textOf = ({ name, distinctions }: Description, id: string) =>
  `${name} (${[...distinctions, word(id)].filter(Boolean).join(', ')})`;

/** Whether the service may have another payee for this name than the one that answers show by it. */
export const needsPayees = (name: string): boolean =>
  transferAccountIn(name) !== undefined || /[&<>"']/.test(name);

/** The account in the name of a transfer, such as `Transfer : Savings`. */
export const transferAccountIn = (name: string): string | undefined =>
  /^transfer\s*:\s*(.+)/isu.exec(name.trim())?.[1];
