/**
 * Resource subscriptions. After a sync or a write, the content of each subscribed resource of that budget is computed
 * from the cache, and its subscribers are notified if it differs from the content before. If the content cannot be
 * computed from the cache, they are notified of every change of the budget. While there are subscriptions, changes that other
 * processes of the user make are noticed too. No request is sent for this. Transports deliver the notifications.
 */
import { createHash } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { yieldTurn } from '../base/clock.ts';
import { quoteStart } from '../base/quote.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import { argumentsOf, findResource, isResourceNotFound, type ResourceTool } from './resources.ts';
import type { ToolExecutor } from './tool-executor.ts';

/** Called once per URI and change, even if the same function is registered several times. */
export type OnResourceUpdated = (uri: string) => void;

export interface Subscription {
  /** Resolves when changes are noticed. Rejects with a `ProtocolError` if there is no such resource. */
  readonly ready: Promise<void>;
  end(): void;
}

export interface SubscriptionsDeps {
  readonly client: Pick<BudgetClient, 'onChange' | 'followOthers' | 'lookAtOthers'>;
  readonly executor: ToolExecutor;
  readonly resources: readonly ResourceTool[];
}

/** The state of a resource when it was last read from the cache. */
interface ResourceState {
  /** Undefined if the resource belongs to no budget, or if its budget is not known now. */
  readonly budgetId?: string | undefined;
  /** The digest of the content. Undefined if the content is not cached. */
  readonly digest?: string | undefined;
  /** The resolved budget, so that it is not looked up again. */
  readonly budget?: BudgetSummary | undefined;
}

interface SubscribedResource {
  readonly uri: string;
  readonly subscribers: Map<Subscription, { readonly onUpdated: OnResourceUpdated; readonly caller: string }>;
  readonly ready: Promise<void>;
  state: ResourceState;
}

