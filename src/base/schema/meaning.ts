/** The meaning of the values of a schema, where their type does not say it. A schema that is derived by a check keeps its meaning. */
import { z } from 'zod';

/** `amount` is an inflow, or an outflow below zero. `amount_size` is neither. A debt is a negative `balance`. */
type AmountKind = 'amount' | 'amount_size' | 'balance';

/** Kinds of values that hosts give in another form. */
export type ValueKind = AmountKind | 'date' | 'range_start' | 'range_end' | 'month' | 'frequency';

/** The kinds of things that an argument can refer to. */
export type ReferenceKind =
  | 'account'
  | 'category'
  | 'category_group'
  | 'category_or_group'
  | 'payee'
  | 'payee_location'
  | 'transaction'
  | 'scheduled_transaction';

/** The kinds of rows that have a line of text in an answer. */
export type RowKind =
  | 'user'
  | 'budget'
  | 'budget_settings'
  | 'account'
  | 'category'
  | 'category_group'
  | 'category_group_with_categories'
  | 'payee'
  | 'payee_location'
  | 'money_movement'
  | 'money_movement_group'
  | 'month'
  | 'month_with_categories'
  | 'transaction'
  | 'scheduled_transaction';

export interface Meaning {
  readonly kind?: ValueKind;
  readonly reference?: ReferenceKind;
  readonly row?: RowKind;
  /** True if null empties the field. Hosts name it in `clear` instead. */
  readonly isClearable?: true;
  /** True if the server puts it in place of a name. No host gives it. */
  readonly isResolved?: true;
  /** A condition that a value has to meet in addition, where a response is parsed. */
  readonly isValid?: (value: unknown) => boolean;
  /** True if parsing would return the value itself. For most values this is faster to find than by the fields. */
  readonly isParsed?: (value: unknown) => boolean;
}

export const meanings = z.registry<Meaning>();

export const isAmount = ({ kind }: Meaning): boolean =>
  kind === 'amount' || kind === 'amount_size' || kind === 'balance';
