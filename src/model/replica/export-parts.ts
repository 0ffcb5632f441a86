/** Divides an export into parts of a limited size, so that writing and reading a large budget never blocks for long. */
import type { CollectionName, Export, Transaction } from './entities.ts';
import { toSummary } from './join.ts';

type Collections = Pick<Export['budget'], CollectionName>;

const empty: Collections = {
  accounts: [],
  payees: [],
  payee_locations: [],
  category_groups: [],
  categories: [],
  months: [],
  transactions: [],
  subtransactions: [],
  scheduled_transactions: [],
  scheduled_subtransactions: [],
};

/** A month has a row for each category. */
const MONTHS_IN_PART = 12;
const ROWS_IN_PART = 1_000;

/** A budget without its transactions and their legs. */
export type WithoutTransactions = Omit<Export['budget'], 'transactions' | 'subtransactions'>;

/** Each part is an export with some of the rows. The last one has the small collections. */
export function* exportInParts(
  budget: WithoutTransactions,
  transactions: readonly Transaction[],
  server_knowledge: number,
): Generator<Export> {
  const part = (rows: Partial<Collections>): Export => ({
    budget: { ...budget, ...empty, ...rows },
    server_knowledge,
  });
  for (const months of slicesOf(budget.months, MONTHS_IN_PART)) yield part({ months });
  for (const rows of slicesOf(transactions, ROWS_IN_PART)) yield part(flatRows(rows));
  yield part({ ...budget, months: [], transactions: [], subtransactions: [] });
}

/** Transactions as in an export, without names, and their legs. */
export const flatRows = (rows: readonly Transaction[]) => ({
  transactions: rows.map(toSummary),
  subtransactions: rows.flatMap(({ subtransactions }) => subtransactions),
});

/** The export of which these are the parts, in their order. Undefined if there is none. */
export function exportOfParts(parts: readonly Export[]): Export | undefined {
  const last = parts.at(-1);
  return (
    last && {
      ...last,
      budget: {
        ...last.budget,
        months: parts.flatMap(({ budget }) => budget.months),
        transactions: parts.flatMap(({ budget }) => budget.transactions),
        subtransactions: parts.flatMap(({ budget }) => budget.subtransactions),
      },
    }
  );
}

function* slicesOf<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
