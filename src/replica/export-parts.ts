/** Divides an export into parts of a limited size, so that writing and reading a large budget never blocks for long. */
import type { Export } from './entities.ts';

type Collections = Pick<
  Export['budget'],
  | 'accounts'
  | 'payees'
  | 'payee_locations'
  | 'category_groups'
  | 'categories'
  | 'months'
  | 'transactions'
  | 'subtransactions'
  | 'scheduled_transactions'
  | 'scheduled_subtransactions'
>;

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
const ROWS_IN_PART = 2_000;

/** Each part is an export with some of the rows. The last one has the small collections. */
export function* exportInParts({ budget, server_knowledge }: Export): Generator<Export> {
  const { months, transactions, subtransactions } = budget;
  const part = (rows: Partial<Collections>): Export => ({
    budget: { ...budget, ...empty, ...rows },
    server_knowledge,
  });
  for (const slice of slicesOf(months, MONTHS_IN_PART)) yield part({ months: slice });
  for (const slice of slicesOf(transactions, ROWS_IN_PART)) yield part({ transactions: slice });
  for (const slice of slicesOf(subtransactions, ROWS_IN_PART)) yield part({ subtransactions: slice });
  yield part({ ...budget, months: [], transactions: [], subtransactions: [] });
}

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
