/**
 * A write of several steps as a pure function of a budget, and the one way in which it is shown, confirmed, carried out, gone on
 * with and answered. The write is planned again in its turn, and compared with what was confirmed.
 */
import { z } from 'zod';
import { addDays } from '../base/calendar.ts';
import { BudgetError, invalidInput } from '../base/errors.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import { MAX_ROWS_UNCONFIRMED } from '../operations/consent.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallResult, WriteResult } from '../session/call-result.ts';
import type { WriteEntry, WriteSteps } from '../session/call-writes.ts';
import type { JournalStep } from '../session/writes/journal.ts';
import { checkRequestsLeft } from './requests-left.ts';
import { type Interruption, type Progress, type SentSteps, type Step, sendSteps } from './send-steps.ts';
import { listProblems } from './text.ts';
import type { PlannedWrite } from './tool.ts';
import { computeFromBudget, readWholeBudget } from './whole-budget.ts';
import { previewOf, type WriteReport, writtenAnswer } from './write-report.ts';

/** The earlier call that a call goes on with. */
export interface EarlierPart {
  /** When it began, in ISO 8601. */
  readonly call: string;
  readonly done: readonly JournalStep[];
}

export interface WriteOfSteps<Plan> {
  readonly entry: WriteEntry;
  /** The resolved arguments, by which equal calls are recognised. */
  readonly args: JsonObject;
  /** A digest of what else it goes by, such as a file. An equal call with another one is a write of its own. */
  source?(plan: Plan): string;
  /** Works it out from a budget. Throws if it is not possible. `shown` is what the person has confirmed. */
  plan(replica: BudgetReplica, shown?: Plan): Plan | Promise<Plan>;
  /** The number of rows that it changes, by which the person is asked. */
  size?(plan: Plan): number;
  /** The facts that a person decides by. */
  facts(plan: Plan): JsonObject;
  /** The part that must not have changed when the write has its turn. By default all facts. */
  agreed?(plan: Plan): unknown;
  /** Why it would be refused. `stale` is why the budget is older than it should be. */
  problems?(plan: Plan, stale?: string): readonly string[];
  /** The steps that are left, as the budget is now. */
  steps(plan: Plan, replica: BudgetReplica, done: readonly JournalStep[]): readonly Step[];
  /** For steps that depend on what others change meanwhile: they are worked out again. */
  readonly isDecidedAgain?: boolean;
  /** Called after each step. Throws if the service has not carried it out as a whole. */
  check?(plan: Plan, done: readonly JournalStep[]): void;
  interrupted(plan: Plan, progress: Progress): Interruption | undefined;
  /** Keeps the plan in the journal. */
  readonly kept?: KeptPlans<Plan>;
  /** Such as `approved nothing`. Without it, the requests that are left are not checked. */
  readonly nothingDone?: string;
  outcome(plan: Plan, sent: SentSteps, earlier?: EarlierPart): WriteResult;
  /** `problems` are why it would be refused. */
  planned(plan: Plan, problems: readonly string[]): WriteReport;
  /** `plan` is what this call has carried out. Undefined for the outcome of an earlier one. */
  written(result: CallResult<JsonObject>, plan: Plan | undefined): WriteReport | Promise<WriteReport>;
}

interface KeptPlans<Plan> {
  readonly schema: z.ZodType<Plan>;
  /** The rest of a plan that was interrupted: an equal call goes on with that. Without it, an equal call says what stands. */
  rest?(plan: Plan, replica: BudgetReplica, done: readonly JournalStep[]): Plan;
}

const keptPlan = z.object({ args: z.string(), isComplete: z.boolean().default(false), plan: z.unknown() });

interface KeptPlan<Plan> extends EarlierPart {
  /** The id of the entry in the journal. */
  readonly id: string;
  readonly isComplete: boolean;
  readonly plan: Plan;
}

