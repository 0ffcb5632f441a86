/**
 * What the other processes of a sign-in did to its budgets (`SharedBudget`). An entry about a write is added before the lock of
 * the budget is released, and, unless the store fails, before the host gets the outcome.
 */
import type { Look, Seen } from '../../store/shared-store.ts';
import { BudgetSnapshots } from './budget-snapshots.ts';
import { type OtherProcessesDeps, SharedBudget } from './shared-budget.ts';

export class OtherProcesses {
  readonly #deps: OtherProcessesDeps;
  readonly #snapshots: BudgetSnapshots;
  readonly #budgets = new Map<string, SharedBudget>();

  constructor(deps: OtherProcessesDeps) {
    this.#deps = deps;
    this.#snapshots = new BudgetSnapshots(deps.store);
  }

  /** Another number, perhaps a little later, after another process has read or written. */
  get version(): number {
    return this.#deps.store.version;
  }

  of(budgetId: string): SharedBudget {
    const budget = this.#budgets.get(budgetId) ?? new SharedBudget(budgetId, this.#deps, this.#snapshots);
    this.#budgets.set(budgetId, budget);
    return budget;
  }

  /** The parts of the store that `takeOver` needs to see. */
  wantedOf(budgetIds: readonly string[]): Required<Look> {
    const wanted = budgetIds.map((budgetId) => this.of(budgetId).log.wanted);
    return {
      records: [this.#deps.pending.recordName, ...wanted.flatMap(({ records }) => records)],
      logs: wanted.flatMap(({ logs }) => logs),
    };
  }

  /** `SharedBudget.takeOver` of these budgets. Returns those that another process has changed. */
  async takeOver(seen: Seen, budgetIds: readonly string[], isKeeping = false): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const budgetId of budgetIds)
      if (await this.of(budgetId).takeOver(seen, isKeeping)) changed.push(budgetId);
    return changed;
  }

  /** Resolves when what was read of all budgets has been written. */
  async written(): Promise<void> {
    await Promise.all([...this.#budgets.values()].map(({ written }) => written));
  }
}
