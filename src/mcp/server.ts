/**
 * Creates MCP servers with the tools, resources and prompts of the catalogue, for every transport and both protocol eras.
 * In the newer era each request has a server of its own. So what does not depend on the host is created once and shared,
 * and a server only gets request handlers. The SDK's `McpServer` would register every tool on each server.
 */
import { Server, type Transport } from '@modelcontextprotocol/server';
import type { BudgetClient } from '../client/budget-client.ts';
import type { Toolset } from '../operations/index.ts';
import type { Operation, OperationKind } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import { catalogue } from '../tools/catalogue.ts';
import type { Tool } from '../tools/tool.ts';
import { appsCapability, type ReadView } from './apps.ts';
import { Completions, handleCompletions } from './completions.ts';
import { ConfirmationFlow } from './confirmation-flow.ts';
import { FeatureList } from './feature-list.ts';
import { icon } from './icon.ts';
import { instructionsFor } from './instructions.ts';
import type { Prompt } from './prompt-texts.ts';
import { handlePrompts, promptsFor } from './prompts.ts';
import { handleResources, isResourceTool, type ResourceTool, variablesOf } from './resources.ts';
import { handleSubscriptions, Subscriptions } from './subscriptions.ts';
import { ToolExecutor, type ToolExecutorOptions } from './tool-executor.ts';
import { handleTools } from './tools.ts';

/** The dependencies of all servers of a program. */
export interface ServerDeps extends ToolExecutorOptions {
  readonly client: ToolExecutorOptions['client'] &
    Pick<BudgetClient, 'readOnly' | 'lacks' | 'onAvailabilityChanged' | 'onChange' | 'knownBudgets'>;
  readonly clock: Clock;
  readonly version: string;
  /** All tools, from which `toolsets` selects. The default is the catalogue. */
  readonly tools?: readonly Tool[] | undefined;
  /** Whether results have structured content, and tools have output schemas. By default results are text only. */
  readonly structured?: boolean | undefined;
  /** The enabled groups of tools. The default is all groups. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Reads the page of a view. Without it there are no views. */
  readonly readView?: ReadView | undefined;
}

/** What servers share. */
export interface SharedServerState {
  readonly tools: FeatureList<Tool>;
  readonly prompts: FeatureList<Prompt>;
  readonly resources: readonly ResourceTool[];
  readonly subscriptions: Subscriptions;
  readonly completions: Completions;
  readonly confirmations: ConfirmationFlow;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

class BudgetServer extends Server {
  /**
   * Called when the server connects. The function that it returns is called when the connection closes or cannot be
   * made. A server that is created and never connected needs no cleanup.
   */
  onConnect: () => () => void = () => () => {};

  override async connect(transport: Transport): Promise<void> {
    const disconnect = this.onConnect();
    const { onclose } = this;
    this.onclose = () => {
      disconnect();
      onclose?.();
    };
    try {
      await super.connect(transport);
    } catch (error) {
      disconnect();
      throw error;
    }
  }
}

/** `caller` owns the subscriptions, writes and confirmations of this server, if there are several callers. */
export function createServer(deps: ServerDeps, shared: SharedServerState, caller?: string): Server {
  const { client, confirm, notice, structured = false, version, readView } = deps;
  const { tools, prompts, resources, completions, confirmations } = shared;
  const hasCompletions = !prompts.isEmpty || resources.some((tool) => variablesOf(tool).length > 0);
  const instructions = instructionsFor(tools);
  const server = new BudgetServer(
    { name: 'budget-mcp', title: 'Budget', version, icons: [icon] },
    {
      instructions: notice === undefined ? instructions : `${instructions}\n${notice}`,
      // Many tools change together, and one notification for all of them is enough.
      debouncedNotificationMethods: [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
      ],
      capabilities: {
        // The list gets shorter if the token turns out to be read-only, or the service to lack operations.
        tools: { listChanged: true },
        resources: { listChanged: false, subscribe: true },
        ...(!prompts.isEmpty && { prompts: { listChanged: true } }),
        ...(hasCompletions && { completions: {} }),
        ...(readView && appsCapability),
      },
      cacheHints: {
        'server/discover': { ttlMs: DAY_MS, cacheScope: 'public' },
        'tools/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
        'prompts/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
        // Shorter if the service lacks operations.
        'resources/templates/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
        'resources/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
        'resources/read': { ttlMs: 0, cacheScope: 'private' },
      },
    },
  );
  const executor = new ToolExecutor({ ...deps, caller });
  handleTools(server, tools, {
    executor,
    confirm,
    confirmations,
    structured,
    caller: caller ?? '',
    hasViews: readView !== undefined,
  });
  if (!prompts.isEmpty) handlePrompts(server, prompts);
  handleResources(server, resources, { executor, client, tools, readView });
  if (hasCompletions) handleCompletions(server, { completions, prompts, resources });
  const endSubscriptions = handleSubscriptions(server, shared.subscriptions, caller);
  server.onConnect = () => {
    const stopNotifying = notifyOfChanges(server, deps, shared);
    return () => {
      stopNotifying();
      endSubscriptions();
    };
  };
  return server;
}

/** Notifies the host whenever other tools or prompts are available, until the returned function is called. */
function notifyOfChanges(
  server: Server,
  { client }: ServerDeps,
  { tools, prompts }: SharedServerState,
): () => void {
  const haveToolsChanged = tools.watch();
  const havePromptsChanged = prompts.watch();
  // The host may have disconnected.
  const ignore = () => {};
  return client.onAvailabilityChanged(() => {
    if (haveToolsChanged()) server.sendToolListChanged().catch(ignore);
    if (havePromptsChanged()) server.sendPromptListChanged().catch(ignore);
  });
}

/** Created once for all servers with the same dependencies. */
export function createSharedState(deps: ServerDeps): SharedServerState {
  const { client, clock, log, toolsets, tools = catalogue } = deps;
  const isAvailable = (kind: OperationKind, operation?: Operation) =>
    !(client.readOnly && kind !== 'read') && !(operation && client.lacks(operation));
  const enabled = tools.filter(
    ({ toolset }) => toolset === undefined || !toolsets || toolsets.includes(toolset),
  );
  const available = new FeatureList('Tool', enabled, ({ kind, operation }) => isAvailable(kind, operation));
  const resources = enabled.filter(isResourceTool);
  return {
    tools: available,
    prompts: new FeatureList('Prompt', promptsFor(enabled), (prompt) =>
      prompt.tools.every((name) => available.has(name)),
    ),
    resources,
    subscriptions: new Subscriptions({ client, executor: new ToolExecutor(deps), resources }),
    completions: new Completions({ client, clock, log, tools }),
    confirmations: new ConfirmationFlow(clock),
  };
}
