/**
 * Runs tools: from parsed arguments to a formatted result or an explained error. Tools, resources and subscriptions use
 * it. It does not depend on the host.
 */
import { createHash } from 'node:crypto';
import { lackNotes } from '../answers/lack-notes.ts';
import { withReadyToAssign } from '../answers/ready-to-assign.ts';
import { resolveDates } from '../answers/references/dates.ts';
import { References } from '../answers/references/references.ts';
import { resolveReferences, unknownReferences } from '../answers/references/resolve-references.ts';
import { joinWords, listProblems, Room, type TextContext, word } from '../answers/text.ts';
import type {
  PlannedWrite,
  ReadTool,
  Tool,
  ToolAnswer,
  WithArguments,
  WriteAnswer,
  WritePreview,
  WriteTool,
} from '../answers/tool.ts';
import { type FormattedAnswer, formatToolResult, type ToolResult } from '../answers/tool-result.ts';
import { excessPrecision } from '../answers/units.ts';
import { VIEW_DATA_VERSION } from '../answers/view-data/version.ts';
import { shownFormat } from '../answers/view-texts.ts';
import { describeOthers } from '../base/default-budget.ts';
import { BudgetError, invalidInput } from '../base/errors.ts';
import { currentHostRequest } from '../base/host-request.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import { quote, visible } from '../base/quote.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import type { CallOptions } from '../session/call-budget.ts';
import type { Freshness } from '../session/call-result.ts';
import type { WriteStatus } from '../session/writes/pending-write.ts';
import type { ConfirmationQuestion } from './confirmation-flow.ts';
import type { ToolArguments, WriteOptions } from './tool-schemas.ts';

/** The log of unexpected errors. */
export interface ErrorLog {
  error(details: { err: unknown; operation: string }, message: string): void;
}

export interface ToolExecutorOptions {
  readonly client: Pick<BudgetClient, 'begin' | 'earlierCalls' | 'clockDifference'>;
  readonly log: ErrorLog;
  /** A text that every result contains, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** The caller of the tools, if there are several callers. */
  readonly caller?: string | undefined;
}

/** A call with its budget, and with arguments that are valid in that budget. */
export interface ResolvedCall<Kind extends WithArguments = Tool> {
  readonly tool: Kind;
  readonly call: BudgetCall;
  /** The tool's own arguments, with full ids and with amounts in milliunits. */
  readonly input: JsonObject;
  readonly options: WriteOptions;
  /** The ignored arguments, and names that were taken for others, in words. */
  readonly notes: readonly string[];
  /** The days and months that were given in words, such as `"today" was taken as 2026-11-21`. */
  readonly takenAs: ReadonlySet<string>;
  /** Why the budget in which names were looked up is older than it should be. */
  readonly staleReason?: string | undefined;
}

/** A write that is ready to be simulated or sent. */
export interface ResolvedWrite extends ResolvedCall<WriteTool> {
  readonly plan: PlannedWrite;
}

