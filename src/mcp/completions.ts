/**
 * Ids by name: whoever types `groc` for a category means an id that nobody can remember. Lists are read through the
 * client; what was read for one keystroke serves the next ones, of every host, until the client tells of a change. It
 * knows where the ids of an argument are found, and must not know what is completed: a prompt or a resource.
 */
import type { BudgetClient } from '../client/budget-client.ts';
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import { listBudgets } from '../operations/budgets.ts';
import { listCategories } from '../operations/categories.ts';
import { listMonths } from '../operations/months.ts';
import { listPayeeLocations } from '../operations/payee-locations.ts';
import { listPayees } from '../operations/payees.ts';
import { listScheduledTransactions } from '../operations/scheduled-transactions.ts';
import { listTransactions } from '../operations/transactions.ts';
import { type Clock, dateOf } from '../platform/clock.ts';
import type { ErrorLog } from './tool-executor.ts';

interface Candidate {
  readonly id: string;
  readonly label: string;
}

type Client = Pick<BudgetClient, 'call'>;
interface Search {
  readonly budget_id?: string;
  /** How far back transactions are looked through. */
  readonly since_date: string;
}

type Lister = (client: Client, search: Search) => Promise<readonly Candidate[]>;

const named = ({ id, name }: { id: string; name: string }): Candidate => ({ id, label: name });

/** Where the ids of an argument are found. */
const listers: Readonly<Record<string, Lister>> = {
  budget_id: async (client) => (await client.call(listBudgets, {})).data.budgets.map(named),
  account_id: async (client, { budget_id }) =>
    (await client.call(listAccounts, { budget_id })).data.accounts.map(named),
  category_id: async (client, { budget_id }) =>
    (await client.call(listCategories, { budget_id })).data.category_groups.flatMap(({ categories }) =>
      categories.map(named),
    ),
  payee_id: async (client, { budget_id }) =>
    (await client.call(listPayees, { budget_id })).data.payees.map(named),
  payee_location_id: async (client, { budget_id }) =>
    (await client.call(listPayeeLocations, { budget_id })).data.payee_locations.map(
      ({ id, latitude, longitude }) => ({
        id,
        label: `${latitude}, ${longitude}`,
      }),
    ),
  month: async (client, { budget_id }) => [
    { id: 'current', label: 'current' },
    ...(await client.call(listMonths, { budget_id })).data.months
      .toReversed()
      .map(({ month }) => ({ id: month, label: month })),
  ],
  transaction_id: async (client, { budget_id, since_date }) =>
    (await client.call(listTransactions, { budget_id, since_date })).data.transactions
      .toSorted((a, b) => b.date.localeCompare(a.date))
      .map(({ id, date, payee_name, memo }) => ({
        id,
        label: [payee_name, memo, date].filter(Boolean).join(' '),
      })),
  scheduled_transaction_id: async (client, { budget_id }) =>
    (await client.call(listScheduledTransactions, { budget_id })).data.scheduled_transactions.map(
      ({ id, payee_name, memo, date_next }) => ({
        id,
        label: [payee_name, memo, date_next].filter(Boolean).join(' '),
      }),
    ),
};

const HELD_MS = 60_000;
/** Budgets can be called by any number of names. */
const MAX_LISTS = 32;
const RECENT_MS = 180 * 86_400_000;
/** What the protocol allows in one answer. */
const MAX_VALUES = 100;

export interface CompletionsDeps {
  readonly client: Pick<BudgetClient, 'call' | 'budgetOf' | 'onChange'>;
  readonly clock: Clock;
  readonly log: ErrorLog;
}

interface List {
  readonly candidates: readonly Candidate[];
  readonly readAt: number;
}

/** One for all servers: it listens to the client for as long as there is the client. */
export class Completions {
  readonly #parts: CompletionsDeps;
  /** Another one after every change: what is being read meanwhile is kept in the former, where nobody looks. */
  #held = new Map<string, List>();

  constructor(parts: CompletionsDeps) {
    this.#parts = parts;
    parts.client.onChange(() => {
      this.#held = new Map();
    });
  }

  /** The ids that `typed` may stand for, best first; none where they cannot be had. */
  async complete(argument: string, typed: string, budget_id?: string): Promise<string[]> {
    return (await this.#ranked(argument, typed, budget_id)).slice(0, MAX_VALUES).map(({ id }) => id);
  }

  /** The names, for those who read what they pick. */
  async completeName(argument: string, typed: string, budget_id?: string): Promise<string[]> {
    const labels = (await this.#ranked(argument, typed, budget_id)).map(({ label }) => label);
    return [...new Set(labels)].slice(0, MAX_VALUES);
  }

  async #ranked(argument: string, typed: string, budget_id: string | undefined): Promise<Candidate[]> {
    const needle = typed.toLowerCase();
    const ranked = (await this.#candidates(argument, budget_id)).flatMap((candidate) => {
      const at = candidate.label.toLowerCase().indexOf(needle);
      if (at === -1 && !candidate.id.startsWith(needle)) return [];
      return [{ candidate, rank: at === 0 ? 0 : 1 }];
    });
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ candidate }) => candidate);
  }

  async #candidates(argument: string, budget_id: string | undefined): Promise<readonly Candidate[]> {
    const { client, clock, log } = this.#parts;
    const key = `${argument} ${budget_id ?? ''}`;
    try {
      // Takes none of the hour's requests, but notices who is signed in now: nothing held for another is told.
      await client.budgetOf(listBudgets, {});
      const held = this.#held;
      const readAt = clock.now();
      const known = held.get(key);
      if (known && readAt - known.readAt < HELD_MS) return known.candidates;
      const search = { ...(budget_id && { budget_id }), since_date: dateOf(readAt - RECENT_MS) };
      const candidates = (await listers[argument]?.(client, search)) ?? [];
      if (held.size >= MAX_LISTS) held.clear();
      held.set(key, { candidates, readAt });
      return candidates;
    } catch (error) {
      if (!(error instanceof BudgetError)) log.error({ err: error, operation: 'complete' }, 'internal error');
      return [];
    }
  }
}
