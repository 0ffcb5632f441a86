/**
 * Finds what a text refers to: a full id, an exact name, the beginning of an id, or a name ignoring case, spaces, accents
 * and emoji. Nothing is guessed: a text that may mean several things finds all of them. It also abbreviates ids. Pure.
 */

import { quoteStart, word } from '../../base/quote.ts';
import type { ReferenceKind } from '../../base/schema/fields.ts';
import { payeeKey } from '../../model/bookkeeping/payee-names.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { type ReferenceTables, type ThingsOfKind, tablesOf, thingsOfKind } from './reference-tables.ts';
import { IdIndex, NameIndex } from './thing-index.ts';

interface KindIndex {
  readonly things: ThingsOfKind;
  readonly ids: IdIndex;
  /** Created when a text is first looked up, because answers need the ids only. */
  readonly names: () => NameIndex;
}

const MAX_LISTED = 5;
const MAX_QUOTED = 100;

const ofReplicas = new WeakMap<BudgetReplica, References>();

export class References {
  readonly #tables: ReferenceTables;
  /** An index is created when its kind is first needed, and again after its rows have changed. */
  readonly #indexes = new Map<ReferenceKind, KindIndex>();

  constructor(tables: ReferenceTables) {
    this.#tables = tables;
  }

  /** The references of a replica, always at its current version. Cheap: they are created once for each replica. */
  static of(replica: BudgetReplica): References {
    const references = ofReplicas.get(replica) ?? new References(tablesOf(replica));
    ofReplicas.set(replica, references);
    return references;
  }

  /** The abbreviated id of a thing, which `find` accepts. The full id if there is no such thing. */
  shortId(kind: ReferenceKind, id: string): string {
    return this.#index(kind)?.ids.abbreviated(id) ?? id;
  }

  /** The name of a thing. Undefined if it has none, or if there is no such thing. */
  nameOf(kind: ReferenceKind, id: string): string | undefined {
    return this.#index(kind)?.things.nameOf(id);
  }

  /** The ids of all things that a text may mean. The text refers to a thing if that is the only one. */
  find(kind: ReferenceKind, text: string): readonly string[] {
    const index = this.#index(kind);
    if (!index) return [];
    if (index.ids.has(text)) return [text];
    return [...new Set([...index.names().find(text), ...index.ids.withPrefix(text)])];
  }

  /** Why a text does not refer to one thing, if `find` does not find exactly one. Names those that may be meant. */
  explain(kind: ReferenceKind, text: string): string {
    const quoted = quoteStart(text, MAX_QUOTED);
    const index = this.#index(kind);
    if (!index) return `${quoted} has to be a full id, because the budget is not cached`;
    const found = this.find(kind, text);
    if (found.length > 1) return `${quoted} may mean several: ${describe(index, found)}`;
    const nearest = new Set([
      ...index.ids.nearest(text, MAX_LISTED),
      ...index.names().nearest(text, MAX_LISTED),
    ]);
    const hint = nearest.size > 0 ? `, nearest: ${describe(index, [...nearest])}` : '';
    return `there is no ${kind.replaceAll('_', ' ')} ${quoted}${hint}`;
  }

  /**
   * The ids of the transfer payees that a payee's name may mean: `Transfer :` and an account, or its exact name. Undefined
   * if the name is not that of a transfer.
   */
  findTransferPayee(name: string): readonly string[] | undefined {
    const account = transferAccountIn(name);
    if (account === undefined) return undefined;
    const key = payeeKey(name);
    const sameName = (this.#tables.payees?.() ?? []).filter((payee) => payeeKey(payee.name) === key);
    const transfers = sameName.filter(({ transfer_account_id }) => transfer_account_id !== null);
    if (transfers.length > 0) return transfers.map(({ id }) => id);
    if (sameName.length > 0) return undefined;
    const accounts = new Set(this.find('account', account));
    return (this.#tables.accounts?.() ?? []).flatMap(({ id, transfer_payee_id }) =>
      accounts.has(id) && transfer_payee_id !== null ? [transfer_payee_id] : [],
    );
  }

  #index(kind: ReferenceKind): KindIndex | undefined {
    const things = thingsOfKind[kind](this.#tables);
    if (!things) return undefined;
    const known = this.#indexes.get(kind);
    if (known && things.rows.every((rows, at) => rows === known.things.rows[at])) return known;
    let names: NameIndex | undefined;
    const index = {
      things,
      ids: new IdIndex(things.ids()),
      names: () => {
        names ??= new NameIndex(things.named());
        return names;
      },
    };
    this.#indexes.set(kind, index);
    return index;
  }
}

const describe = ({ things, ids }: KindIndex, found: readonly string[]) =>
  found
    .slice(0, MAX_LISTED)
    .map((id) => {
      const { name, distinctions } = things.describe(id);
      return `${name} (${[...distinctions, word(ids.abbreviated(id))].filter(Boolean).join(', ')})`;
    })
    .join(', ');

/** The account in the name of a transfer, such as `Transfer : Savings`. */
export const transferAccountIn = (name: string): string | undefined =>
  /^\s*transfer\s*:\s*(\S.*)$/isu.exec(name)?.[1]?.trimEnd();
