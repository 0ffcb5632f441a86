/**
 * Says of each write that budgets what is left to assign afterwards: in its answer, its preview, the question about it and its
 * view. Below zero this comes first.
 */
import { z } from 'zod';
import { compareTexts } from '../base/compare.ts';
import { undefinedIfExpected } from '../base/errors.ts';
import { milliunits, text } from '../base/schema/fields.ts';
import { type BudgetedAmount, readyAfter } from '../model/sums/ready-to-assign.ts';
import { sumOf } from '../model/sums/sum.ts';
import { getMonth, listMonths } from '../operations/months.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import { firstOf, word } from './text.ts';
import type { PlannedWrite, WriteAnswer } from './tool.ts';
import { type Money, moneyFormatter } from './units.ts';
import type { WriteContent } from './view-data/write-content.ts';

/** The months that are budgeted in, and later ones in which less than nothing is left. `before` only of what is planned. */
export const readyToAssign = z.array(
  z.object({ month: text, before: milliunits.optional(), after: milliunits }),
);

type Ready = z.output<typeof readyToAssign>;

export const READY = 'Ready to Assign';
const MAX_MONTHS = 3;

export const withReadyToAssign = (call: BudgetCall, plan: PlannedWrite): PlannedWrite => ({
  ...plan,
  async run(mustNotSend) {
    const answer = await plan.run(mustNotSend);
    const { budgeted = [] } = answer;
    return budgeted.length === 0 ? answer : withReady(answer, await readyNow(call, budgeted), moneyOf(call));
  },
  async simulate() {
    const preview = await plan.simulate();
    const { budgeted = [], problems } = preview;
    if (budgeted.length === 0 || problems.length > 0) return preview;
    const ready = await readyPlanned(call, budgeted);
    const { first, last } = linesOf(ready, moneyOf(call));
    return {
      ...preview,
      ...withReady(preview, ready, moneyOf(call)),
      question: (shown) => [...first, preview.question(shown), ...last].join('\n'),
    };
  },
});

const moneyOf = ({ budget }: BudgetCall) => moneyFormatter(budget?.currency_format ?? null);

/** `ready` is undefined if it could not be read. `money` is for a person. */
function withReady(answer: WriteAnswer, ready: Ready | undefined, money: Money): WriteAnswer {
  const { view } = answer;
  return {
    ...answer,
    ...(view && { view: () => viewWith(view(), ready, money) }),
    format(context) {
      const { data, lines, ...rest } = answer.format(context);
      const { first, last } = linesOf(ready, context.money);
      return {
        ...rest,
        data: { ...data, ...(ready && { ready_to_assign: ready }) },
        lines: [...first, ...lines, ...last],
      };
    },
  };
}

/** Undefined if the cached budget may lack the write. */
async function readyNow(call: BudgetCall, budgeted: readonly BudgetedAmount[]): Promise<Ready | undefined> {
  const months = call.cachedReplica
    ? call.readCached(listMonths, {})?.data?.months
    : (await call.read(listMonths, {}).catch(undefinedIfExpected))?.data.months;
  const ready = months?.map(({ month, to_be_budgeted }) => ({ month, after: to_be_budgeted }));
  return ready && shownOf(budgeted, ready);
}

async function readyPlanned(
  call: BudgetCall,
  budgeted: readonly BudgetedAmount[],
): Promise<Ready | undefined> {
  const replica = call.cachedReplica;
  if (replica) return shownOf(budgeted, readyAfter(replica, budgeted));
  const ready: Ready = [];
  for (const month of monthsOf(budgeted)) {
    const read = await call.read(getMonth, { month }).catch(undefinedIfExpected);
    if (!read) return undefined;
    const { to_be_budgeted, categories } = read.data.month;
    const added = sumOf(categories, (row) => {
      const last = budgeted.findLast((each) => each.month === month && each.category_id === row.id);
      return last ? last.budgeted - row.budgeted : 0;
    });
    ready.push({ month, before: to_be_budgeted, after: to_be_budgeted - added });
  }
  return ready;
}

const monthsOf = (budgeted: readonly BudgetedAmount[]) =>
  [...new Set(budgeted.map(({ month }) => month))].toSorted();

function shownOf(budgeted: readonly BudgetedAmount[], ready: readonly Ready[number][]): Ready {
  const months = monthsOf(budgeted);
  const [first = ''] = months;
  return ready
    .filter(({ month, after }) => months.includes(month) || (month > first && after < 0))
    .toSorted((a, b) => compareTexts(a.month, b.month));
}

/** Returns the lines that stand before the others, and those after them. */
function linesOf(ready: Ready | undefined, money: Money) {
  if (!ready) return { first: [], last: ['What is left to assign could not be read.'] };
  const left = ready.filter(({ after }) => after >= 0);
  return {
    first: belowZeroLines(ready, money),
    last: firstOf(
      left.map((each) =>
        each.before === undefined
          ? `${READY} in ${nameOf(each)}: ${money(each.after)} now.`
          : `${READY} in ${nameOf(each)}: now ${money(each.before)}, afterwards ${money(each.after)}.`,
      ),
      MAX_MONTHS,
      'months',
    ),
  };
}

function belowZeroLines(ready: Ready, money: Money): string[] {
  const below = ready.filter(({ after }) => after < 0);
  if (below.length === 0) return [];
  const isPlanned = below.some(({ before }) => before !== undefined);
  const amounts = below.map((each) => {
    const now = each.before === undefined ? '' : ` (now ${money(each.before)})`;
    return `${money(each.after)} in ${nameOf(each)}${now}`;
  });
  const listed = firstOf(amounts, MAX_MONTHS, 'months').join(', ');
  return isPlanned
    ? [`${READY} would be below zero: ${listed}. More would be budgeted than there is.`]
    : [`${READY} is below zero: ${listed}. More is budgeted than there is.`];
}

const nameOf = ({ month }: Ready[number]) => word(month.slice(0, 7));

function viewWith(content: WriteContent, ready: Ready | undefined, money: Money): WriteContent {
  if (!ready) return { ...content, notes: [...content.notes, ...linesOf(ready, money).last] };
  return {
    ...content,
    notes: [...belowZeroLines(ready, money), ...content.notes],
    balances: [
      ...ready.map(({ month, ...amounts }) => ({
        kind: 'ready' as const,
        name: READY,
        month: month.slice(0, 7),
        ...amounts,
      })),
      ...content.balances,
    ],
  };
}