export class ToolExecutor {
  readonly #options: ToolExecutorOptions;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
  }

  begin(options: Omit<CallOptions, 'caller' | 'request'>): BudgetCall {
    const { client, caller } = this.#options;
    return client.begin({ ...options, caller, request: currentHostRequest() });
  }

  /**
   * Replaces dates in words, names and abbreviated ids in parsed arguments. Throws for names that are not found, and
   * `invalid_input` for problems that depend on the budget's currency or on the day. A question of a model may name things less
   * exactly: the answer then says what was taken.
   */
  async resolve<Kind extends WithArguments>(
    tool: Kind,
    { own: given, options: writeOptions, notes }: ToolArguments,
    call: BudgetCall = this.begin({}),
    isQuestion = false,
  ): Promise<ResolvedCall<Kind>> {
    const takenAs = new Set<string>();
    const own = resolveDates(tool.input, given, call.today, (words, meant) =>
      takenAs.add(`${quote(words)} was taken as ${meant}.`),
    );
    const budget = 'budget_id' in tool.input.shape ? await call.resolveBudget(own['budget_id']) : undefined;
    const excess = await excessIn(call, tool, own);
    // The lookup of names may need a request. A call that is refused anyway needs none.
    const {
      args: resolved,
      staleReason,
      takenAs: namesTakenAs = [],
    } = budget && excess.length === 0
      ? await resolveReferences(call, tool.input, own, isQuestion)
      : { args: own };
    const input = { ...resolved, ...(budget && { budget_id: budget.id }) };
    const { cachedReplica } = call;
    const problems = [
      ...excess,
      ...(tool.check?.(input, call.days) ?? []),
      ...(tool.kind !== 'read' && cachedReplica
        ? unknownReferences(cachedReplica, tool.input, resolved)
        : []),
    ];
    if (problems.length > 0) throw invalidInput(`${listProblems(problems)}.`);
    const allNotes = [...notes, ...namesTakenAs];
    return { tool, call, input, options: writeOptions, notes: allNotes, takenAs, staleReason };
  }

  /**
   * With `form`, the answer is for a model, and its length is limited. Without it, it is a resource. Throws `BudgetError`
   * for expected failures. Any other error is a bug.
   */
  async read(resolved: ResolvedCall<ReadTool>, form?: { readonly structured: boolean }): Promise<ToolResult> {
    const { tool, call, input } = resolved;
    const answer = await tool.run(call, input);
    return this.#format(resolved, answer, form && Room.forAnswer(form), (context) => ({
      data: answer.data,
      ...tool.text(answer, context),
    }));
  }

  async plan(resolved: ResolvedCall<WriteTool>): Promise<ResolvedWrite> {
    const { tool, call, input, options } = resolved;
    return { ...resolved, plan: withReadyToAssign(call, await tool.plan(call, input, options.dry_run)) };
  }

  /** Writes once, or returns the outcome of an earlier equal call. With `mustNotSend` only the latter. */
  async write(write: ResolvedWrite, mustNotSend: boolean): Promise<ToolResult> {
    return this.#formatWrite(write, await write.plan.run(mustNotSend));
  }

  /** The earlier calls that may equal a write which failed. `resolved` is missing if it failed before. */
  earlierCalls({ name }: WriteTool, resolved?: ResolvedCall): Promise<readonly WriteStatus[]> {
    const { client, caller } = this.#options;
    return client.earlierCalls(name, caller, resolved?.input);
  }

  /** Simulates a write. The result has no question if the service would refuse the write. */
  async simulate(
    write: ResolvedWrite,
  ): Promise<{ readonly result: ToolResult; readonly question?: ConfirmationQuestion }> {
    const preview = await write.plan.simulate();
    const result = this.#formatWrite(write, preview);
    return { result, ...(preview.problems.length === 0 && { question: questionOf(preview) }) };
  }

  /**
   * The question to the user before a write is sent. Throws `invalid_input` if the service would refuse the write,
   * because the user then has nothing to decide.
   */
  async confirmationQuestion(write: ResolvedWrite): Promise<ConfirmationQuestion> {
    const preview = await write.plan.simulate();
    if (preview.problems.length > 0)
      throw invalidInput(`${write.tool.title}: ${listProblems(preview.problems)}.`);
    return questionOf(preview);
  }

  /**
   * The text of an error for a model. Where `call` named no budget, what it named may be in another one than the default. The message
   * of an unexpected error stays in the log.
   */
  explainError(error: unknown, operation: string, call?: BudgetCall): string {
    if (error instanceof BudgetError) {
      // Its reason is for the person who runs the server.
      if (error.code === 'storage_unavailable')
        this.#options.log.error({ err: error, operation }, 'no storage');
      const isRefusal = error.code === 'invalid_input' || error.code === 'bad_request';
      const unnamed = isRefusal || error.code === 'resource_not_found' ? call?.unnamed : undefined;
      return joinWords(
        error.explanation,
        // The refused date may be right, and the clock wrong.
        isRefusal && this.#options.client.clockDifference,
        unnamed && describeOthers(unnamed),
      );
    }
    this.#options.log.error({ err: error, operation }, 'internal error');
    return 'Internal error in this server. The details are in its log. Trying again will probably not help.';
  }

  #formatWrite(write: ResolvedWrite, answer: WriteAnswer): ToolResult {
    const { staleReason } = write;
    return this.#format(write, answer, Room.forAnswer(), (context) => {
      const formatted = answer.format(context);
      if (staleReason === undefined) return formatted;
      const stale = `Names were looked up in an older budget. ${staleReason}`;
      return { ...formatted, lines: [...formatted.lines, stale] };
    });
  }

  #format(
    resolved: ResolvedCall,
    answer: Pick<ToolAnswer, 'freshness' | 'view'>,
    room: Room | undefined,
    format: (context: TextContext) => FormattedAnswer,
  ): ToolResult {
    const { tool, call } = resolved;
    const { budget, cachedReplica } = call;
    const { freshness, view } = answer;
    const { notice } = this.#options;
    const lookup = cachedReplica && References.of(cachedReplica);
    const notes = takeNotes(resolved, freshness);
    // A resource is read by programs, which do not choose.
    const unchosen = room && call.takeUnchosen();
    const last = joinWords(notice, unchosen && describeOthers(unchosen)) || undefined;
    const envelope = { budget, freshness, lookup, notes, notice: last, room };
    const result = formatToolResult(tool.output, envelope, format);
    if (!view) return result;
    // It throws if the data does not match the schema, which is a bug.
    const data = async (): Promise<JsonObject> => {
      // Loaded when it is needed, because most hosts show no views.
      const { viewData } = await import('../features/view-data.ts');
      return viewData.parse({
        version: VIEW_DATA_VERSION,
        budget: budget && {
          id: budget.id,
          name: visible(budget.name),
          money: shownFormat(budget.currency_format),
        },
        as_of: freshness?.as_of,
        stale_reason: freshness?.stale_reason,
        notice,
        content: view(),
      });
    };
    return { ...result, view: data };
  }
}

