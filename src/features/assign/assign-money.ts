/** Gives every unit of money a job: assigns money to several categories at once, by a rule or by amounts. */
import { z } from 'zod';
import { type EarlierPart, plannedSteps } from '../../answers/planned-steps.ts';
import type { SentSteps } from '../../answers/send-steps.ts';
import { present } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { plainAmounts, smallestUnit } from '../../answers/units.ts';
import { writtenTogether } from '../../answers/write-report.ts';
import { writeFields } from '../../answers/write-result.ts';
import { firstOfMonth } from '../../base/calendar.ts';
import { amountSize, budgetId, categoryId, categoryOrGroupId, month } from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { withMonth } from '../../model/sums/month-to-come.ts';
import type { WriteResult } from '../../session/call-result.ts';
import type { JournalStep } from '../../session/writes/journal.ts';
import { assignmentContent } from './assign-view.ts';
import {
  type AssignedChange,
  type AssignedMoney,
  amountsWith,
  assignedMoney,
  budgetedAfter,
  formatAssignment,
} from './assigned-money.ts';
import { assignedBy, assignmentSteps, interruptedAssignment } from './assignment-steps.ts';
import { assignmentRules } from './category-needs.ts';
import { decideAgain, planAssignment, type RequestedAssignment } from './plan-assignment.ts';

const DEFAULT_MONTHS = 3;

const input = z.strictObject({
  budget_id: budgetId,
  rule: z.enum(assignmentRules).optional(),
  amounts: z.array(z.strictObject({ category: categoryId, amount: amountSize })).optional(),
  month: month.optional(),
  categories: z.array(categoryOrGroupId).optional(),
  from: categoryId.optional(),
  limit: amountSize.optional().meta({ description: 'in all' }),
  months: z.int().min(1).max(24).meta({ description: 'of the average' }).optional(),
});

type Input = z.output<typeof input>;

export const assignMoney = defineTool({
  name: 'assign_money',
  title: 'Assign money',
  description:
    'Budgets for many categories at once, automatically: cover all overspending, fund goals (fill, top up), spread a paycheck (salary), repeat last month or an average. By rule, or amounts to add.',
  kind: 'update',
  isRepeatable: false,
  toolset: 'categories',
  batch: 'amounts',
  input,
  output: writtenTogether(assignedMoney).extend({
    outcome: z.enum([...writeFields.outcome.options, 'nothing_to_do']),
  }),
  example: { rule: 'cover_overspent' },
  check: problemsOf,
  plan(call, { budget_id: _, month = firstOfMonth(call.today), ...given }): Promise<PlannedWrite> {
    const unit = smallestUnit(call.budget?.currency_format?.decimal_digits ?? 3);
    const { months = DEFAULT_MONTHS } = given;
    const requested = { ...given, months, month, today: call.today, unit };
    const money = plainAmounts(call.budget?.currency_format ?? null);
    return plannedSteps<AssignedMoney>(call, {
      entry: assignMoney,
      args: { ...given, month },
      plan: (replica) => planAssignment(replica, requested),
      size: ({ changes }) => changes.length,
      facts: (plan) => plan,
      steps: (plan, replica, done) => assignmentSteps(month, leftOf(plan, replica, done, requested)),
      isDecidedAgain: true,
      kept: {
        schema: assignedMoney,
        rest: (plan, replica, done) => restOf(plan, replica, leftOf(plan, replica, done, requested)),
      },
      nothingDone: 'budgeted nothing',
      interrupted: (plan, progress) => interruptedAssignment(plan, progress, money, GO_ON),
      outcome: outcomeOf,
      planned: (plan) => ({
        data: plan,
        budgeted: budgetedBy(plan),
        view: () => assignmentContent('preview', plan),
        lines: (context) => formatAssignment(plan, 'planned', context),
      }),
      written({ data }) {
        const assigned = assignedMoney.parse(data);
        const isNothing = assigned.changes.length === 0 || assigned.rest_of?.written_now === 0;
        return {
          data: { ...assigned, ...(isNothing && { outcome: 'nothing_to_do' }) },
          ...(isNothing ? { headline: '' } : { budgeted: budgetedBy(assigned) }),
          view: () => assignmentContent('written', assigned),
          lines: (context) => formatAssignment(assigned, 'done', context),
        };
      },
    });
  },
});

const GO_ON = 'The same call goes on with the rest, and undo takes back what is written.';

function problemsOf({ rule, amounts, categories, limit, months, from }: Input): string[] {
  const named = (amounts ?? []).map(({ category }) => category);
  return present([
    rule === undefined && amounts === undefined && 'give rule or amounts',
    rule !== undefined && amounts !== undefined && 'give rule or amounts, not both',
    rule === undefined && (categories ?? limit) !== undefined && 'categories and limit need a rule',
    months !== undefined && !rule?.startsWith('average') && 'months needs a rule that averages',
    limit !== undefined && limit <= 0 && 'limit must be more than 0',
    new Set(named).size < named.length && 'amounts names a category twice',
    from !== undefined && named.includes(from) && 'amounts names from, which gives the money',
  ]);
}

const budgetedBy = ({ month, changes }: AssignedMoney) => budgetedAfter(month, changes);

/** What is still to be assigned, as the budget is now. */
function leftOf(
  plan: AssignedMoney,
  replica: BudgetReplica,
  steps: readonly JournalStep[],
  requested: RequestedAssignment,
) {
  const done = assignedBy(steps);
  return decideAgain(
    replica,
    requested,
    plan,
    plan.changes.filter(({ id }) => !done.has(id)),
  );
}

function restOf(
  plan: AssignedMoney,
  replica: BudgetReplica,
  rest: ReturnType<typeof decideAgain>,
): AssignedMoney {
  const ready = withMonth(replica, plan.month).months.summary(plan.month).to_be_budgeted;
  return {
    ...plan,
    ready_before: ready,
    ready_after: rest.reduce((sum, { amount }) => sum - amount, ready),
    changes: rest.map(({ change, row, amount }) => ({ ...change, ...amountsWith(row, amount) })),
  };
}

function outcomeOf(plan: AssignedMoney, sent: SentSteps, earlier?: EarlierPart): WriteResult {
  const { current, outcome } = sent;
  if (plan.changes.length === 0) return { data: plan, outcome };
  const done = assignedBy(sent.done);
  const rowOf = (id: string) => current?.months.category(plan.month, id);
  const changes = plan.changes.map(({ left_after: _, changed_meanwhile: __, ...each }): AssignedChange => {
    const now = rowOf(each.id) ?? done.get(each.id);
    const isChanged = now ? now.budgeted !== each.budgeted_after : !done.has(each.id);
    return {
      ...each,
      amount: done.get(each.id)?.amount ?? 0,
      ...(now && { budgeted_after: now.budgeted, left_after: now.balance }),
      ...(isChanged && { changed_meanwhile: true }),
    };
  });
  const { ready_after: _, ...rest } = plan;
  const before = earlier?.done.length ?? 0;
  const data = assignedMoney.parse({
    ...rest,
    changes,
    ...(current && { ready_after: current.months.summary(plan.month).to_be_budgeted }),
    cards_below_zero: plan.cards_below_zero.map((each) => ({
      ...each,
      ...(current && { left_after: rowOf(each.id)?.balance }),
    })),
    ...(earlier && {
      rest_of: { call: earlier.call, written_before: before, written_now: done.size - before },
    }),
    ...(sent.mayHaveReplaced && { may_have_replaced: true }),
  });
  return { data, outcome };
}
