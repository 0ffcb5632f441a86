/** Gives every unit of money a job: assigns money to several categories at once, by a rule or by amounts. */
import { z } from 'zod';
import { present, type TextContext } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { plainAmounts, smallestUnit } from '../../answers/units.ts';
import { computeFromBudget, readWholeBudget } from '../../answers/whole-budget.ts';
import { outcomeFields, writeFields } from '../../answers/write-result.ts';
import {
  earlierError,
  outcomeTogether,
  previewTogether,
  writtenTogether,
} from '../../answers/write-together.ts';
import { addDays, firstOfMonth } from '../../base/calendar.ts';
import { BudgetError } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import {
  amountSize,
  budgetId,
  categoryId,
  categoryOrGroupId,
  milliunits,
  month,
} from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { withMonth } from '../../model/sums/month-to-come.ts';
import { MAX_ROWS_UNCONFIRMED } from '../../operations/consent.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import type { JournalStep } from '../../session/writes/journal.ts';
import { assignmentContent } from './assign-view.ts';
import {
  type AssignedMoney,
  amountsWith,
  assignedMoney,
  budgetedAfter,
  formatAssignment,
} from './assigned-money.ts';
import { amountsNow, carryOutAssignment, type OpenPlan } from './carry-out-assignment.ts';
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
  async plan(call, { budget_id: _, month = firstOfMonth(call.today), ...given }): Promise<PlannedWrite> {
    const unit = smallestUnit(call.budget?.currency_format?.decimal_digits ?? 3);
    const { months = DEFAULT_MONTHS } = given;
    const requested = { ...given, months, month, today: call.today, unit };
    return plannedWrite(call, { ...given, month }, requested);
  },
});

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

/** What is kept in the journal. `args` are those of the call. */
const keptPlan = z.object({ args: z.string(), isComplete: z.boolean(), plan: assignedMoney });

interface KeptPlan extends OpenPlan {
  /** The id of the entry in the journal. */
  readonly id: string;
  readonly isComplete: boolean;
}

/** The plan of the last equal call. Undefined if that was too long ago, or if it was taken back. */
async function lastPlan(call: BudgetCall, args: JsonObject): Promise<KeptPlan | undefined> {
  const text = canonicalJson(args);
  const entries = await call.journal();
  for (const { id, at, tool, steps, takenBackBy, plan: json } of entries) {
    const { data: kept } = keptPlan.safeParse(json);
    if (tool !== assignMoney.name || kept?.args !== text) continue;
    // An equal call goes on with a plan of the person's day or of the day before.
    const isOver = takenBackBy !== undefined || call.dayOf(at) < addDays(call.today, -1);
    if (isOver || entries.some(({ takesBack }) => takesBack === id)) return undefined;
    const { plan, isComplete } = kept;
    return { id, call: new Date(at).toISOString(), isComplete, plan, done: new Map(steps.map(assignedBy)) };
  }
  return undefined;
}

const budgetedIn = z.object({ budgeted: milliunits });
const writtenStep = z.object({
  input: budgetedIn.extend({ category_id: categoryId }),
  before: z.tuple([budgetedIn]),
});

/** The category that a step has written, and what that has assigned to it. */
function assignedBy(step: JournalStep): [string, number] {
  const { input, before } = writtenStep.parse(step);
  return [input.category_id, input.budgeted - before[0].budgeted];
}

/** The plan that an equal call goes on with, because it did not get to its end. */
async function openPlan(call: BudgetCall, args: JsonObject): Promise<KeptPlan | undefined> {
  const last = await lastPlan(call, args);
  return last?.isComplete ? undefined : last;
}