/** The plan of the last equal call. Undefined if that was too long ago, or if it was taken back. */
async function lastPlan<Plan>(
  call: BudgetCall,
  { entry, args, kept: plans }: WriteOfSteps<Plan>,
): Promise<KeptPlan<Plan> | undefined> {
  if (!plans) return undefined;
  const text = canonicalJson(args);
  const entries = await call.journal();
  for (const { id, at, tool, steps, takenBackBy, plan: json } of entries) {
    const { data: kept } = keptPlan.safeParse(json);
    const { data: plan } = plans.schema.safeParse(kept?.plan);
    if (tool !== entry.name || kept?.args !== text || plan === undefined) continue;
    // An equal call goes on with a plan of the person's day or of the day before.
    const isOver = takenBackBy !== undefined || call.dayOf(at) < addDays(call.today, -1);
    if (isOver || entries.some(({ takesBack }) => takesBack === id)) return undefined;
    return { id, call: new Date(at).toISOString(), isComplete: kept.isComplete, plan, done: steps };
  }
  return undefined;
}

export async function plannedSteps<Plan>(call: BudgetCall, write: WriteOfSteps<Plan>): Promise<PlannedWrite> {
  const { entry, args, kept, agreed = write.facts } = write;
  let planned: { readonly knowledge: number; readonly plan: Plan } | undefined;
  let shown: Plan | undefined;

  /** Planned once for each state of the budget. */
  const planOn = async (replica: BudgetReplica): Promise<Plan> => {
    if (planned?.knowledge !== replica.knowledge)
      planned = { knowledge: replica.knowledge, plan: await write.plan(replica) };
    return planned.plan;
  };
  /** The plan that an equal call goes on with, because it did not get to its end. */
  const openPlan = async () => {
    const last = kept?.rest && (await lastPlan(call, write));
    return last?.isComplete ? undefined : last;
  };
  const notAsPlanned = (why: string) => new BudgetError('not_written', `${entry.title}: ${why}.`);

  const source = write.source?.(await planOn((await readWholeBudget(call)).replica));
  const isRepeat = () => call.isRepeated(entry, args, source);
  /** An earlier outcome is returned without a question (`mustNotSend`), and what goes on was confirmed when it began. */
  const countRows = async (): Promise<number | undefined> => {
    if (await isRepeat()) return Number.POSITIVE_INFINITY;
    if (await openPlan()) return 0;
    return computeFromBudget(call, async (replica) => write.size?.(await planOn(replica)));
  };
  const rows = await countRows();

  /** The user is never asked about none. */
  const unaskedRows = rows === 0 ? 0 : Math.max(rows ?? Number.POSITIVE_INFINITY, MAX_ROWS_UNCONFIRMED);

  const planInTurn = async (replica: BudgetReplica): Promise<Plan> => {
    const plan = await write.plan(replica, shown);
    const isOther = shown && canonicalJson(agreed(shown)) !== canonicalJson(agreed(plan));
    if (isOther || (!shown && (write.size?.(plan) ?? 0) > unaskedRows))
      throw notAsPlanned(`what this would write has changed since it was ${shown ? 'confirmed' : 'planned'}`);
    const problems = write.problems?.(plan) ?? [];
    if (problems.length > 0) throw invalidInput(`${entry.title}: ${listProblems(problems)}.`);
    return plan;
  };

  let carriedOut: Plan | undefined;
  const carryOut = async (steps: WriteSteps, continues: string | undefined): Promise<WriteResult> => {
    const replica = await steps.update();
    const earlier = continues === undefined ? undefined : await openPlan();
    if (earlier?.id !== continues) throw notAsPlanned(whyNotOpen(await lastPlan(call, write)));
    const plan = earlier?.plan ?? (await planInTurn(replica));
    const ended = (sent: SentSteps): WriteResult => {
      carriedOut = plan;
      return write.outcome(plan, sent, earlier);
    };
    const first = write.steps(plan, replica, earlier?.done ?? []);
    if (first.length === 0 && !earlier) return ended(nothingSent(replica));
    // One more to read the changes.
    if (write.nothingDone !== undefined) await checkRequestsLeft(call, first.length + 1, write.nothingDone);
    const keep = async (isComplete: boolean) =>
      kept && (await steps.keepPlan({ args: canonicalJson(args), isComplete, plan }));
    await keep(false);
    const sent = await sendSteps(steps, first, {
      replica,
      earlier: earlier?.done ?? [],
      ...(write.isDecidedAgain && { again: (now, done) => write.steps(plan, now, done) }),
      check: (done) => write.check?.(plan, done),
      interrupted: (progress) => write.interrupted(plan, progress),
    });
    // A call that had nothing left to send may be given up until here, and its host makes it again.
    await keep(true);
    return ended(sent);
  };

  /** The outcome of an earlier call that was carried out in part, or wholly, if its process was killed at its end. */
  const afterInterruption = async (error: BudgetError, goOn: () => Promise<CallResult<JsonObject>>) => {
    const last = await lastPlan(call, write);
    if (!last) throw error;
    const { plan, done, isComplete } = last;
    if (!isComplete && kept?.rest) return goOn();
    const { replica: current, freshness } = await readWholeBudget(call);
    const open = isComplete ? [] : write.steps(plan, current, done);
    const [failed] = open;
    if (!failed)
      return {
        ...write.outcome(plan, { ...nothingSent(current), done }),
        freshness,
        earlier_call: last.call,
      };
    const [, advice = ''] = write.interrupted(plan, { done, failed, isUnknown: false, open }) ?? [];
    if (error.message.includes(advice)) throw error;
    throw new BudgetError(error.code, `${error.message} ${advice}`, { cause: error });
  };

  return {
    ...(rows !== undefined && { rows }),
    isRepeat,
    async run(mustNotSend) {
      let hasBegun = false;
      const attempt = async (mustNotSend: boolean): Promise<CallResult<JsonObject>> => {
        const continues = (await openPlan())?.id;
        const begin = (steps: WriteSteps) => {
          hasBegun = true;
          return carryOut(steps, continues);
        };
        return call.writeTogether(entry, args, begin, { mustNotSend, source, continues });
      };
      const result = await attempt(mustNotSend).catch((error: unknown) =>
        afterInterruption(earlierError(error, hasBegun), () => attempt(false)),
      );
      return writtenAnswer(result, await write.written(result, carriedOut));
    },
    async simulate() {
      const { replica, freshness } = await call.refresh(false);
      const open = await openPlan();
      const plan = open && kept?.rest ? kept.rest(open.plan, replica, open.done) : await planOn(replica);
      if (!open) shown = plan;
      const problems = write.problems?.(plan, freshness.stale_reason) ?? [];
      const report = write.planned(plan, problems);
      const facts = write.facts(plan);
      return previewOf(call, entry, { freshness, facts, problems }, open ? goingOn(report) : report);
    },
  };
}

const goingOn = ({ lines, ...report }: WriteReport): WriteReport => ({
  ...report,
  lines: (context) => ['It goes on with the call that was interrupted.', ...lines(context)],
});

const nothingSent = (current: BudgetReplica): SentSteps => ({
  done: [],
  current,
  outcome: 'written',
  mayHaveReplaced: false,
});

/** The error of an earlier equal call that was carried out in part. Throws any other one, and that of this call itself. */
export function earlierError(error: unknown, hasBegun: boolean): BudgetError {
  if (hasBegun || !(error instanceof BudgetError) || error.code !== 'partly_written') throw error;
  return error;
}

/** Says what has become of a plan that was open. */
const whyNotOpen = (last: { readonly isComplete: boolean } | undefined) =>
  last?.isComplete
    ? 'another call has gone on with it, and all of it is written. The same call again would do all of it once more'
    : 'what is written of it was taken back meanwhile';
