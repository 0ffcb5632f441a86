/**
 * Who wants to hear of which resource. After a sync or a write, what each resource of that budget says is made anew
 * from what is held, and its hosts are told where it says something else than before; of one that cannot be made from
 * what is held they are told whenever its budget has changed. Nothing is asked of the service for this. It knows URIs
 * and answers, and must not know how a host is connected.
 */
import { createHash } from 'node:crypto';
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { BudgetClient } from '../client/budget-client.ts';
import { yieldTurn } from '../platform/clock.ts';
import { quoteStart } from '../platform/quote.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Tool } from '../tools/tool.ts';
import { findResource, isResourceNotFound } from './resources.ts';
import type { ToolExecutor } from './tool-executor.ts';

/** Of one function, however often it is given for a URI, only one call is made. */
export type OnResourceUpdated = (uri: string) => void;

/** One wish to be told. */
export interface Subscription {
  /** Settles once changes are noticed; rejects with a `ProtocolError` where there is no such resource. */
  readonly ready: Promise<void>;
  end(): void;
}

export interface SubscriptionsDeps {
  readonly client: Pick<BudgetClient, 'onChange'>;
  readonly executor: ToolExecutor;
  readonly tools: readonly Tool[];
}

/** How a resource stands. */
interface ResourceState {
  /** Undefined where it is of no budget, or of one that cannot be told now. */
  readonly budgetId?: string | undefined;
  /** Of what it says; undefined where that cannot be told without asking. */
  readonly digest?: string | undefined;
  /** The budget, so that it need not be looked up again. */
  readonly budget?: BudgetSummary | undefined;
}

interface Watched {
  readonly uri: string;
  readonly tells: Map<Subscription, { readonly tell: OnResourceUpdated; readonly holder: string }>;
  readonly ready: Promise<void>;
  look: ResourceState;
}

/** Of one holder: after a change each of them is looked at, some milliseconds where it is a long list. */
const MAX_RESOURCES = 256;

export class Subscriptions {
  readonly #parts: SubscriptionsDeps;
  readonly #watched = new Map<string, Watched>();
  /** Of the client's changes; undefined while nobody watches anything. */
  #unsubscribe: (() => void) | undefined;
  #changes = 0;
  /** The budgets whose resources are to be looked at again; undefined for all. */
  readonly #due = new Set<string | undefined>();
  #isTelling = false;
  #lastTurn = Promise.resolve();

  constructor(parts: SubscriptionsDeps) {
    this.#parts = parts;
  }

