/**
 * Which budget is meant. It turns what a caller says (an id, a name, nothing at all) into one of the user's budgets,
 * from a list that it reads seldom: budgets come, go and are renamed rarely.
 */

import { BudgetError } from '../errors.ts';
import { withCancellation } from '../platform/abort.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { quote, quoteStart, word } from '../platform/quote.ts';
import type { BudgetSummary } from '../schema/budget.ts';

export interface BudgetList {
  readonly budgets: readonly BudgetSummary[];
  readonly default_budget: BudgetSummary | null;
}

export interface BudgetDirectoryOptions {
  readonly clock: Clock;
  /** Asks the service for the list. */
  readonly list: () => Promise<BudgetList>;
  /** Asks the service which budget `last-used` or `default` is, where the list does not tell. */
  readonly identify: (literal: string) => Promise<string>;
  /** The id or name that the user configured. */
  readonly configured?: string;
}

/** For all else: budgets seldom come and go, and a conversation should not change its budget with every edit. */
const MAX_LIST_AGE_MS = 15 * 60_000;
/** For finding one by its name, which may have been given to another, or as the one used last. */
const MAX_LIST_AGE_FOR_NAMES_MS = 10_000;
/** What is not in the list, or no more, makes it be read again once in this time, whoever asks. */
const RECHECK_MS = 10_000;

export class BudgetDirectory {
  readonly #options: BudgetDirectoryOptions;
  /** One request for all who wait for it. */
  #held: { readonly list: Promise<BudgetList>; readonly readAt: Moment } | undefined;
  #last: { readonly list: BudgetList; readonly readAt: Moment } | undefined;
  /** By the monotonic clock. */
  #recheckedAt = Number.NEGATIVE_INFINITY;
  /** What `last-used` and `default` were found to be: to ask that takes a whole budget. */
  readonly #identified = new Map<string, { readonly id: Promise<string>; readonly askedAt: Moment }>();
  /** The id of the configured budget, once it was found by name: the setting means that budget. */
  #configured: string | undefined;

  constructor(options: BudgetDirectoryOptions) {
    this.#options = options;
  }

  /**
   * The budget that `wanted` names by id, name, `last-used` or `default`; without it the one configured, else the
   * service's default budget, else the only one, else the one modified last.
   */
  async resolve(wanted?: string, signal?: AbortSignal): Promise<BudgetSummary> {
    if (wanted !== undefined) return this.#find(wanted, signal);
    const { configured } = this.#options;
    if (configured === undefined) return this.#preferred(signal);
    try {
      const budget = await this.#find(this.#configured ?? configured, signal);
      this.#configured = budget.id;
      return budget;
    } catch (error) {
      if (!(error instanceof BudgetError) || error.code !== 'unknown_budget') throw error;
      throw new BudgetError('unknown_budget', `The configured default budget is not there. ${error.message}`);
    }
  }

  /** The list itself, at most 15 minutes old, and when it was asked for. */
  async current(signal?: AbortSignal): Promise<{ readonly list: BudgetList; readonly readAt: Moment }> {
    return this.#dated(await this.#list(MAX_LIST_AGE_MS, signal));
  }

  /** The same, read again within the last seconds, since something in it was found to be wrong. */
  async reload(signal?: AbortSignal): Promise<{ readonly list: BudgetList; readonly readAt: Moment }> {
    return this.#dated(await this.#listAnew(signal));
  }

  /** For when the service does not know a budget: throws `unknown_budget` where it is not in the list any more. */
  async recheck({ id, name }: BudgetSummary, signal?: AbortSignal): Promise<void> {
    const { budgets } = await this.#listAnew(signal);
    if (budgets.some((budget) => budget.id === id)) return;
    const gone = `The budget ${quoteStart(name, 100)} (${word(id)}) is not there any more.`;
    throw new BudgetError('unknown_budget', `${gone} ${listing(budgets)}`);
  }

  /** What was read last, at no request. */
  get known(): readonly BudgetSummary[] {
    return this.#last?.list.budgets ?? [];
  }

