/**
 * Every operation as a tool: its arguments come in as its schema has parsed them, its result goes out as text and
 * structured content, an error as words that say the next step. It knows which calls write, when the person is asked
 * first, and how a host is told of progress and cancels; it must not know what an operation does or how an answer looks.
 */
import type { McpServer, RegisteredTool, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { ToolResult } from '../format/tool-result.ts';
import { type ConfirmPolicy, needsConfirmation } from '../operations/consent.ts';
import type { OperationKind } from '../operations/operation.ts';
import { type Consents, canAsk } from './confirmation.ts';
import type { ToolDefinition } from './tool-definition.ts';
import { callDigest, type ToolExecutor } from './tool-executor.ts';

/** All four, always: the defaults of the protocol are pessimistic. The world of a budget is closed. */
export const annotations: Readonly<Record<OperationKind, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

export interface ToolDeps {
  readonly answers: ToolExecutor;
  readonly confirm: ConfirmPolicy;
  readonly consents: Consents;
  /** Whose consent counts. */
  readonly caller: string;
}

/** Gives those that are of no use where nothing can be written. */
export function registerTools(
  server: McpServer,
  surfaces: readonly ToolDefinition[],
  parts: ToolDeps,
): RegisteredTool[] {
  return surfaces.flatMap((surface) => {
    const { name, title, description, kind } = surface.operation;
    const config = {
      title,
      description,
      inputSchema: surface.advertised.input,
      outputSchema: surface.advertised.output,
      annotations: annotations[kind],
    };
    const tool = server.registerTool(name, config, async (args, context) => {
      if (kind !== 'read') return write(surface, args, context, { ...parts, server });
      try {
        return await read(surface, args, context, parts);
      } catch (error) {
        return errorResult(parts.answers, error, name);
      }
    });
    return kind === 'read' ? [] : [tool];
  });
}

/** What a tool that has failed answers. */
export const errorResult = (answers: ToolExecutor, error: unknown, tool: string, first = '') => ({
  content: [{ type: 'text' as const, text: first + answers.explainError(error, tool) }],
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

type Arguments = Readonly<Record<string, unknown>>;

async function read(
  surface: ToolDefinition,
  args: Arguments,
  { mcpReq }: ServerContext,
  { answers }: ToolDeps,
) {
  const question = await answers.resolve(surface, args, mcpReq.signal);
  return resultOf(await answers.run(question, mcpReq.signal, progressOf(mcpReq)));
}

const STEP_BYTES = 2 ** 18;

/** Tells a host that asked for it how much of a large budget has come, now and then. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): ((received: number) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let told = 0;
  return (received) => {
    if (received - told < STEP_BYTES) return;
    told = received;
    const message = `Loading the budget: ${(received / 2 ** 20).toFixed(1)} MB so far`;
    const params = { progressToken, progress: received, message };
    // Whether it arrives is of no consequence for the answer.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

async function write(
  surface: ToolDefinition,
  args: Arguments,
  context: ServerContext,
  { answers, confirm: policy, consents, caller, server }: ToolDeps & { server: McpServer },
) {
  const { operation } = surface;
  const { signal } = context.mcpReq;
  let isHandedOver = false;
  try {
    const question = await answers.resolve(surface, args, signal);
    const { dry_run, confirm } = question.display;
    const call = callDigest(question);
    const isAsked = needsConfirmation(policy, operation, question.input);
    if (dry_run) {
      const { presented, consent } = await answers.simulate(question, signal);
      // A host that can ask is asked all the same.
      if (isAsked && consent && !canAsk(server, context)) consents.permit(caller, call, consent);
      return resultOf(presented);
    }
    // What has become of a call that was agreed to is told without asking again. Nothing is sent for that.
    const isRepeat = isAsked && answers.isRepeated(question);
    if (isAsked && !isRepeat) {
      const preview = () => answers.confirmationMessage(question, signal);
      const pending = await consents.obtain({ server, context, caller, call, confirm, preview });
      if (pending) return pending;
    }
    isHandedOver = true;
    return resultOf(await answers.run(question, signal, undefined, isRepeat));
  } catch (error) {
    return errorResult(answers, error, operation.name, writeCertainty(error, isHandedOver));
  }
}

const resultOf = ({ structured, text }: ToolResult) => ({
  content: [{ type: 'text' as const, text }],
  structuredContent: structured,
});