  /**
   * `tell` is called with the URI, as it was given, after each change of what it says. Throws a `ProtocolError` for one
   * resource too many; they are counted for each `holder`.
   */
  subscribe(uri: string, tell: OnResourceUpdated, holder = ''): Subscription {
    const isOf = ({ tells }: Watched) => [...tells.values()].some((each) => each.holder === holder);
    const known = this.#watched.get(uri);
    if (!(known && isOf(known)) && [...this.#watched.values()].filter(isOf).length >= MAX_RESOURCES)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        `At most ${MAX_RESOURCES} resources can be subscribed to.`,
      );
    const watched = known ?? this.#enter(uri);
    const watch = {
      ready: watched.ready,
      end: () => {
        watched.tells.delete(watch);
        if (watched.tells.size === 0) this.#leave(watched);
      },
    };
    watched.tells.set(watch, { tell, holder });
    watched.ready.catch(() => watch.end());
    return watch;
  }

  /** All of them or, where it throws, none. One that is not there is none to be told of. */
  subscribeAll(uris: readonly string[], tell: OnResourceUpdated, holder?: string): Pick<Subscription, 'end'> {
    const watches: Subscription[] = [];
    const end = () => {
      for (const watch of watches) watch.end();
    };
    try {
      for (const uri of new Set(uris)) watches.push(this.subscribe(uri, tell, holder));
    } catch (error) {
      end();
      throw error;
    }
    return { end };
  }

  #enter(uri: string): Watched {
    this.#unsubscribe ??= this.#parts.client.onChange((budgetId) => this.#changed(budgetId));
    const changes = this.#changes;
    const ready = this.#look(uri).then((look) => {
      // What has changed meanwhile may be in it or not.
      watched.look = changes === this.#changes ? look : { ...look, digest: undefined };
    });
    const watched: Watched = { uri, tells: new Map(), ready, look: {} };
    this.#watched.set(uri, watched);
    return watched;
  }

  #leave(watched: Watched): void {
    if (this.#watched.get(watched.uri) === watched) this.#watched.delete(watched.uri);
    if (this.#watched.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #changed(budgetId: string | undefined): void {
    this.#changes += 1;
    this.#due.add(budgetId);
    if (!this.#isTelling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    // One that changes again meanwhile takes its turn again.
    try {
      for (const budgetId of this.#due) {
        this.#due.delete(budgetId);
        for (const watched of [...this.#watched.values()]) await this.#tell(watched, budgetId);
      }
    } finally {
      this.#isTelling = false;
    }
  }

  async #tell(watched: Watched, budgetId: string | undefined): Promise<void> {
    const { uri, tells } = watched;
    await watched.ready.catch(() => {});
    const before = watched.look;
    const isOfAnother = before.budgetId !== undefined && before.budgetId !== budgetId;
    if (isOfAnother && budgetId !== undefined) return;
    // Somebody else's sign-in may have other budgets under the same names.
    const known = budgetId === undefined ? undefined : before.budget;
    const now = await this.#look(uri, known).catch((): ResourceState => ({}));
    watched.look = { ...before, digest: undefined, ...now };
    const isSame = now.digest !== undefined && now.digest === before.digest;
    // What somebody else's sign-in says is to be read again, even if it is the same.
    if (budgetId !== undefined && isSame) return;
    for (const tell of new Set([...tells.values()].map((each) => each.tell))) tell(uri);
  }

  /** However many are to be looked at, between any two of them everybody else is served. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(yieldTurn);
    return this.#lastTurn;
  }

  /** Rejects only where there is no such resource. */
  async #look(uri: string, known?: BudgetSummary): Promise<ResourceState> {
    const { executor, tools } = this.#parts;
    try {
      const located = findResource(uri, tools);
      if (!located) throw notThere(uri);
      const { tool, args } = located;
      if (tool.isConstant) return { digest: '' };
      const resolved = await executor.resolve(tool, args, { budget: known });
      if (!tool.runCached) return { budgetId: resolved.call.budget?.id };
      await this.#turn();
      const content = executor.readCached(resolved);
      const { budget } = resolved.call;
      return { budgetId: budget?.id, budget, digest: content === undefined ? undefined : digestOf(content) };
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const message = executor.explainError(error, uri);
      if (isResourceNotFound(error)) throw notThere(uri, message);
      return {};
    }
  }
}

const digestOf = (said: unknown) => createHash('sha256').update(JSON.stringify(said)).digest('base64');

const notThere = (uri: string, message = `There is no resource ${quoteStart(uri, 300)}.`) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });

/**
 * What hosts of the older era subscribe with; those of the newer one do it by their transport. What is returned ends
 * all that the host has subscribed to.
 */
export function registerSubscriptions(
  { server }: McpServer,
  subscriptions: Subscriptions,
  holder?: string,
): () => void {
  const watches = new Map<string, Subscription>();
  const tell: OnResourceUpdated = (uri) => {
    // A host that has gone is none to tell.
    server.sendResourceUpdated({ uri }).catch(() => {});
  };
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const watch = watches.get(uri) ?? subscriptions.subscribe(uri, tell, holder);
    watches.set(uri, watch);
    await watch.ready.catch((error: unknown) => {
      watches.delete(uri);
      throw error;
    });
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watches.get(uri)?.end();
    watches.delete(uri);
    return {};
  });
  return () => {
    for (const watch of watches.values()) watch.end();
  };
}
