/** Lists what came in and needs a person, each with the calls that settle it. It proposes, and changes nothing. */
import { z } from 'zod';
import { counted, joinParts, quoteStart, type TextContext, word } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { transactionsContent } from '../../answers/transactions-view.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { budgetId, flag, integer, milliunits, rangeStart, text } from '../../base/schema/fields.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { type FindingKind, findingKinds } from '../../model/review/finding-kinds.ts';
import { type Finding, findingKindsById, review } from '../../model/review/review.ts';
import { firstRows } from '../../model/sums/first-rows.ts';
import { sumOf } from '../../model/sums/sum.ts';

/** Those that are left come with the next call, once these are settled. */
const MAX_SHOWN = 20;
const MAX_MEMO = 60;

const input = z.strictObject({
  budget_id: budgetId,
  since: rangeStart.optional(),
});

const side = {
  transaction_id: text,
  date: text,
  amount: milliunits,
  name: text.nullable(),
  account_id: text,
  account_name: text,
};

const finding = z.object({
  kind: z.enum(findingKinds),
  ...side,
  payee_id: text.nullable(),
  memo: text.nullable(),
  /** The one that is repeated, or the other side of the transfer. */
  other: z.object(side).optional(),
  /** What the payee had before: the amount in the middle, or the category of most lines. */
  usual_amount: milliunits.optional(),
  usual_category: z.object({ id: text, name: text, count: integer, of: integer }).optional(),
  /** Calls that settle it, one after the other, if the person agrees. */
  settle: z.array(
    z.object({
      tool: text,
      arguments: z.object({
        transaction_id: text,
        payee_id: text.optional(),
        category_id: text.optional(),
        approved: flag.optional(),
      }),
    }),
  ),
});

type Shown = z.output<typeof finding>;

const output = z.object({
  /** The transactions that were looked at, and how many are not approved. */
  came_in: integer,
  unapproved: integer,
  total: integer,
  kinds: z.array(z.object({ kind: z.enum(findingKinds), total: integer })),
  rows: z.array(finding),
});

export const reviewTransactions = defineTool({
  name: 'review_transactions',
  title: 'Review transactions',
  description:
    'What came in (unapproved): duplicates, unlinked transfers, unusual amounts or categories, new payees, and the call that settles each. since: approved too.',
  kind: 'read',
  toolset: 'reports',
  input,
  output,
  example: {},
  async run(call, { since }) {
    const { replica, freshness } = await readWholeBudget(call);
    const { findings, came_in, unapproved } = review(replica, since);
    const named = findings.map((each) => ({ ...each, name: each.row.payee_name }));
    const { rows } = firstRows(named, MAX_SHOWN, () => 0);
    const nameOf = (id: string) => replica.nameOf('category', id);
    return {
      freshness,
      data: {
        came_in,
        unapproved,
        total: findings.length,
        kinds: findingKinds
          .map((kind) => ({ kind, total: findings.filter((each) => each.kind === kind).length }))
          .filter(({ total }) => total > 0),
        rows: rows.map((each) => shown(each, nameOf)),
      },
      view: () => {
        const flags = findingKindsById(findings);
        const flagged = replica.transactions.list({}).filter(({ id }) => flags.has(id));
        return transactionsContent({
          replica,
          query: { since },
          isContinued: false,
          flags,
          page: (most) => ({
            rows: flagged.slice(0, most),
            total: flagged.length,
            sum: sumOf(flagged, ({ amount }) => amount),
            next_cursor: null,
          }),
        });
      },
    };
  },
  text: ({ data }, context) => ({
    heading: [
      `${counted(data.came_in, 'transaction')} came in`,
      `${data.unapproved} not approved`,
      data.total === 0 ? 'nothing stands out' : counted(data.total, 'finding'),
    ],
    lines: [
      ...data.kinds.flatMap(({ kind, total }) => {
        const rows = data.rows.filter((each) => each.kind === kind);
        if (rows.length === 0) return [`${titles[kind]}: ${total}, not shown`];
        const count = rows.length < total ? `${rows.length} of ${total}` : `${total}`;
        return [`${titles[kind]} (${count}):`, ...rows.map((each) => `  ${formatFinding(each, context)}`)];
      }),
      data.unapproved > 0 &&
        `Once these are settled, approve_transactions approves the rest: expected is their number, ${data.unapproved} now.`,
    ],
  }),
  view: 'transactions',
});

function shown(
  { kind, row, other, usual, count = 0, of = 0, settle }: Finding,
  nameOf: (id: string) => string,
): Shown {
  return {
    kind,
    ...sideOf(row),
    payee_id: row.payee_id,
    memo: row.memo,
    ...(other && { other: sideOf(other) }),
    ...(typeof usual === 'number' && { usual_amount: usual }),
    ...(typeof usual === 'string' && { usual_category: { id: usual, name: nameOf(usual), count, of } }),
    settle: settle.map((each) => ({ ...each })),
  };
}

const sideOf = ({ id, date, amount, payee_name, account_id, account_name }: Transaction) => ({
  transaction_id: id,
  date,
  amount,
  name: payee_name,
  account_id,
  account_name,
});

/** What a kind means, and what its calls do. */
const titles: Readonly<Record<FindingKind, string>> = {
  likely_duplicate: 'Likely duplicates, to be deleted if they are',
  transfer_pair:
    'Two sides of a transfer that are not linked. The service cannot link them: the update makes a new other side, which is not cleared, and the one that is there is then deleted',
  unusual_amount: 'Unusual for the payee; the call approves it',
  against_habit: 'Another category than the payee usually has',
  legs_missing: 'Usually split; the call needs subtransactions that add up',
  payee_seen_first: 'A payee seen first; the call approves it',
};

/** Such as `2026-11-20 · -23.40 · "Corner Shop" · account "Checking" · as 2026-11-18 · … → delete_transaction {"transaction_id":"1f3a5c"}`. */
function formatFinding(row: Shown, context: TextContext): string {
  const { other, usual_amount, usual_category, memo } = row;
  const account = (of: Pick<Shown, 'account_id' | 'account_name'>) =>
    `account ${context.named('account', of.account_id, of.account_name)}`;
  const isPair = row.kind === 'transfer_pair';
  return joinParts(
    word(row.date),
    context.money(row.amount),
    row.payee_id === null ? 'no payee' : context.named('payee', row.payee_id, row.name),
    account(row),
    memo !== null && memo !== '' && `memo ${quoteStart(memo, MAX_MEMO)}`,
    other &&
      `${isPair ? 'and' : 'like'} ${joinParts(
        word(other.date),
        quoteStart(other.name ?? '', MAX_MEMO),
        isPair && account(other),
        context.id('transaction', other.transaction_id),
      )}`,
    usual_amount !== undefined && `usually ${context.money(usual_amount)}`,
    usual_category &&
      `${context.named('category', usual_category.id, usual_category.name)} in ${usual_category.count} of ${usual_category.of}`,
    row.settle.length === 0
      ? 'only in the app, since an account is closed'
      : row.settle.map((call) => formatCall(call, context)).join(', then '),
  );
}

function formatCall({ tool, arguments: args }: Shown['settle'][number], context: TextContext): string {
  const { transaction_id, payee_id, category_id, approved } = args;
  return `${tool} ${JSON.stringify({
    transaction_id: context.id('transaction', transaction_id),
    ...(payee_id !== undefined && { payee_id: context.id('payee', payee_id) }),
    ...(category_id !== undefined && { category_id: context.id('category', category_id) }),
    ...(approved !== undefined && { approved }),
  })}`;
}
