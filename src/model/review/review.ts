/**
 * Finds what needs a person among the transactions that came in, and the calls that settle it. Changes nothing. The terms are
 * in docs/questions.md, What came in.
 */
import { compareTexts } from '../../base/compare.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Transaction } from '../replica/entities.ts';
import { categoryKinds, uncategorizedIds } from '../sums/category-kinds.ts';
import { type FindingKind, findingKinds } from './finding-kinds.ts';
import { likelyDuplicates } from './likely-duplicates.ts';
import { type Oddity, payeeOddities } from './payee-habits.ts';
import { transferPairs } from './transfer-pairs.ts';

/** A call that settles a finding once a person agrees. Where legs are missing, it lacks the subtransactions. */
export interface SettlingCall {
  readonly tool: 'delete_transaction' | 'update_transaction';
  readonly arguments: {
    readonly transaction_id: string;
    readonly payee_id?: string;
    readonly category_id?: string;
    readonly approved?: true;
  };
}

export interface Finding {
  readonly kind: FindingKind;
  /** The transaction that came in too much, or that is odd. Of a pair, the side that becomes the transfer. */
  readonly row: Transaction;
  /** The one that a duplicate repeats, or the other side of a pair. */
  readonly other?: Transaction;
  /** The earlier amount in the middle, or the category of most earlier lines. */
  readonly usual?: number | string;
  /** How many earlier ones have that category, of how many. */
  readonly count?: number;
  readonly of?: number;
  /** Empty where a person has to do it in the app. One after the other. */
  readonly settle: readonly SettlingCall[];
}

export interface Review {
  readonly came_in: number;
  readonly unapproved: number;
  /** By kind, the newest first. */
  readonly findings: readonly Finding[];
}

/** `since` is the day from which approved transactions are looked at too. */
export function review(replica: BudgetReplica, since?: string): Review {
  const { transactions, accounts, categories } = replica;
  const newestFirst = transactions.list({});
  const rows = newestFirst.toReversed();
  const cameIn = ({ approved, date }: Transaction) => !approved || (since !== undefined && date >= since);
  const ofService = uncategorizedIds(replica);
  const { isOwn } = categoryKinds(replica);
  const isUsable = (id: string) => {
    const category = categories.has(id) ? categories.get(id) : undefined;
    return category !== undefined && !category.hidden && isOwn(category);
  };

  const duplicates = likelyDuplicates(rows, cameIn);
  const repeated = new Set(duplicates.map(({ removed }) => removed));
  const once = rows.filter((row) => !repeated.has(row));
  const pairs = transferPairs(once, cameIn, ofService);
  const settled = new Set([...duplicates, ...pairs].flatMap(({ kept, removed }) => [kept, removed]));
  const odd = payeeOddities(rows, {
    cameIn: (row) => cameIn(row) && !settled.has(row),
    hasNoMeaning: (id) => ofService.has(id),
    isUsable,
  });

  const payeeOf = (accountId: string) => {
    const account = accounts.has(accountId) ? accounts.get(accountId) : undefined;
    return account && !account.closed ? account.transfer_payee_id : null;
  };
  const findings: Finding[] = [
    ...duplicates.map(
      ({ removed, kept }): Finding => ({
        kind: 'likely_duplicate',
        row: removed,
        other: kept,
        settle: [{ tool: 'delete_transaction', arguments: { transaction_id: removed.id } }],
      }),
    ),
    ...pairs.map(({ kept, removed }): Finding => {
      const payee_id = payeeOf(removed.account_id);
      return {
        kind: 'transfer_pair',
        row: kept,
        other: removed,
        settle:
          payee_id === null
            ? []
            : [
                { tool: 'update_transaction', arguments: { transaction_id: kept.id, payee_id } },
                { tool: 'delete_transaction', arguments: { transaction_id: removed.id } },
              ],
      };
    }),
    ...odd.map((each): Finding => ({ ...each, settle: [settlingOddity(each)] })),
  ];
  const order = (kind: FindingKind) => findingKinds.indexOf(kind);
  return {
    came_in: rows.filter(cameIn).length,
    unapproved: rows.filter(({ approved }) => !approved).length,
    findings: findings.toSorted(
      (a, b) => order(a.kind) - order(b.kind) || compareTexts(b.row.date, a.row.date),
    ),
  };
}

/** The kinds of findings of each transaction that has any, each once, by its id. */
export function findingKindsById(findings: readonly Finding[]): ReadonlyMap<string, readonly FindingKind[]> {
  const kinds = new Map<string, readonly FindingKind[]>();
  for (const { row, other, kind } of findings)
    for (const { id } of other ? [row, other] : [row]) {
      const known = kinds.get(id) ?? [];
      if (!known.includes(kind)) kinds.set(id, [...known, kind]);
    }
  return kinds;
}

function settlingOddity(odd: Oddity): SettlingCall {
  const transaction_id = odd.row.id;
  return {
    tool: 'update_transaction',
    arguments:
      odd.kind === 'against_habit'
        ? { transaction_id, category_id: odd.usual }
        : odd.kind === 'legs_missing'
          ? { transaction_id }
          : { transaction_id, approved: true },
  };
}
