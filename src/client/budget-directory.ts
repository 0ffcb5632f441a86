/**
 * Which budget is meant. It turns what a caller says (an id, a name, nothing at all) into one of the user's budgets,
 * from a list that it reads seldom: budgets come, go and are renamed rarely.
 */
import type { Clock } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import type { BudgetSummary } from '../operations/budgets.ts';

export interface BudgetList {
  readonly budgets: readonly BudgetSummary[];
  readonly default_budget: BudgetSummary | null;
}

export interface BudgetDirectoryOptions {
  readonly clock: Clock;
  /** Asks the service for the list. */
  readonly list: (signal?: AbortSignal) => Promise<BudgetList>;
  /** Asks the service which budget `last-used` or `default` is, where the list does not tell. */
  readonly identify: (literal: string, signal?: AbortSignal) => Promise<string>;
  /** The id or name that the user configured. */
  readonly configured?: string;
}

const MAX_AGE_MS = 15 * 60_000;

export class BudgetDirectory {
  readonly #options: BudgetDirectoryOptions;
  #held: { readonly list: BudgetList; readonly readAt: number } | undefined;

  constructor(options: BudgetDirectoryOptions) {
    this.#options = options;
  }

  /**
   * The budget that `wanted` names by id, name, `last-used` or `default`; without it the one configured, else the
   * service's default budget, else the only one, else the one modified last.
   */
  async resolve(wanted = this.#options.configured, signal?: AbortSignal): Promise<BudgetSummary> {
    const held = await this.#list(signal);
    if (wanted === undefined) return preferred(held);
    if (wanted === 'default' && held.default_budget) return held.default_budget;
    const id =
      wanted === 'default' || wanted === 'last-used' ? await this.#options.identify(wanted, signal) : wanted;
    const found = find(held.budgets, id);
    if (found) return found;
    // A budget that was made or renamed a moment ago is missing from an older list only.
    const { budgets } = await this.#read(signal);
    const recent = find(budgets, id);
    if (recent) return recent;
    throw new BudgetError(
      'unknown_budget',
      `There is no budget ${JSON.stringify(wanted)}. ${known(budgets)}`,
    );
  }

  async #list(signal?: AbortSignal): Promise<BudgetList> {
    const fresh = this.#held && this.#options.clock.now() - this.#held.readAt < MAX_AGE_MS;
    return this.#held && fresh ? this.#held.list : this.#read(signal);
  }

  async #read(signal?: AbortSignal): Promise<BudgetList> {
    const readAt = this.#options.clock.now();
    const list = await this.#options.list(signal);
    this.#held = { list, readAt };
    return list;
  }
}

function preferred({ budgets, default_budget }: BudgetList): BudgetSummary {
  const byChange = budgets.toSorted((a, b) =>
    (b.last_modified_on ?? '').localeCompare(a.last_modified_on ?? ''),
  );
  const chosen = default_budget ?? byChange[0];
  if (!chosen) throw new BudgetError('unknown_budget', 'This user has no budget yet.');
  return chosen;
}

/** An id, or a name in any case; a name that several budgets have is refused. */
function find(budgets: readonly BudgetSummary[], wanted: string): BudgetSummary | undefined {
  const byId = budgets.find(({ id }) => id === wanted);
  if (byId) return byId;
  const byName = budgets.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const exact = byName.filter(({ name }) => name === wanted);
  const matches = exact.length === 1 ? exact : byName;
  if (matches.length > 1)
    throw new BudgetError(
      'ambiguous_budget',
      `${matches.length} budgets are called ${JSON.stringify(wanted)}. ${known(matches)}`,
    );
  return matches[0];
}

function known(budgets: readonly BudgetSummary[]): string {
  const names = budgets.map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  return names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.';
}
