/** The rows that assistants enter and change, with every field that the service has to keep. */
import { z } from 'zod';
import type { Random } from '../../src/service/demo-data/random.ts';

const leg = z
  .object({
    amount: z.number(),
    payee_name: z.string().nullable(),
    category_name: z.string().nullable(),
    memo: z.string().nullable(),
  })
  .transform(({ amount, payee_name, category_name, memo }) => ({
    amount,
    payee: payee_name,
    category: category_name,
    memo,
  }));

/** A row of the service, or of an answer in units of the currency. */
const row = z
  .object({
    account_name: z.string(),
    date: z.string(),
    amount: z.number(),
    payee_name: z.string().nullable(),
    category_name: z.string().nullable(),
    memo: z.string().nullable(),
    cleared: z.string(),
    approved: z.boolean(),
    flag_color: z.string().nullable(),
    import_id: z.string().nullable(),
    subtransactions: z.array(leg),
  })
  .transform(({ account_name, payee_name, category_name, subtransactions, ...same }) => ({
    ...same,
    account: account_name,
    payee: payee_name,
    category: category_name,
    legs: subtransactions,
  }));

/** Amounts are in milliunits. */
export type RowFields = z.output<typeof row>;

/** `milliunits` is 1,000 where the amounts of the row are in units of the currency. */
export function fieldsOf(stored: unknown, milliunits = 1): RowFields {
  const { amount, legs, ...same } = row.parse(stored);
  const exact = (given: number) => Math.round(given * milliunits);
  return {
    ...same,
    amount: exact(amount),
    legs: legs.map((each) => ({ ...each, amount: exact(each.amount) })),
  };
}

/** Equal for rows that agree in every field. Deltas do not tell the order of legs. */
export const textOf = ({ legs, ...fields }: RowFields): string =>
  JSON.stringify([Object.entries(fields).toSorted(), legs.map((each) => JSON.stringify(each)).toSorted()]);

/** Arguments of a tool for one row, and the row as it has to be afterwards. */
export interface PlannedRow {
  readonly args: Readonly<Record<string, unknown>>;
  readonly fields: RowFields;
}

type Plan = () => PlannedRow;

const ACCOUNTS = ['Wallet', 'Purse', 'Savings', 'Checking'] as const;
const PAYEES = ['Baker', 'Butcher', 'Bookshop'] as const;
const CATEGORIES = ['Food', 'Fun', 'Travel'] as const;
const COLORS = ['red', 'blue', 'green'] as const;
const CLEARED = ['cleared', 'uncleared'] as const;

/**
 * With `importNumber` it may be an import. It is another one for each row, so that no import is taken for an entry of the same
 * amount.
 */
export function newRow(random: Random, memo: string, date: string, importNumber?: number): PlannedRow {
  const account = random.pick(ACCOUNTS);
  const amount = -10 * random.integer(200, 5_000);
  const marks = {
    memo,
    cleared: random.pick(CLEARED),
    approved: random.chance(0.5),
    flag_color: random.chance(0.5) ? random.pick(COLORS) : null,
  };
  const { flag_color, ...given } = marks;
  const args = { account_id: account, date, ...given, ...(flag_color && { flag_color }) };
  const [payee, category] = [random.pick(PAYEES), random.pick(CATEGORIES)];
  const other = random.pick(account === 'Wallet' ? (['Purse', 'Savings'] as const) : (['Wallet'] as const));
  const transfer = `Transfer : ${other}`;
  const plain = { ...marks, account, date, amount, payee, category, import_id: null, legs: [] };
  const bought = { ...args, amount: amount / 1_000, payee_name: payee };
  const kinds: readonly [Plan, ...Plan[]] = [
    () => ({ args: { ...bought, category_id: category }, fields: plain }),
    () => ({
      args: { ...args, amount: amount / 1_000, payee_id: transfer },
      fields: { ...plain, payee: transfer, category: null },
    }),
    () => ({
      args: {
        ...bought,
        subtransactions: [
          { amount: (amount + 1_000) / 1_000, category_id: category, memo: 'a leg' },
          { amount: -1, payee_id: transfer, memo: 'the other leg' },
        ],
      },
      fields: {
        ...plain,
        category: 'Split',
        legs: [
          { amount: amount + 1_000, payee: null, category, memo: 'a leg' },
          { amount: -1_000, payee: transfer, category: null, memo: 'the other leg' },
        ],
      },
    }),
  ];
  if (importNumber === undefined || random.chance(0.75)) return random.pick(kinds)();
  const imported = { import_id: `soak ${memo}`, amount: -1_000_000 - 10 * importNumber };
  return {
    args: { ...bought, category_id: category, ...imported, amount: imported.amount / 1_000 },
    fields: { ...plain, ...imported },
  };
}

/** Other values of the fields that this kind of row can change. */
export function changedRow(random: Random, id: string, fields: RowFields, memo: string): PlannedRow {
  const marks = {
    memo,
    cleared: random.pick(CLEARED),
    approved: random.chance(0.5),
    flag_color: random.pick(COLORS),
  };
  const isPlain = fields.legs.length === 0 && fields.category !== null;
  const [amount, payee, category] = [
    -10 * random.integer(200, 5_000),
    random.pick(PAYEES),
    random.pick(CATEGORIES),
  ];
  return {
    args: {
      id,
      ...marks,
      ...(isPlain && { amount: amount / 1_000, payee_name: payee, category_id: category }),
    },
    fields: { ...fields, ...marks, ...(isPlain && { amount, payee, category }) },
  };
}