  async #find(wanted: string, signal?: AbortSignal): Promise<BudgetSummary> {
    const held = await this.#list(MAX_LIST_AGE_MS, signal);
    if (wanted === 'default' && held.default_budget) return held.default_budget;
    const isLiteral = wanted === 'default' || wanted === 'last-used';
    const id = isLiteral ? await withCancellation(this.#identify(wanted), signal) : wanted;
    const byId = held.budgets.find((budget) => budget.id === id);
    if (byId) return byId;
    const { budgets } = await this.#list(MAX_LIST_AGE_FOR_NAMES_MS, signal);
    const found = find(budgets, id);
    if (found) return found;
    // One that was made or renamed a moment ago is missing from an older list only.
    const latest = await this.#listAnew(signal);
    const recent = find(latest.budgets, id);
    if (recent) return recent;
    const known = listing(latest.budgets);
    throw new BudgetError('unknown_budget', `There is no budget ${quote(wanted)}. ${known}`);
  }

  async #preferred(signal?: AbortSignal): Promise<BudgetSummary> {
    const held = await this.#list(MAX_LIST_AGE_MS, signal);
    const settled = held.default_budget ?? (held.budgets.length === 1 ? held.budgets[0] : undefined);
    if (settled) return settled;
    const [latest] = held.budgets.toSorted((a, b) =>
      (b.last_modified_on ?? '').localeCompare(a.last_modified_on ?? ''),
    );
    if (!latest) throw new BudgetError('unknown_budget', 'This user has no budget yet.');
    return latest;
  }

  #dated(list: BudgetList): { readonly list: BudgetList; readonly readAt: Moment } {
    return { list, readAt: this.#last?.readAt ?? momentOf(this.#options.clock) };
  }

  #identify(literal: string): Promise<string> {
    const { clock, identify } = this.#options;
    const known = this.#identified.get(literal);
    if (known && ageOf(clock, known.askedAt) < MAX_LIST_AGE_FOR_NAMES_MS) return known.id;
    const asked = { id: identify(literal), askedAt: momentOf(clock) };
    this.#identified.set(literal, asked);
    asked.id.catch(() => {
      if (this.#identified.get(literal) === asked) this.#identified.delete(literal);
    });
    return asked.id;
  }

  #list(maxAgeMs: number, signal?: AbortSignal): Promise<BudgetList> {
    return withCancellation(this.#current(maxAgeMs), signal);
  }

  /** Read now, or within the last seconds. */
  #listAnew(signal?: AbortSignal): Promise<BudgetList> {
    const now = this.#options.clock.monotonic();
    if (now - this.#recheckedAt < RECHECK_MS) return this.#list(MAX_LIST_AGE_MS, signal);
    this.#recheckedAt = now;
    return this.#list(1, signal);
  }

  #current(maxAgeMs: number): Promise<BudgetList> {
    const { clock } = this.#options;
    if (this.#held && ageOf(clock, this.#held.readAt) < maxAgeMs) return this.#held.list;
    const readAt = momentOf(clock);
    // Not the caller's to cancel: others wait for it too, and it is small.
    const asked = this.#options.list();
    const held = { list: asked.catch((error: unknown) => this.#lastKnown(error)), readAt };
    this.#held = held;
    asked.then(
      (list) => {
        this.#last = { list, readAt };
      },
      () => {
        if (this.#held === held) this.#held = undefined;
      },
    );
    return held.list;
  }

  /** While the service cannot be asked, what was known last is better than no answer from what is held. */
  #lastKnown(error: unknown): BudgetList {
    if (this.#last && error instanceof BudgetError && error.isTransient) return this.#last.list;
    throw error;
  }
}

/** By id, or by name in any case; a name that several budgets have is refused. */
function find(budgets: readonly BudgetSummary[], wanted: string): BudgetSummary | undefined {
  const byId = budgets.find(({ id }) => id === wanted);
  if (byId) return byId;
  const byName = budgets.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const exact = byName.filter(({ name }) => name === wanted);
  const matches = exact.length === 1 ? exact : byName;
  if (matches.length > 1)
    throw new BudgetError(
      'ambiguous_budget',
      `${matches.length} budgets are called ${quote(wanted)}. ${listing(matches)}`,
    );
  return matches[0];
}

const MOST_LISTED = 20;

function listing(budgets: readonly BudgetSummary[]): string {
  const names = budgets.slice(0, MOST_LISTED).map(({ id, name }) => `${quoteStart(name, 100)} (${word(id)})`);
  const rest = budgets.length - names.length;
  if (rest > 0) names.push(`and ${rest} more`);
  return names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.';
}
