/**
 * How writes of transactions are taken back. The interface has limits: a split stays a split, and a transaction that was
 * deleted comes back as a new one, without its import id (docs/interface.md, Transaction).
 */

import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { quote } from '../base/quote.ts';
import { type Transaction, transaction } from '../base/schema/transaction.ts';
import { otherSidesOf } from '../model/bookkeeping/entries.ts';
import { refersTo } from '../model/bookkeeping/entry-key.ts';
import { payeeKey } from '../model/bookkeeping/payee-names.ts';
import {
  type Reversal,
  type ReversalTarget,
  type TakeBack,
  UNKNOWN_BEFORE,
  type Written,
  withoutNulls,
} from './reversal.ts';

const WRITABLE = [
  'account_id',
  'date',
  'amount',
  'payee_id',
  'category_id',
  'memo',
  'cleared',
  'approved',
  'flag_color',
] as const;

/** The fields of the other side of a transfer that the first side does not determine. */
const OWN_OF_OTHER_SIDE = ['category_id', 'memo', 'cleared', 'approved', 'flag_color'] as const;

type Field = (typeof WRITABLE)[number];

const parse = (row: unknown): Transaction => transaction.parse(row);

/** Both forms of the response to a creation or an update. */
const rowsOf = ({ transaction: one, transactions = [] }: JsonObject): Transaction[] =>
  (one === undefined ? Object.values(Object(transactions)) : [one]).map(parse);

const legsOf = ({ subtransactions }: Transaction) =>
  subtransactions.map(({ amount, payee_id, category_id, memo }) => ({ amount, payee_id, category_id, memo }));

