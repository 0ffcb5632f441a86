import { expect, it } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { FindingKind } from '../../../src/model/review/finding-kinds.ts';
import { review } from '../../../src/model/review/review.ts';
import { account, category, exported, leg, transaction } from '../../answers/samples.helper.ts';
import { type BlindHousehold, blindHousehold } from './blind-cases.helper.ts';

/** The terms were changed on other households (docs/questions.md, What came in). */
const FIRST_SEED = 2001;
const HOUSEHOLDS = 20;

const kinds = {
  duplicate: 'likely_duplicate',
  transfer: 'transfer_pair',
  unusual: 'unusual_amount',
} as const satisfies Record<string, FindingKind>;

/** Ids are indices. */
function replicaOf({ today, accounts, categories, transactions }: BlindHousehold): BudgetReplica {
  const payees = [...new Set(transactions.map(({ payee }) => payee))];
  const accountOf = (name: string) => `acc-${accounts.findIndex((each) => each.name === name)}`;
  const categoryOf = (name: string | null) => (name === null ? null : `cat-${categories.indexOf(name)}`);
  return BudgetReplica.load(
    {
      budget: exported({
        accounts: accounts.map((each, at) => account({ ...each, id: `acc-${at}` })),
        categories: categories.map((name, at) => category({ id: `cat-${at}`, name })),
        category_groups: [{ id: 'grp-1', name: 'Everyday', hidden: false, deleted: false }],
        payees: payees.map((name, at) => ({
          id: `pay-${at}`,
          name,
          transfer_account_id: null,
          deleted: false,
        })),
        transactions: transactions.map((row, at) => {
          const { subtransactions: _, ...each } = transaction({
            id: `${at}`,
            date: row.date,
            amount: row.amount,
            memo: row.memo,
            cleared: row.cleared,
            approved: row.approved,
            account_id: accountOf(row.account),
            account_name: row.account,
            payee_id: `pay-${payees.indexOf(row.payee)}`,
            payee_name: row.payee,
            category_id: categoryOf(row.category),
            category_name: row.category,
            transfer_account_id: row.transferAccount === null ? null : accountOf(row.transferAccount),
            transfer_transaction_id: row.transferTransaction === null ? null : `${row.transferTransaction}`,
            import_id: row.importId,
            import_payee_name: row.importPayee,
            import_payee_name_original: row.importPayeeOriginal,
          });
          return each;
        }),
        subtransactions: transactions.flatMap(({ legs }, at) =>
          legs.map((each, number) =>
            leg({
              id: `${at}-${number}`,
              transaction_id: `${at}`,
              amount: each.amount,
              category_id: categoryOf(each.category),
              category_name: each.category,
            }),
          ),
        ),
      }),
      server_knowledge: 1,
    },
    today,
  );
}

const keyOf = (ids: readonly (number | string)[]) => ids.map(String).toSorted().join(' ');

it('of cases by an author who did not know the terms, nearly all duplicates and transfers are found, and hardly anything else', () => {
  const counts = new Map<string, { planted: number; found: number; right: number }>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HOUSEHOLDS; seed += 1) {
    const household = blindHousehold(seed);
    const { findings } = review(replicaOf(household));
    for (const [kind, nameOfKind] of Object.entries(kinds)) {
      const cases = household.truths.filter((each) => each.kind === kind);
      const planted = new Set(cases.map(({ transactions }) => keyOf(transactions)));
      const found = findings
        .filter((each) => each.kind === nameOfKind)
        .map(({ row, other }) => keyOf(other ? [row.id, other.id] : [row.id]));
      const before = counts.get(kind) ?? { planted: 0, found: 0, right: 0 };
      counts.set(kind, {
        planted: before.planted + planted.size,
        found: before.found + found.length,
        right: before.right + found.filter((key) => planted.has(key)).length,
      });
    }
  }
  for (const [kind, { planted, found, right }] of counts) {
    // What a person finds unusual is more than amounts far above the usual one of the same payee.
    const isUnusual = kind === 'unusual';
    expect(right / found, `precision of ${kind}`).toBeGreaterThanOrEqual(isUnusual ? 0.7 : 0.98);
    expect(right / planted, `recall of ${kind}`).toBeGreaterThanOrEqual(isUnusual ? 0.35 : 0.9);
  }
});
