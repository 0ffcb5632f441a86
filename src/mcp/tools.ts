/**
 * Answers the requests for tools. Handles confirmation, progress and cancellation, and returns results as text, with
 * structured content on request, and errors as text with the next step.
 */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { ReadTool, Tool, WriteTool } from '../answers/tool.ts';
import type { ToolResult } from '../answers/tool-result.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { MeasureCall } from '../base/metrics.ts';
import { mayNeedConfirmation, needsConfirmation } from '../operations/consent.ts';
import { resultView, showsViews } from './apps.ts';
import type { ServerInfo } from './budget-server.ts';
import { type ConfirmationFlow, canAsk, type WriteToConfirm } from './confirmation-flow.ts';
import { describeFailedWrite, UNCERTAIN } from './failed-write.ts';
import { type FeatureList, isOffered } from './features.ts';
import { type CallOutcome, type SignInOffer, withSignIn } from './sign-in-offer.ts';
import { callDigest, type ResolvedCall, type ToolExecutor } from './tool-executor.ts';
import { type ListSettings, listTools, outputSchemaOf } from './tool-list.ts';
import { schemasOf } from './tool-schemas.ts';

export interface ToolDeps extends ListSettings, Pick<ServerInfo, 'readView' | 'hasStatements'> {
  readonly executor: ToolExecutor;
  readonly confirmations: ConfirmationFlow;
  /** The caller whose confirmations count. */
  readonly caller: string;
  /** Offered where a call lacks a sign-in. */
  readonly signIn?: SignInOffer | undefined;
  readonly measureCall?: MeasureCall | undefined;
}

interface CallDeps extends ToolDeps {
  readonly server: Server;
  /** Whether the host shows views, so that results have data for them. */
  readonly withViews: boolean;
}

const unmeasured: MeasureCall = (_, run) => run(() => {});

export function handleTools(server: Server, tools: FeatureList<Tool>, deps: ToolDeps): void {
  const { measureCall = unmeasured, hasStatements = false, readView, signIn } = deps;
  const hostOf = (context: ServerContext) => ({
    hasStatements,
    withViews: readView !== undefined && showsViews(server, context),
  });
  server.setRequestHandler('tools/list', (_, context) => {
    const host = hostOf(context);
    const offered = tools.available.filter((tool) => isOffered(tool, host));
    return { tools: listTools(offered, deps, host.withViews) };
  });
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const host = hostOf(context);
    const tool = tools.get(params.name, (each) => isOffered(each, host));
    const callDeps = { ...deps, server, withViews: host.withViews };
    const run = () =>
      tool.kind === 'read'
        ? read(tool, params.arguments, context, callDeps)
        : write(tool, params.arguments, context, callDeps);
    return measureCall(tool.name, async (onFailure) => {
      const { result, failure } = await (signIn ? withSignIn(signIn, server, context, run) : run());
      if (failure !== undefined) onFailure(failure);
      return result;
    });
  });
}

const failed = (error: unknown, text: string): CallOutcome => ({
  result: { content: [{ type: 'text', text }], isError: true },
  failure: codeOf(error),
});

const codeOf = (error: unknown) => (error instanceof BudgetError ? error.code : 'internal_error');

async function read(tool: ReadTool, args: JsonObject | undefined, { mcpReq }: ServerContext, deps: CallDeps) {
  const { executor, confirm, structured } = deps;
  const { parse } = schemasOf(tool, confirm);
  const call = executor.begin({ signal: mcpReq.signal, onProgress: progressReporter(mcpReq) });
  try {
    const resolved = await executor.resolve(tool, parse(args), call, true);
    return await succeeded(tool, await executor.read(resolved, { structured }), deps);
  } catch (error) {
    return failed(error, executor.explainError(error, tool.name, call));
  }
}

const PROGRESS_STEP_BYTES = 2 ** 18;

/** Reports the progress of loading a large budget, if the host asked for it. */
function progressReporter({ _meta, notify }: ServerContext['mcpReq']) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let reported = 0;
  return (received: number) => {
    if (received - reported < PROGRESS_STEP_BYTES) return;
    reported = received;
    const message = `Loading the budget: ${(received / 2 ** 20).toFixed(1)} MB so far`;
    const params = { progressToken, progress: received, message };
    // A lost progress notification does not affect the result.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

async function write(tool: WriteTool, args: JsonObject | undefined, context: ServerContext, deps: CallDeps) {
  const { executor, confirm: policy, confirmations, caller, server } = deps;
  const { signal } = context.mcpReq;
  const { parse } = schemasOf(tool, policy);
  let isStarted = false;
  let resolved: ResolvedCall<WriteTool> | undefined;
  const begun = executor.begin({ signal });
  try {
    resolved = await executor.resolve(tool, parse(args), begun);
    const planned = await executor.plan(resolved);
    const { dry_run, confirm } = planned.options;
    const call = callDigest(planned);
    const { rows } = planned.plan;
    const mayAsk = mayNeedConfirmation(policy, tool) && rows !== 0;
    if (dry_run) {
      const { result, question } = await executor.simulate(planned);
      // A host that can ask has to ask after a dry run too.
      if (mayAsk && question && !canAsk(server, context)) await confirmations.permit(caller, call, question);
      return await succeeded(tool, result, deps);
    }
    // Consent to more rows is none to other rows, however few.
    const mustConfirm =
      needsConfirmation(policy, tool, planned.input, rows) ||
      (mayAsk && (await confirmations.isAnswered({ context, caller, call, confirm })));
    // The outcome of an earlier call that was confirmed is returned without a question. Nothing is sent for that.
    const mustNotSend = mustConfirm && (await planned.plan.isRepeat());
    if (mustConfirm && !mustNotSend) {
      const createQuestion = () => executor.confirmationQuestion(planned);
      const whileAsking: WriteToConfirm['whileAsking'] = (ask) => planned.call.whileAsking(ask);
      const pending = { server, context, caller, call, confirm, createQuestion, whileAsking };
      const question = await confirmations.obtain(pending);
      if (question) return { result: question };
    }
    isStarted = true;
    return await succeeded(tool, await executor.write(planned, mustNotSend), deps);
  } catch (error) {
    const explanation = executor.explainError(error, tool.name, begun);
    if (isStarted && !(error instanceof BudgetError)) return failed(error, `${UNCERTAIN} ${explanation}`);
    const earlier = await executor.earlierCalls(tool, resolved);
    return failed(error, describeFailedWrite(codeOf(error), explanation, earlier));
  }
}

/** Throws if the structured content does not match the schema in the tool list, which is a bug. */
async function succeeded(
  tool: Tool,
  result: ToolResult,
  { executor, structured, withViews }: CallDeps,
): Promise<CallOutcome> {
  const content = [{ type: 'text' as const, text: result.text }];
  const view = withViews ? await resultView(result, (error) => executor.explainError(error, tool.name)) : {};
  if (!structured) return { result: { content, ...view } };
  const structuredContent = result.data();
  outputSchemaOf(tool).parse(structuredContent);
  return { result: { content, structuredContent, ...view } };
}