/** The limit for each caller. After a change all of them are read, which takes some milliseconds for a long list. */
const MAX_RESOURCES = 256;

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  readonly #resources = new Map<string, SubscribedResource>();
  /** Stops listening to the client. Undefined while there are no subscriptions. */
  #stopListening: (() => void) | undefined;
  #changeCount = 0;
  /** The budgets whose resources have to be checked. Undefined means all budgets. */
  readonly #changedBudgets = new Set<string | undefined>();
  #isChecking = false;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /**
   * After each change of the content, `onUpdated` is called with the URI as it was given. Throws a `ProtocolError` if
   * `caller` has too many resources already.
   */
  subscribe(uri: string, onUpdated: OnResourceUpdated, caller = ''): Subscription {
    const ofCaller = [...this.#resources.values()].filter(({ subscribers }) =>
      [...subscribers.values()].some((each) => each.caller === caller),
    );
    if (ofCaller.length >= MAX_RESOURCES && !ofCaller.some((each) => each.uri === uri))
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        `At most ${MAX_RESOURCES} resources can be subscribed to.`,
      );
    const resource = this.#resources.get(uri) ?? this.#add(uri);
    const subscription = {
      ready: resource.ready,
      end: () => {
        resource.subscribers.delete(subscription);
        if (resource.subscribers.size === 0) this.#remove(resource);
      },
    };
    resource.subscribers.set(subscription, { onUpdated, caller });
    resource.ready.catch(() => subscription.end());
    return subscription;
  }

  /** Subscribes to all resources, or to none if it throws. Resources that do not exist are ignored. */
  subscribeAll(
    uris: readonly string[],
    onUpdated: OnResourceUpdated,
    caller?: string,
  ): Pick<Subscription, 'end'> {
    const subscriptions: Subscription[] = [];
    const end = () => {
      for (const subscription of subscriptions) subscription.end();
    };
    try {
      for (const uri of new Set(uris)) subscriptions.push(this.subscribe(uri, onUpdated, caller));
    } catch (error) {
      end();
      throw error;
    }
    return { end };
  }

  #add(uri: string): SubscribedResource {
    this.#stopListening ??= this.#listen();
    const changeCount = this.#changeCount;
    const ready = this.#readState(uri).then(async (state) => {
      // Changes of others are noticed from now on. If the store fails, they are noticed from the next look on.
      if (state.budgetId !== undefined && state.digest === undefined)
        await this.#deps.client.lookAtOthers(state.budgetId).catch(() => {});
      // The state may or may not include changes that came while it was read.
      resource.state = changeCount === this.#changeCount ? state : { ...state, digest: undefined };
    });
    const resource: SubscribedResource = { uri, subscribers: new Map(), ready, state: {} };
    this.#resources.set(uri, resource);
    return resource;
  }

  #listen(): () => void {
    const { client } = this.#deps;
    const ends = [
      client.onChange((budgetId) => this.#onChange(budgetId)),
      client.followOthers(() => this.#budgets()),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #budgets(): string[] {
    return [...this.#resources.values()].flatMap(({ state: { budgetId } }) => budgetId ?? []);
  }

  #remove(resource: SubscribedResource): void {
    if (this.#resources.get(resource.uri) === resource) this.#resources.delete(resource.uri);
    if (this.#resources.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #onChange(budgetId: string | undefined): void {
    this.#changeCount += 1;
    this.#changedBudgets.add(budgetId);
    if (!this.#isChecking) void this.#checkAll();
  }

  async #checkAll(): Promise<void> {
    this.#isChecking = true;
    // The loop also visits budgets that are added while it runs.
    try {
      for (const budgetId of this.#changedBudgets) {
        this.#changedBudgets.delete(budgetId);
        for (const resource of [...this.#resources.values()]) await this.#check(resource, budgetId);
      }
    } finally {
      this.#isChecking = false;
    }
  }

  async #check(resource: SubscribedResource, budgetId: string | undefined): Promise<void> {
    const { uri, subscribers } = resource;
    await resource.ready.catch(() => {});
    const before = resource.state;
    const isOfOtherBudget = before.budgetId !== undefined && before.budgetId !== budgetId;
    if (isOfOtherBudget && budgetId !== undefined) return;
    // After a new sign-in, the same name may belong to another budget.
    const knownBudget = budgetId === undefined ? undefined : before.budget;
    const now = await this.#readState(uri, knownBudget).catch((): ResourceState => ({}));
    resource.state = { ...before, digest: undefined, ...now };
    const isUnchanged = now.digest !== undefined && now.digest === before.digest;
    // After a new sign-in, resources have to be read again even if the content is the same.
    if (budgetId !== undefined && isUnchanged) return;
    for (const onUpdated of new Set([...subscribers.values()].map((each) => each.onUpdated))) onUpdated(uri);
  }

  /** Rejects only if there is no such resource. */
  async #readState(uri: string, knownBudget?: BudgetSummary): Promise<ResourceState> {
    const { executor, resources } = this.#deps;
    try {
      const request = findResource(uri, resources);
      if (!request) throw notFoundError(uri);
      const { tool } = request;
      const args = argumentsOf(request);
      if (tool.isConstant) return { digest: '' };
      const resolved = await executor.resolve(tool, args, { budget: knownBudget });
      if (!tool.runCached) return { budgetId: resolved.call.budget?.id };
      await yieldTurn();
      const content = executor.readCached(resolved);
      const { budget } = resolved.call;
      return { budgetId: budget?.id, budget, digest: content === undefined ? undefined : digestOf(content) };
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const message = executor.explainError(error, uri);
      if (isResourceNotFound(error)) throw notFoundError(uri, message);
      return {};
    }
  }
}

const digestOf = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest('base64');

const notFoundError = (uri: string, message = `There is no resource ${quoteStart(uri, 300)}.`) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });

/**
 * Handles the subscription requests of hosts of the older protocol era. Transports handle those of the newer one. The
 * returned function ends all subscriptions of the host.
 */
export function handleSubscriptions(
  server: Server,
  subscriptions: Subscriptions,
  caller?: string,
): () => void {
  const byUri = new Map<string, Subscription>();
  const onUpdated: OnResourceUpdated = (uri) => {
    // The host may have disconnected.
    server.sendResourceUpdated({ uri }).catch(() => {});
  };
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const subscription = byUri.get(uri) ?? subscriptions.subscribe(uri, onUpdated, caller);
    byUri.set(uri, subscription);
    await subscription.ready.catch((error: unknown) => {
      byUri.delete(uri);
      throw error;
    });
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    byUri.get(uri)?.end();
    byUri.delete(uri);
    return {};
  });
  return () => {
    for (const subscription of byUri.values()) subscription.end();
  };
}