async function plannedWrite(
  call: BudgetCall,
  args: JsonObject,
  requested: RequestedAssignment,
): Promise<PlannedWrite> {
  let shown: AssignedMoney | undefined;
  const rows = await rowsToConfirm(call, args, requested);
  const carryOut = async (steps: WriteSteps, id: string | undefined) => {
    const earlier = id === undefined ? undefined : await openPlan(call, args);
    if (id !== earlier?.id) throw notAsConfirmed(whyNotOpen(await lastPlan(call, args)));
    const deps = {
      ...steps,
      money: plainAmounts(call.budget?.currency_format ?? null),
      status: () => call.status(),
      keep: (plan: AssignedMoney, isComplete: boolean) =>
        steps.keepPlan({ args: canonicalJson(args), isComplete, plan }),
      checkConfirmed(plan: AssignedMoney) {
        const isOther = shown && canonicalJson(shown) !== canonicalJson(plan);
        const isLarge = rows <= MAX_ROWS_UNCONFIRMED && plan.changes.length > MAX_ROWS_UNCONFIRMED;
        if (isOther || isLarge) throw notAsConfirmed('the budget has changed since this was planned');
      },
    };
    return carryOutAssignment(deps, requested, earlier);
  };
  return {
    rows,
    isRepeat: () => call.isRepeated(assignMoney, args),
    async run(mustNotSend) {
      let hasBegun = false;
      const attempt = async (mustNotSend: boolean) => {
        const continues = (await openPlan(call, args))?.id;
        return call.writeTogether(
          assignMoney,
          args,
          (steps) => {
            hasBegun = true;
            return carryOut(steps, continues);
          },
          { mustNotSend, continues },
        );
      };
      const result = await attempt(mustNotSend).catch(async (error: unknown) => {
        // An earlier equal call was carried out in part, or wholly, if its process was killed at its end.
        const interrupted = earlierError(error, hasBegun);
        const last = await lastPlan(call, args);
        if (!last) throw interrupted;
        return last.isComplete ? completed(call, last) : attempt(false);
      });
      const assigned = assignedMoney.parse(result.data);
      const view = () => assignmentContent('written', assigned);
      const lines = (context: TextContext) => formatAssignment(assigned, 'done', context);
      if (assigned.changes.length > 0 && assigned.rest_of?.written_now !== 0)
        return outcomeTogether(result, { data: assigned, budgeted: budgetedBy(assigned), view, lines });
      const data = { ...assigned, ...outcomeFields(result), outcome: 'nothing_to_do' };
      return { freshness: result.freshness, view, format: (context) => ({ data, lines: lines(context) }) };
    },
    async simulate() {
      const { replica, freshness } = await call.refresh(false);
      const open = await openPlan(call, args);
      const plan = open ? restOf(replica, requested, open) : planAssignment(replica, requested);
      if (!open) shown = plan;
      const heading = open ? ['It goes on with the call that was interrupted.'] : [];
      return previewTogether(call, assignMoney, {
        freshness,
        data: plan,
        budgeted: budgetedBy(plan),
        view: () => assignmentContent('preview', plan),
        lines: (context) => [...heading, ...formatAssignment(plan, 'planned', context)],
      });
    },
  };
}

const budgetedBy = ({ month, changes }: AssignedMoney) => budgetedAfter(month, changes);

/** The outcome of an earlier call, which did not reach the host. */
async function completed(
  budgetCall: BudgetCall,
  { plan, done, call }: KeptPlan,
): Promise<CallResult<JsonObject>> {
  const { replica, freshness } = await readWholeBudget(budgetCall);
  const data = amountsNow(plan, { done, answered: new Map(), current: replica });
  return { data, freshness, outcome: 'written', earlier_call: call };
}

/** What goes on was confirmed when it began. An earlier outcome is returned without a question (`mustNotSend`). */
async function rowsToConfirm(
  call: BudgetCall,
  args: JsonObject,
  requested: RequestedAssignment,
): Promise<number> {
  if (await call.isRepeated(assignMoney, args)) return Number.POSITIVE_INFINITY;
  if (await openPlan(call, args)) return 0;
  return computeFromBudget(call, (replica) => planAssignment(replica, requested).changes.length);
}

function restOf(
  replica: BudgetReplica,
  requested: RequestedAssignment,
  { plan, done }: OpenPlan,
): AssignedMoney {
  const open = plan.changes.filter(({ id }) => !done.has(id));
  const rest = decideAgain(replica, requested, plan, open);
  const ready = withMonth(replica, plan.month).months.summary(plan.month).to_be_budgeted;
  return {
    ...plan,
    ready_before: ready,
    ready_after: rest.reduce((sum, { amount }) => sum - amount, ready),
    changes: rest.map(({ change, row, amount }) => ({ ...change, ...amountsWith(row, amount) })),
  };
}

/** What has become of a plan that was open. */
const whyNotOpen = (last: KeptPlan | undefined) =>
  last?.isComplete
    ? 'another call has gone on with it, and all of it is written. The same call again would assign it once more'
    : 'what is written of it was taken back meanwhile';

const notAsConfirmed = (why: string) => new BudgetError('not_written', `${assignMoney.title}: ${why}.`);
