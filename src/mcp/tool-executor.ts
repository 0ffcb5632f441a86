/**
 * From arguments to an answer that can be shown, or to an error that can: what tools, resources and subscriptions have
 * in common. It knows no host.
 */
import { createHash } from 'node:crypto';
import type { BudgetCall, CallOptions, SimulatedWrite } from '../client/budget-call.ts';
import type { BudgetClient } from '../client/budget-client.ts';
import type { Freshness } from '../client/freshness.ts';
import { BudgetError } from '../errors.ts';
import { formatConfirmation, formatDryRun } from '../format/dry-run.ts';
import { monthOf } from '../format/month.ts';
import { listProblems, type TextContext, word } from '../format/text.ts';
import { formatToolResult, structuredData, type ToolResult } from '../format/tool-result.ts';
import { excessPrecision } from '../format/units.ts';
import { type FormattedWrite, formatData, formatWriteResult } from '../format/write-result.ts';
import type { ConfirmPolicy } from '../operations/consent.ts';
import type { JsonObject } from '../platform/json.ts';
import type { PlannedWrite, ReadTool, Tool, WriteTool } from '../tools/tool.ts';
import type { ConsentQuestion } from './confirmation.ts';
import { schemasOf, type WriteOptions } from './tool-schemas.ts';

/** Where unexpected errors go. */
export interface ErrorLog {
  error(details: { err: unknown; operation: string }, message: string): void;
}

export interface ToolExecutorOptions {
  readonly client: Pick<BudgetClient, 'begin'>;
  readonly log: ErrorLog;
  readonly confirm: ConfirmPolicy;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** Whose calls they are, where there are several callers. */
  readonly caller?: string | undefined;
}

/** A call whose budget is known and whose arguments hold in it. */
export interface ResolvedCall<Kind extends Tool = Tool> {
  readonly tool: Kind;
  readonly call: BudgetCall;
  /** The tool's own arguments, amounts in milliunits. */
  readonly input: JsonObject;
  readonly options: WriteOptions;
}

/** A write that is ready to be simulated or carried out. */
export interface ResolvedWrite extends ResolvedCall<WriteTool> {
  readonly plan: PlannedWrite;
}

