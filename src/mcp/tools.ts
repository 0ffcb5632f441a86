/**
 * Tools as the protocol sees them: arguments come in as a schema has parsed them, results go out as text and structured
 * content, errors as words that say the next step. It knows which calls write, when the person is asked first, and how a
 * host is told of progress and cancels; it must not know what a tool does or how an answer looks.
 */
import type { McpServer, RegisteredTool, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { ToolResult } from '../format/tool-result.ts';
import { type ConfirmPolicy, needsConfirmation } from '../operations/consent.ts';
import type { OperationKind } from '../operations/operation.ts';
import type { JsonObject, ReadTool, Tool, WriteTool } from '../tools/tool.ts';
import { type Consents, canAsk } from './confirmation.ts';
import { callDigest, type ToolExecutor } from './tool-executor.ts';
import { schemasOf } from './tool-schemas.ts';

/** All four, always: the defaults of the protocol are pessimistic. The world of a budget is closed. */
export const annotations: Readonly<Record<OperationKind, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

export interface ToolDeps {
  readonly executor: ToolExecutor;
  readonly confirm: ConfirmPolicy;
  readonly consents: Consents;
  /** Whose consent counts. */
  readonly caller: string;
}

/** Gives those that are of no use where nothing can be written. */
export function registerTools(server: McpServer, tools: readonly Tool[], deps: ToolDeps): RegisteredTool[] {
  return tools.flatMap((tool) => {
    const { name, title, description, kind } = tool;
    const { advertised } = schemasOf(tool, deps.confirm);
    const config = {
      title,
      description,
      inputSchema: advertised.input,
      outputSchema: advertised.output,
      annotations: annotations[kind],
    };
    const registered = server.registerTool(name, config, (args, context) =>
      tool.kind === 'read'
        ? read(tool, args, context, deps)
        : write(tool, args, context, { ...deps, server }),
    );
    return kind === 'read' ? [] : [registered];
  });
}

/** What a tool that has failed answers. */
const errorResult = (executor: ToolExecutor, error: unknown, { name }: Tool, first = '') => ({
  content: [{ type: 'text' as const, text: first + executor.explainError(error, name) }],
  isError: true,
});

/** These errors say themselves whether it was written. */
const saysWhetherWritten: ReadonlySet<ErrorCode> = new Set([
  'outcome_unknown',
  'not_written',
  'not_confirmed',
]);

/**
 * Every failed write says whether it was written. The writer looks for one that may have been: any other error is from
 * before it was sent, or is a refusal.
 */
function writeCertainty(error: unknown, isHandedOver: boolean): string {
  if (error instanceof BudgetError) return saysWhetherWritten.has(error.code) ? '' : 'Nothing was written. ';
  return isHandedOver
    ? 'It may have been written: read how the budget stands now. '
    : 'Nothing was written. ';
}

async function read(tool: ReadTool, args: JsonObject, { mcpReq }: ServerContext, { executor }: ToolDeps) {
  try {
    const options = { signal: mcpReq.signal, onProgress: progressOf(mcpReq) };
    return contentOf(await executor.read(await executor.resolve(tool, args, options)));
  } catch (error) {
    return errorResult(executor, error, tool);
  }
}

const STEP_BYTES = 2 ** 18;

/** Tells a host that asked for it how much of a large budget has come, now and then. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): ((received: number) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let reported = 0;
  return (received) => {
    if (received - reported < STEP_BYTES) return;
    reported = received;
    const message = `Loading the budget: ${(received / 2 ** 20).toFixed(1)} MB so far`;
    const params = { progressToken, progress: received, message };
    // Whether it arrives is of no consequence for the answer.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

async function write(
  tool: WriteTool,
  args: JsonObject,
  context: ServerContext,
  { executor, confirm: policy, consents, caller, server }: ToolDeps & { readonly server: McpServer },
) {
  const { signal } = context.mcpReq;
  let isHandedOver = false;
  try {
    const planned = await executor.plan(await executor.resolve(tool, args, { signal }));
    const { dry_run, confirm } = planned.options;
    const call = callDigest(planned);
    const isAsked = needsConfirmation(policy, planned.plan.operation, planned.plan.input);
    if (dry_run) {
      const { result, consent } = await executor.simulate(planned);
      // A host that can ask is asked all the same.
      if (isAsked && consent && !canAsk(server, context)) consents.permit(caller, call, consent);
      return contentOf(result);
    }
    // The outcome of an earlier call that was agreed to is given without asking again. Nothing is sent for that.
    const isRepeat = isAsked && planned.plan.isRepeat();
    if (isAsked && !isRepeat) {
      const preview = () => executor.confirmationMessage(planned);
      const pending = await consents.obtain({ server, context, caller, call, confirm, preview });
      if (pending) return pending;
    }
    isHandedOver = true;
    return contentOf(await executor.write(planned, isRepeat));
  } catch (error) {
    return errorResult(executor, error, tool, writeCertainty(error, isHandedOver));
  }
}

const contentOf = ({ structured, text }: ToolResult) => ({
  content: [{ type: 'text' as const, text }],
  structuredContent: structured,
});
