/**
 * Resolves an id, a name or nothing to one of the user's budgets. It caches the list of budgets, because budgets are
 * rarely created, renamed or deleted.
 */

import { withCancellation } from '../base/abort.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import {
  type BudgetChoice,
  defaultBudgetOf,
  isUnchosen,
  type BudgetList as ListOf,
} from '../base/default-budget.ts';
import { BudgetError } from '../base/errors.ts';
import { quote, quoteStart, word } from '../base/quote.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';

export type BudgetList = ListOf<BudgetSummary>;

export interface ReadBudgetList {
  readonly list: BudgetList;
  readonly readAt: Moment;
}

export interface BudgetDirectoryOptions {
  readonly clock: Clock;
  /** Reads the list from the service, or takes one that is younger than `maxAgeMs` from another process. */
  readonly list: (maxAgeMs: number) => Promise<ReadBudgetList>;
  /** Reads the id of `last-used` or `default` from the service. Used if the list does not contain it. */
  readonly identify: (literal: string) => Promise<string>;
  readonly configured?: string;
  /**
   * The id of the budget that was the first one of several when a default was first needed. It is kept, because an older entry can
   * make another budget the first.
   */
  readonly first: { read(): Promise<string | undefined>; write(id: string): Promise<void> };
}

/** The maximum age of the list in general. */
const MAX_LIST_AGE_MS = 15 * 60_000;
/** The maximum age for a name, which may belong to another budget now, and for `last-used`. */
const MAX_LIST_AGE_FOR_NAMES_MS = 10_000;
/** The minimum time between two reads of the list because a budget was not found. It applies to all callers together. */
const RELOAD_INTERVAL_MS = 10_000;

const MISSING = {
  settings: 'The configured default budget does not exist.',
  'sign-in':
    'The default budget that was chosen at sign-in does not exist any more: the user chooses another one with `budget-mcp login`.',
};

export class BudgetDirectory {
  readonly #options: BudgetDirectoryOptions;
  /** The last request, shared by all callers that wait for it. */
  #request: { readonly read: Promise<ReadBudgetList>; readAt: Moment } | undefined;
  #last: ReadBudgetList | undefined;
  /** By the monotonic clock. */
  #reloadedAt = Number.NEGATIVE_INFINITY;
  /** The ids of `last-used` and `default`. They are cached because reading one loads a whole budget. */
  readonly #identified = new Map<string, { readonly id: Promise<string>; readonly requestedAt: Moment }>();
  /** The id of the configured budget after it was found by name. The setting stays with this budget if it is renamed. */
  #configuredId: string | undefined;
  /** The id of the budget that the person has chosen at the sign-in. */
  chosen: string | undefined;
  #first: string | undefined;
  /** The callers to which the default budget was named. */
  readonly #informed = new Set<string>();

  constructor(options: BudgetDirectoryOptions) {
    this.#options = options;
  }