/** Amounts with more decimals than the budget's currency has, in words. It may have another currency since it was read last. */
async function excessIn(call: BudgetCall, { input }: WithArguments, own: JsonObject): Promise<string[]> {
  const find = () => {
    const { decimal_digits = 3, iso_code = '' } = call.budget?.currency_format ?? {};
    return excessPrecision(input, own, Math.min(decimal_digits, 3)).map(
      (path) => `${path} has more decimals than ${word(iso_code)} takes (${decimal_digits})`,
    );
  };
  const found = find();
  if (found.length === 0 || !call.cachedReplica) return found;
  await call.replica();
  return find();
}

/** A day in words is mentioned if the clock that it was taken from differs from that of the service. */
function takeNotes({ tool, notes, takenAs, call }: ResolvedCall, freshness: Freshness | undefined): string[] {
  // A write reads more than what it is about, and the things that it names are whole.
  const lacks = call.lacks(tool.kind === 'read');
  return [
    ...notes,
    ...(lacks.length > 0 ? lackNotes(lacks) : []),
    ...(freshness?.clock === undefined ? [] : takenAs),
    // The writes that an earlier run of this server has left. Each is named in one answer only.
    ...call
      .takeNews()
      .map(
        ({ tool, called_at }) =>
          `An earlier run of this server ended during ${word(tool)} of ${new Date(called_at).toISOString()}: get_status shows what has become of it.`,
      ),
  ];
}

/** A digest of the tool and its arguments, including the budget. */
export const callDigest = ({ tool, input }: ResolvedCall): string => digestOf([tool.name, input]);

function questionOf({ facts, freshness, question }: WritePreview): ConfirmationQuestion {
  // The preview includes that the data is old, but not the reason and the time, which may differ each time.
  const { stale_reason, ...rest } = freshness;
  return {
    text: [question(freshness), freshness.clock].filter(Boolean).join('\n'),
    preview: digestOf([question(rest), facts, stale_reason !== undefined]),
  };
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