const pick = (row: Transaction, fields: readonly Field[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

const contentOf = (row: Transaction): JsonObject => ({
  ...pick(row, WRITABLE),
  ...(row.subtransactions.length > 0 && { subtransactions: legsOf(row) }),
});

const labelOf = ({ id, date, amount, payee_name }: Transaction): JsonObject => ({
  id,
  date,
  amount,
  payee_name,
});

const target = (row: Transaction, change: Pick<ReversalTarget, 'written' | 'earlier'>): ReversalTarget => ({
  kind: 'transaction',
  label: labelOf(row),
  ...change,
  source: {
    operation: 'get_transaction',
    input: { transaction_id: row.id },
    contentOf: (data) => contentOf(parse(data['transaction'])),
  },
});

const named = z.object({ payee_name: z.string().optional() });
const createdRows = z.array(named.extend({ subtransactions: z.array(named).optional() }));
type CreatedRows = z.output<typeof createdRows>;

const namesIn = (rows: CreatedRows): string[] =>
  rows.flatMap((row) => [row, ...(row.subtransactions ?? [])].map(({ payee_name = '' }) => payee_name));

/** The payees that the rows of a creation name. Those that are missing are created with it. */
export function payeesNamed<Payee extends { readonly name: string }>(
  payees: readonly Payee[],
  rows: CreatedRows,
): Payee[] {
  const keys = new Set(namesIn(rows).map(payeeKey));
  return payees.filter(({ name }) => keys.has(payeeKey(name)));
}

/** The service cannot delete a payee. */
function createdPayees({ input, before }: Written): string[] {
  if (!before) return [];
  const known = new Set(before.map(({ name }) => payeeKey(String(name))));
  const names = namesIn(createdRows.parse(input['transactions'])).filter((name) => name.trim() !== '');
  const created = new Map(names.map((name) => [payeeKey(name), name.trim()]));
  return [...created].flatMap(([key, name]) => (known.has(key) ? [] : [`the payee ${quote(name)} stays`]));
}

export function takeBackCreation(creation: Written): TakeBack {
  const { data, after } = creation;
  const rows = rowsOf(data);
  const matched = rows.find(({ matched_transaction_id: id }) => id !== null);
  if (matched) return { impossible: 'it was matched with a transaction that was there before' };
  const known = new Map((after ?? []).map((row) => [row['id'], parse(row)]));
  const otherSides = (row: Transaction) => otherSidesOf(row).flatMap((id) => known.get(id) ?? []);
  return {
    reversals: rows.map((row) => ({
      operation: 'delete_transaction',
      input: { transaction_id: row.id },
      targets: [row, ...otherSides(row)].map((each) => target(each, { written: contentOf(each) })),
    })),
    leftovers: createdPayees(creation),
  };
}

export function takeBackDeletion({ input, before, data }: Written): TakeBack {
  const rows = (before ?? []).map(parse);
  const row = rows.find(({ id }) => id === input['transaction_id']);
  if (!row) return { impossible: UNKNOWN_BEFORE };
  if (rowsOf(data).some((deleted) => WRITABLE.some((field) => deleted[field] !== row[field])))
    return {
      impossible:
        'it was changed elsewhere before it was deleted. The answer to the deletion has what was in it: enter that again',
    };
  const sides = new Map(rows.map((each) => [each.id, each]));
  const isOtherSideOfLeg = sides
    .get(row.transfer_transaction_id ?? '')
    ?.subtransactions.some(({ transfer_transaction_id: id }) => id === row.id);
  if (isOtherSideOfLeg) return { impossible: 'it belonged to a leg of a split, and a leg cannot be changed' };
  const { category_id, subtransactions, ...rest } = contentOf(row);
  const isSplit = row.subtransactions.length > 0;
  return {
    reversals: [
      {
        operation: 'create_transactions',
        input: {
          transactions: [
            withoutNulls({
              ...rest,
              ...(isSplit ? { subtransactions: legsOf(row).map(withoutNulls) } : { category_id }),
            }),
          ],
        },
        targets: [{ kind: 'transaction', label: labelOf(row), earlier: contentOf(row) }],
        ...(sides.size > 1 && {
          followUps: (data) => rowsOf(data).flatMap((created) => otherSideUpdates(row, created, sides)),
        }),
      },
    ],
    leftovers: [
      'it has a new id',
      ...(sides.size > otherSidesOf(row).length
        ? []
        : ['what only the other side of its transfer had, such as a flag, is lost']),
      ...(row.import_id === null ? [] : ['its import_id is lost, so that the bank may import it again']),
    ],
  };
}

/**
 * Restores the fields of the other sides of transfers, which the service enters with those of this side. A leg is known by its place
 * only, so one that differs from the leg in its place is left out.
 */
function otherSideUpdates(
  before: Transaction,
  entered: Transaction,
  sides: ReadonlyMap<string, Transaction>,
): readonly Reversal[] {
  const lines = [entered, ...entered.subtransactions];
  const rows = [before, ...before.subtransactions].flatMap((line, index) => {
    const { transfer_transaction_id: deleted, transfer_account_id: account, amount } = line;
    const other = lines[index];
    const isSame = other?.transfer_account_id === account && (index === 0 || other.amount === amount);
    const side = sides.get(deleted ?? '');
    const id = isSame ? other.transfer_transaction_id : null;
    return side && id !== null ? [{ id, ...pick(side, OWN_OF_OTHER_SIDE) }] : [];
  });
  return rows.length === 0
    ? []
    : [{ operation: 'update_transactions', input: { transactions: rows }, targets: [] }];
}

/** The fields that the service may change when a field is changed (docs/interface.md, Transaction). */
const CONSEQUENCES: Readonly<Record<string, readonly Field[]>> = {
  payee_id: ['category_id'],
  payee_name: ['payee_id', 'category_id'],
  account_id: ['category_id', 'payee_id'],
};

/** A transaction before and after an update, with the fields that differ. */
interface Change {
  readonly before: Transaction;
  readonly after: Transaction;
  readonly fields: readonly Field[];
}

/** `sent` are the rows of the update, or the arguments of an update of a single transaction. */
export function takeBackUpdate(sent: readonly JsonObject[], { before, data }: Written): TakeBack {
  const known = new Map((before ?? []).map((row) => [String(row['id']), parse(row)]));
  const changes: Change[] = [];
  for (const after of rowsOf(data)) {
    const earlier = known.get(after.id);
    if (!earlier) return { impossible: UNKNOWN_BEFORE };
    if (earlier.subtransactions.length !== after.subtransactions.length)
      return { impossible: 'it was made a split, and a split stays a split' };
    if (mayLackCategories(earlier, after, known))
      return {
        impossible:
          'a split was sent to another account and may have lost categories of its legs, which cannot be set again',
      };
    const fields = WRITABLE.filter((field) => earlier[field] !== after[field]);
    const names = sent.filter((row) => refersTo(row, after)).flatMap((row) => Object.keys(row));
    const expected = new Set(names.flatMap((name) => [name, ...(CONSEQUENCES[name] ?? [])]));
    if (fields.some((field) => !expected.has(field)))
      return {
        impossible: 'it was changed elsewhere at the same time, so what was there before is not known',
      };
    if (fields.length > 0) changes.push({ before: earlier, after, fields });
  }
  if (changes.length === 0) return { reversals: [], leftovers: [] };
  const reversal: Reversal = {
    operation: 'update_transactions',
    input: {
      transactions: changes.map(({ before, fields }) => ({ id: before.id, ...pick(before, fields) })),
    },
    targets: changes.map(({ before, after, fields }) =>
      target(after, { written: pick(after, fields), earlier: pick(before, fields) }),
    ),
    ...(changes.some(getsOtherSide) &&
      known.size > rowsOf(data).length && {
        followUps: (response) =>
          rowsOf(response).flatMap((row) => {
            const change = changes.find(({ before }) => before.id === row.id);
            return change && getsOtherSide(change) ? otherSideUpdates(change.before, row, known) : [];
          }),
      }),
  };
  return { reversals: [reversal], leftovers: [] };
}

/**
 * A line keeps its category only where money enters or leaves the budget, so that another account can empty the categories of
 * legs and of the other sides of their transfers.
 */
function mayLackCategories(
  before: Transaction,
  after: Transaction,
  known: ReadonlyMap<string, Transaction>,
): boolean {
  if (before.account_id === after.account_id) return false;
  const kept = new Map(after.subtransactions.map((leg) => [leg.id, leg.category_id]));
  return before.subtransactions.some(
    ({ id, category_id, transfer_transaction_id: side }) =>
      kept.get(id) !== category_id || (known.get(side ?? '')?.category_id ?? null) !== null,
  );
}

/**
 * Whether taking the change back makes or moves the other side of a transfer, which loses its own fields then. The legs of a
 * split do not change with it, so that their other sides stay.
 */
const getsOtherSide = ({ after, fields }: Change) =>
  after.subtransactions.length === 0 &&
  (after.transfer_transaction_id === null || fields.includes('payee_id') || fields.includes('account_id'));
