/**
 * Creates MCP servers with the tools, resources and prompts of the catalogue, for every transport and both protocol eras.
 * In the newer era each request has a server of its own. So what does not depend on the host is created once and shared,
 * and a server only gets request handlers.
 */
import type { Server } from '@modelcontextprotocol/server';
import type { Tool } from '../answers/tool.ts';
import type { Clock } from '../base/clock.ts';
import type { MeasureCall } from '../base/metrics.ts';
import { catalogue, viewTools } from '../features/catalogue.ts';
import type { ConfirmPolicy } from '../operations/consent.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { type BudgetServer, createBudgetServer, type ServerInfo } from './budget-server.ts';
import { createCompletions, handleCompletions } from './completions.ts';
import { ConfirmationFlow } from './confirmation-flow.ts';
import { handleEvents } from './events.ts';
import { featuresOf } from './features.ts';
import { handlePrompts } from './prompts.ts';
import { handleResources, isResourceTool } from './resources.ts';
import type { SignInOffer } from './sign-in-offer.ts';
import { handleSkills } from './skills.ts';
import { handleSubscriptions, Subscriptions } from './subscriptions.ts';
import { ToolExecutor, type ToolExecutorOptions } from './tool-executor.ts';
import { handleTools } from './tools.ts';
import type { Watcher } from './watcher.ts';

/** The dependencies of all servers of a program. */
export interface ServerDeps extends ToolExecutorOptions, Omit<ServerInfo, 'hasEvents'> {
  readonly client: BudgetClient;
  readonly clock: Clock;
  readonly confirm: ConfirmPolicy;
  /** All tools, from which `toolsets` selects. The default is the catalogue. */
  readonly tools?: readonly Tool[] | undefined;
  /** Whether results have structured content, and tools have output schemas. By default results are text only. */
  readonly structured?: boolean | undefined;
  /** The enabled groups of tools. The default is all groups. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Opens what the servers of several machines have in common. The default is the memory of this process. */
  readonly openStore?: (() => Promise<SharedStore>) | undefined;
  /** Opens pages for signing in. Without it hosts are not offered any. */
  readonly signInPages?: SignInOffer['pages'] | undefined;
  /** Runs each call of a tool. */
  readonly measureCall?: MeasureCall | undefined;
  /** Without it nothing can be watched. */
  readonly watcher?: Watcher | undefined;
  /** The owner of all watches. By default each caller has its own. */
  readonly principal?: string | undefined;
  /** The ids of the callers that the settings name, if there are several. They share what can be watched. */
  readonly namedCallers?: (() => readonly string[]) | undefined;
}

/** The parts that all servers with the same dependencies share. */
export type SharedServerState = ReturnType<typeof createSharedState>;

/** `caller` owns the subscriptions, writes and confirmations of this server, if there are several callers. */
export function createServer(deps: ServerDeps, shared: SharedServerState, caller?: string): Server {
  const server = createBudgetServer({ ...deps, hasEvents: deps.watcher !== undefined }, shared);
  completeServer(server, deps, shared, caller);
  return server;
}

/** Adds the handlers of all requests. The server may be connected already. */
export function completeServer(
  server: BudgetServer,
  deps: ServerDeps,
  shared: SharedServerState,
  caller = '',
): void {
  const {
    client,
    clock,
    structured = false,
    readView,
    signInPages,
    watcher,
    principal = caller,
    namedCallers,
  } = deps;
  const { tools, prompts, skills, resources, completions, confirmations } = shared;
  const executor = new ToolExecutor({ ...deps, caller });
  const signIn = signInPages && { clock, pages: signInPages };
  handleTools(server, tools, { ...deps, executor, confirmations, structured, caller, signIn });
  if (!prompts.isEmpty) handlePrompts(server, prompts);
  if (!skills.isEmpty) handleSkills(server, skills);
  handleResources(server, resources, { executor, client, tools, readView, skills });
  if (server.getCapabilities().completions) handleCompletions(server, completions, prompts, resources);
  if (watcher) handleEvents(server, { watcher, executor, clock, principal, namedCallers });
  const endSubscriptions = handleSubscriptions(server, shared.subscriptions, caller);
  server.whileConnected(() => {
    const stopNotifying = client.onAvailabilityChanged(() => {
      // The host may have disconnected.
      server.sendToolListChanged().catch(() => {});
      if (!prompts.isEmpty) server.sendPromptListChanged().catch(() => {});
    });
    return () => {
      stopNotifying();
      endSubscriptions();
    };
  });
}

export function createSharedState(deps: ServerDeps) {
  const { client, clock, log, toolsets, tools = catalogue, readView } = deps;
  const memory = new MemoryStore(clock);
  const { openStore = async () => memory } = deps;
  const features = featuresOf(readView ? [...tools, ...viewTools] : tools, toolsets, client);
  const resources = features.enabled.filter(isResourceTool);
  return {
    ...features,
    resources,
    subscriptions: new Subscriptions({ client, executor: new ToolExecutor(deps), resources }),
    completions: createCompletions({ client, log }),
    confirmations: new ConfirmationFlow(clock, openStore),
  };
}