export class ToolExecutor {
  readonly #options: ToolExecutorOptions;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
  }

  /**
   * `args` is what the tool's input schema has parsed. Throws `invalid_input` for what only the budget's currency or
   * today's date forbids.
   */
  async resolve<Kind extends Tool>(
    tool: Kind,
    args: JsonObject,
    options: Omit<CallOptions, 'caller'> = {},
  ): Promise<ResolvedCall<Kind>> {
    const { client, caller, confirm } = this.#options;
    const { own, options: writeOptions } = schemasOf(tool, confirm).splitArguments(args);
    const call = client.begin({ ...options, caller });
    const budget = 'budget_id' in tool.input.shape ? await call.resolveBudget(own['budget_id']) : undefined;
    const input = {
      ...own,
      // The month that is current now stays the same until the call has ended.
      ...(own['month'] === 'current' && { month: `${call.today.slice(0, 7)}-01` }),
      ...(budget && { budget_id: budget.id }),
    };
    const { decimal_digits = 3, iso_code = '' } = budget?.currency_format ?? {};
    const problems = [
      ...excessPrecision(tool.input, own, Math.min(decimal_digits, 3)).map(
        (path) => `${path} has more decimals than ${word(iso_code)} takes (${decimal_digits})`,
      ),
      ...(tool.check?.(input, call.today) ?? []),
    ];
    if (problems.length > 0) throw new BudgetError('invalid_input', `${listProblems(problems)}.`);
    return { tool, call, input, options: writeOptions };
  }

  /** Throws `BudgetError`s, and whatever a defect throws. */
  async read({ tool, call, input }: ResolvedCall<ReadTool>): Promise<ToolResult> {
    const answer = await tool.run(call, input);
    const { data, freshness } = answer;
    const { budget } = call;
    const { notice } = this.#options;
    return formatToolResult(tool.output, { budget, freshness, notice }, (context) => ({
      data,
      ...tool.text(answer, context),
    }));
  }

  /**
   * The structured content of an answer from the cache, without how fresh it is; undefined where it cannot be had from
   * there, null where there is no such thing.
   */
  readCached({ tool, call, input }: ResolvedCall<ReadTool>): Record<string, unknown> | null | undefined {
    const data = tool.runCached?.(call, input);
    return data && structuredData(tool.output, data, call.budget);
  }

  async plan(resolved: ResolvedCall<WriteTool>): Promise<ResolvedWrite> {
    return { ...resolved, plan: await resolved.tool.plan(resolved.call, resolved.input) };
  }

  /** Writes. With `isRepeat` it only gives what has become of an equal write before. */
  async write(write: ResolvedWrite, isRepeat: boolean): Promise<ToolResult> {
    const { operation, input } = write.plan;
    const answer = await write.plan.run(isRepeat);
    return this.#formatWrite(write, answer.data, answer.freshness, (context) =>
      formatWriteResult(operation, input, answer, context),
    );
  }

  /** What a write would do, with nothing written; and the question about it, unless it would be refused. */
  async simulate(
    write: ResolvedWrite,
  ): Promise<{ readonly result: ToolResult; readonly consent?: ConsentQuestion }> {
    const { operation, input } = write.plan;
    const simulated = await write.plan.simulate();
    const { current, freshness, problems } = simulated;
    const result = this.#formatWrite(write, current, freshness, (context) =>
      formatDryRun(operation, input, simulated, context),
    );
    return { result, ...(problems.length === 0 && { consent: consentQuestion(write, simulated) }) };
  }

  /**
   * What to ask the person before a write is carried out. Throws `invalid_input` where it would be refused anyway:
   * nobody is asked for consent to nothing.
   */
  async confirmationMessage(write: ResolvedWrite): Promise<ConsentQuestion> {
    const simulated = await write.plan.simulate();
    if (simulated.problems.length > 0)
      throw new BudgetError('invalid_input', `${write.tool.title}: ${listProblems(simulated.problems)}.`);
    return consentQuestion(write, simulated);
  }

  /** What to tell a model. An unexpected error is a bug: its message stays in the log. */
  explainError(error: unknown, operation: string): string {
    if (error instanceof BudgetError) return error.explanation;
    this.#options.log.error({ err: error, operation }, 'internal error');
    return 'Internal error in this server. The details are in its log; trying again will hardly help.';
  }

  #formatWrite(
    { tool, call: { budget }, plan: { operation, input } }: ResolvedWrite,
    data: JsonObject,
    freshness: Freshness,
    format: (context: TextContext) => FormattedWrite,
  ): ToolResult {
    const { notice } = this.#options;
    const { month } = monthOf(tool.output, input, freshness.as_of);
    return formatToolResult(tool.output, { budget, freshness, notice }, (context) => {
      const { fields, headline, lines } = format(context);
      return {
        data: { ...data, ...(month !== undefined && { month }), ...fields },
        heading: [month?.slice(0, 7)],
        lines: [headline, ...formatData(operation, data, context), ...lines],
      };
    });
  }
}

/** Which tool with which arguments, the budget included. */
export const callDigest = ({ tool, input }: ResolvedCall): string => digestOf([tool.name, input]);

function consentQuestion(
  { call, plan: { operation, input } }: ResolvedWrite,
  simulated: SimulatedWrite,
): ConsentQuestion {
  const ask = (shown: SimulatedWrite) => formatConfirmation(operation, input, shown, call.budget);
  const { current, effects, freshness } = simulated;
  // Why the data is old and since when may be worded differently each time; that it is old is part of the question.
  const { stale_reason, ...rest } = freshness;
  const facts = ask({ ...simulated, freshness: rest });
  return {
    text: ask(simulated),
    preview: digestOf([facts, current, effects, stale_reason !== undefined]),
  };
}

/** The order of properties makes no difference. */
function digestOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return createHash('sha256').update(canonical).digest('base64url');
}
