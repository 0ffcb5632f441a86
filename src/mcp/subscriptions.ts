/**
 * Resource subscriptions. After a sync or a write that changes a budget, subscribers are notified of each subscribed resource
 * of that budget, whether or not its content is another one. While there are subscriptions, changes that other processes of
 * the user make are noticed too. No request is sent for this. Transports deliver the notifications.
 */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { quoteStart } from '../base/quote.ts';
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

interface SubscribedResource {
  readonly uri: string;
  readonly subscribers: Map<Subscription, { readonly onUpdated: OnResourceUpdated; readonly caller: string }>;
  /** Resolves when the budget is known. Rejects if there is no such resource. */
  located: Promise<void>;
  /** Undefined if the resource belongs to no budget, or if its budget is not known now. */
  budgetId?: string | undefined;
}

/** The limit for each caller. After a change a host may read all of them. */
const MAX_RESOURCES = 256;

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  readonly #resources = new Map<string, SubscribedResource>();
  /** Stops listening to the client. Undefined while there are no subscriptions. */
  #stopListening: (() => void) | undefined;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /**
   * After each change of the budget, `onUpdated` is called with the URI as it was given. Throws a `ProtocolError` if
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
      ready: resource.located,
      end: () => {
        resource.subscribers.delete(subscription);
        if (resource.subscribers.size === 0) this.#remove(resource);
      },
    };
    resource.subscribers.set(subscription, { onUpdated, caller });
    subscription.ready.catch(() => subscription.end());
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
    const resource: SubscribedResource = { uri, subscribers: new Map(), located: Promise.resolve() };
    resource.located = this.#locate(resource);
    this.#resources.set(uri, resource);
    return resource;
  }

  #listen(): () => void {
    const { client } = this.#deps;
    const ends = [
      client.onChange((budgetId) => this.#onChange(budgetId)),
      client.followOthers(() => [...this.#resources.values()].flatMap(({ budgetId }) => budgetId ?? [])),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #remove(resource: SubscribedResource): void {
    if (this.#resources.get(resource.uri) === resource) this.#resources.delete(resource.uri);
    if (this.#resources.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #onChange(changed: string | undefined): void {
    for (const resource of this.#resources.values()) {
      // After a new sign-in, the same name may belong to another budget. Before the first one, its budget was not known.
      if (changed === undefined || resource.budgetId === undefined) this.#locateAgain(resource);
      void resource.located.catch(() => {}).then(() => notify(resource, changed));
    }
  }

  #locateAgain(resource: SubscribedResource): void {
    // One after the other, so that an older sign-in is not the last one.
    const locate = () =>
      this.#locate(resource).catch(() => {
        resource.budgetId = undefined;
      });
    resource.located = resource.located.then(locate, locate);
  }

  /** Finds the budget of a resource. From then on, changes of other processes in it are noticed. Rejects only if there is no such resource. */
  async #locate(resource: SubscribedResource): Promise<void> {
    const { client, executor, resources } = this.#deps;
    const { uri } = resource;
    try {
      const request = findResource(uri, resources);
      if (!request) throw notFoundError(uri);
      const { call } = await executor.resolve(request.tool, argumentsOf(request));
      const budgetId = call.budget?.id;
      // If the store fails, they are noticed from the next look on.
      if (budgetId !== undefined) await client.lookAtOthers(budgetId).catch(() => {});
      resource.budgetId = budgetId;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const message = executor.explainError(error, uri);
      if (isResourceNotFound(error)) throw notFoundError(uri, message);
      resource.budgetId = undefined;
    }
  }
}

/** A resource whose budget is not known may be one of the budget that has changed. */
function notify({ uri, budgetId, subscribers }: SubscribedResource, changed: string | undefined): void {
  if (changed !== undefined && budgetId !== undefined && budgetId !== changed) return;
  for (const onUpdated of new Set([...subscribers.values()].map((each) => each.onUpdated))) onUpdated(uri);
}

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
