/** Lists what is paid again and again, such as subscriptions and bills, as the transactions show it. */
import { z } from 'zod';
import {
  counted,
  joinParts,
  joinWords,
  present,
  type TextContext,
  type TextPart,
  word,
} from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { smallestUnit } from '../../answers/units.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { addMonths, dayOfMonth, onDay } from '../../base/calendar.ts';
import { budgetId, flag, integer, milliunits, payeeId, text } from '../../base/schema/fields.ts';
import { firstRows } from '../../model/sums/first-rows.ts';
import { recurringIn } from '../../model/sums/recurring-charges.ts';

/** Two yearly charges are within this time on every day of the year. */
const DEFAULT_MONTHS = 25;
/** More than the usual number of subscriptions, so that small ones are not cut. */
const MAX_ROWS = 60;
const MAX_ENDED = 5;

const input = z.strictObject({
  budget_id: budgetId,
  months: z.int().min(3).max(120).default(DEFAULT_MONTHS).optional(),
  payee: payeeId.optional(),
});

const charge = z.object({
  payee_id: text,
  name: text,
  rhythm: text,
  amount: milliunits,
  varies: flag,
  changed: z.object({ date: text, from: milliunits }).nullable(),
  cost_per_year: milliunits,
  last_date: text,
  next_date: text,
  scheduled_transaction_id: text.nullable(),
  is_overdue: flag,
  has_ended: flag,
});

const listOf = z.object({ total: integer, sum: milliunits, rows: z.array(charge).readonly() });

const output = z.object({
  since: text,
  /** Their sum is the cost of a year. */
  recurring: listOf,
  ended: listOf,
});

type Recurring = z.output<typeof output>;
type Charge = z.output<typeof charge>;

export const listRecurring = defineTool({
  name: 'list_recurring',
  title: 'List recurring charges',
  description:
    'Subscriptions, memberships and regular bills: am I still paying for it? Rhythm, amount, last price change, cost a year, next date.',
  kind: 'read',
  toolset: 'reports',
  input,
  output,
  example: {},
  async run(call, { months = DEFAULT_MONTHS, payee }) {
    const { replica, freshness } = await readWholeBudget(call);
    const since = onDay(addMonths(call.today, -months), dayOfMonth(call.today));
    const unit = smallestUnit(replica.head.currency_format?.decimal_digits ?? 2);
    const found = recurringIn(replica, { today: call.today, since, payee, smallestUnit: unit });
    const recurring = found.filter(({ has_ended }) => !has_ended);
    const ended = found
      .filter(({ has_ended }) => has_ended)
      .toSorted((a, b) => (a.last_date < b.last_date ? 1 : -1));
    return {
      freshness,
      data: {
        since,
        recurring: firstRows(recurring, MAX_ROWS, costOf),
        ended: firstRows(ended, MAX_ENDED, costOf),
      },
    };
  },
  text: ({ data: { since, recurring, ended } }, context) => ({
    heading: [
      `${counted(recurring.total, 'recurring charge')}`,
      `${context.money(recurring.sum)} a year`,
      `found in transactions since ${word(since)}`,
    ],
    lines: [
      recurring.total > 0 && 'payee, amount, rhythm, cost a year, next date (estimated where not scheduled)',
      ...recurring.rows.map((row) => formatCharge(row, context)),
      formatRest(recurring, context),
      ended.total > 0 && formatEnded(ended, context),
    ],
  }),
});

const costOf = ({ cost_per_year }: Charge) => cost_per_year;

/** Such as `"Moonbeam Video" 15.99 monthly 191.88 2026-12-09`. */
function formatCharge(row: Charge, context: TextContext): string {
  const { money } = context;
  const { changed, rhythm, varies } = row;
  return joinParts(
    joinWords(
      context.named('payee', row.payee_id, row.name),
      varies && 'about',
      money(row.amount),
      rhythm,
      money(row.cost_per_year),
      row.is_overdue && 'overdue since',
      word(row.next_date),
    ),
    row.is_overdue && `last ${word(row.last_date)}`,
    changed && `since ${word(changed.date)}, before ${money(changed.from)}`,
    row.scheduled_transaction_id !== null && 'scheduled',
  );
}

function formatRest({ total, sum, rows }: Recurring['recurring'], { money }: TextContext): TextPart {
  const shown = rows.reduce((total, row) => total + row.cost_per_year, 0);
  return total > rows.length && `and ${total - rows.length} more with ${money(sum - shown)} a year`;
}

function formatEnded({ total, rows }: Recurring['ended'], context: TextContext): string {
  const texts = rows.map(
    (row) =>
      `${context.named('payee', row.payee_id, row.name)} ${context.money(row.amount)} until ${word(row.last_date)}`,
  );
  const rest = total - rows.length;
  return `Seem to have ended: ${present([...texts, rest > 0 && `and ${rest} more`]).join(', ')}`;
}
