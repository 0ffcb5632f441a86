/** The responses of copies of a service that lag: whole budgets and deltas as they were some time ago. */
import { isDeepStrictEqual } from 'node:util';
import type { Export } from '../../src/model/replica/entities.ts';

export interface State {
  readonly at: number;
  readonly whole: Export;
}

interface Row {
  readonly id: string;
  readonly deleted: boolean;
}

/** Every state of a budget, oldest first. */
export class States {
  readonly #states: State[] = [];

  /** Ignores an unchanged state. */
  add(state: State): void {
    if (this.#states.at(-1)?.whole.server_knowledge === state.whole.server_knowledge) return;
    this.#states.push(state);
  }

  /** The state at a moment, or the first one for a moment before it. */
  at(moment: number): Export {
    const state = this.#states.findLast(({ at }) => at <= moment) ?? this.#states[0];
    if (!state) throw new Error('No state was added.');
    return state.whole;
  }

  /** The state with this knowledge. */
  atKnowledge(knowledge: number): Export | undefined {
    return this.#states.find(({ whole }) => whole.server_knowledge === knowledge)?.whole;
  }

  /** The response of a copy at the moment `then` to a request with `since`. Undefined if `since` was no state. */
  delta(then: Export, since: number): Export | undefined {
    if (since >= then.server_knowledge) return { ...then, budget: changes(then.budget, then.budget) };
    const from = this.atKnowledge(since);
    return from && { ...then, budget: changes(from.budget, then.budget) };
  }
}

type Budget = Export['budget'];

const changes = (from: Budget, to: Budget): Budget => ({
  ...to,
  accounts: changed(from.accounts, to.accounts),
  payees: changed(from.payees, to.payees),
  payee_locations: changed(from.payee_locations, to.payee_locations),
  category_groups: changed(from.category_groups, to.category_groups),
  categories: changed(from.categories, to.categories),
  months: to.months
    .map((month) => ({ before: from.months.find((each) => each.month === month.month), month }))
    .filter(({ before, month }) => !isDeepStrictEqual(before, month))
    .map(({ before, month }) => ({
      ...month,
      categories: changed(before?.categories ?? [], month.categories),
    })),
  transactions: changed(from.transactions, to.transactions),
  subtransactions: changed(from.subtransactions, to.subtransactions),
  scheduled_transactions: changed(from.scheduled_transactions, to.scheduled_transactions),
  scheduled_subtransactions: changed(from.scheduled_subtransactions, to.scheduled_subtransactions),
});

function changed<Each extends Row>(from: readonly Each[], to: readonly Each[]): Each[] {
  const [before, after] = [from, to].map((rows) => new Map(rows.map((row) => [row.id, row])));
  return [
    ...to.filter((row) => !isDeepStrictEqual(before?.get(row.id), row)),
    ...from.filter(({ id }) => !after?.has(id)).map((row) => ({ ...row, deleted: true })),
  ];
}