  /**
   * Returns the budget for an id, a name, `last-used` or `default`. Without `wanted`, returns the default budget
   * (`defaultBudgetOf`). If the chosen one does not exist, no other one is used.
   */
  async resolve(wanted?: string, signal?: AbortSignal): Promise<BudgetSummary> {
    if (wanted !== undefined) return this.#find(wanted, signal);
    const choice = this.#choice;
    if (!choice) return this.#unchosen(signal);
    try {
      const budget = await this.#find(choice.budget, signal);
      if (choice.by === 'settings') this.#configuredId = budget.id;
      return budget;
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'unknown_budget') throw error;
      throw new BudgetError('unknown_budget', `${MISSING[choice.by]} ${error.message}`);
    }
  }

  /** The default budget by the last list. Undefined if there is none, or no list yet. Sends no request. */
  get default() {
    return this.#last && defaultBudgetOf(this.#last.list, this.#choice, this.#first);
  }

  /** The default budget, once for each caller, if the person has not chosen it here and there are others. */
  takeUnchosen(caller: string) {
    if (this.#informed.has(caller)) return undefined;
    const found = this.default;
    if (!found || !isUnchosen(found)) return undefined;
    this.#informed.add(caller);
    return found;
  }

  get #choice(): BudgetChoice | undefined {
    const { configured } = this.#options;
    if (configured !== undefined) return { by: 'settings', budget: this.#configuredId ?? configured };
    return this.chosen === undefined ? undefined : { by: 'sign-in', budget: this.chosen };
  }

  /** The list, at most 15 minutes old, and when it was requested. */
  current(signal?: AbortSignal): Promise<ReadBudgetList> {
    return this.#read(MAX_LIST_AGE_MS, signal);
  }

  /** Like `current`, but at most some seconds old. Used after the list was found to be out of date. */
  reload(signal?: AbortSignal): Promise<ReadBudgetList> {
    const now = this.#options.clock.monotonic();
    if (now - this.#reloadedAt < RELOAD_INTERVAL_MS) return this.current(signal);
    this.#reloadedAt = now;
    return this.#read(1, signal);
  }

  /** Checks a budget that the service did not find. Throws `unknown_budget` if it is not in a new list. */
  async recheck({ id, name }: BudgetSummary, signal?: AbortSignal): Promise<void> {
    const { budgets } = (await this.reload(signal)).list;
    if (budgets.some((budget) => budget.id === id)) return;
    const message = `The budget ${quoteStart(name, 100)} (${word(id)}) does not exist any more.`;
    throw unknownBudget(message, budgets);
  }

  /** The budgets in the last response. Sends no request. */
  get known(): readonly BudgetSummary[] {
    return this.#last?.list.budgets ?? [];
  }

  async #find(wanted: string, signal?: AbortSignal): Promise<BudgetSummary> {
    const list = await this.#firstList(({ budgets }) => budgets.some(({ id }) => id === wanted), signal);
    if (wanted === 'default' && list.default_budget) return list.default_budget;
    const isLiteral = wanted === 'default' || wanted === 'last-used';
    const notNamed = (error: unknown) => {
      if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') throw error;
      throw unknownBudget(`The service names no ${wanted} budget.`, list.budgets);
    };
    const id = isLiteral ? await withCancellation(this.#identify(wanted), signal).catch(notNamed) : wanted;
    const byId = list.budgets.find((budget) => budget.id === id);
    if (byId) return byId;
    const recent = await this.#read(MAX_LIST_AGE_FOR_NAMES_MS, signal);
    const found = find(recent.list.budgets, id);
    if (found) return found;
    // A budget that was just created or renamed may be missing from the cached list.
    const { budgets } = (await this.reload(signal)).list;
    const foundAfterReload = find(budgets, id);
    if (foundAfterReload) return foundAfterReload;
    throw unknownBudget(`There is no budget ${quote(wanted)}.`, budgets);
  }

  async #unchosen(signal?: AbortSignal): Promise<BudgetSummary> {
    const isCertain = ({ default_budget, budgets }: BudgetList) =>
      default_budget !== null || budgets.length === 1;
    const list = await this.#firstList(isCertain, signal);
    const { first } = this.#options;
    if (!isCertain(list)) this.#first ??= await first.read();
    const found = defaultBudgetOf(list, undefined, this.#first);
    if (!found) throw unknownBudget('', []);
    const { id } = found.budget;
    if (found.by === 'first' && this.#first !== id) {
      this.#first = id;
      await first.write(id);
    }
    return found.budget;
  }

  #identify(literal: string): Promise<string> {
    const { clock, identify } = this.#options;
    const known = this.#identified.get(literal);
    if (known && ageOf(clock, known.requestedAt) < MAX_LIST_AGE_FOR_NAMES_MS) return known.id;
    const identification = { id: identify(literal), requestedAt: momentOf(clock) };
    this.#identified.set(literal, identification);
    identification.id.catch(() => {
      if (this.#identified.get(literal) === identification) this.#identified.delete(literal);
    });
    return identification.id;
  }

  /** For the first call of a process, any list that another one has read, if it is good enough. Else one of 15 minutes. */
  async #firstList(isGoodEnough: (list: BudgetList) => boolean, signal?: AbortSignal): Promise<BudgetList> {
    if (!this.#request) {
      const { list } = await this.#read(Number.POSITIVE_INFINITY, signal);
      if (isGoodEnough(list)) return list;
    }
    return (await this.current(signal)).list;
  }

  #read(maxAgeMs: number, signal?: AbortSignal): Promise<ReadBudgetList> {
    const { clock, list } = this.#options;
    if (!this.#request || ageOf(clock, this.#request.readAt) >= maxAgeMs) {
      const readAt = momentOf(clock);
      // The caller cannot cancel this request, because others may wait for it too. The response is small.
      const read = list(maxAgeMs).then(
        (latest) => {
          request.readAt = latest.readAt;
          this.#last = latest;
          return latest;
        },
        (error: unknown) => {
          if (this.#request === request) this.#request = undefined;
          // While the service is not available, the last list still allows results from the cache.
          if (this.#last && error instanceof BudgetError && error.isTransient) return this.#last;
          throw error;
        },
      );
      const request = { read, readAt };
      this.#request = request;
    }
    return withCancellation(this.#request.read, signal);
  }
}

/** Finds a budget by id, or by name ignoring case. Throws `ambiguous_budget` if several budgets have the name. */
function find(budgets: readonly BudgetSummary[], wanted: string): BudgetSummary | undefined {
  const byId = budgets.find(({ id }) => id === wanted);
  if (byId) return byId;
  const byName = budgets.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const exact = byName.filter(({ name }) => name === wanted);
  const matches = exact.length === 1 ? exact : byName;
  if (matches.length <= 1) return matches[0];
  const message = `${matches.length} budgets are called ${quote(wanted)}. ${listing(matches)}`;
  throw new BudgetError('ambiguous_budget', message);
}

const MAX_LISTED = 20;

/** The advice depends on whether there are any. */
function unknownBudget(message: string, budgets: readonly BudgetSummary[]): BudgetError {
  const choice =
    budgets.length === 0
      ? 'This user has no budget yet. Only the user can create one, in the app of the service.'
      : `${listing(budgets)} Use one of them, by id or name.`;
  return new BudgetError('unknown_budget', `${message} ${choice}`.trim());
}

function listing(budgets: readonly BudgetSummary[]): string {
  const names = budgets.slice(0, MAX_LISTED).map(({ id, name }) => `${quoteStart(name, 100)} (${word(id)})`);
  const rest = budgets.length - names.length;
  if (rest > 0) names.push(`and ${rest} more`);
  return `There are: ${names.join(', ')}.`;
}
