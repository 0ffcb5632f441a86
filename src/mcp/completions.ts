/**
 * Ids by name: a person who types `groc` for a category means an id that nobody can remember. Which tool lists the values
 * of an argument is in the tool's own entry. What was read for one keystroke serves the next ones, of every host, until
 * the client reports a change. It must not know what is completed: a prompt or a resource.
 */
import type { BudgetClient } from '../client/budget-client.ts';
import { BudgetError } from '../errors.ts';
import type { Candidate } from '../operations/operation.ts';
import { type Clock, dateOf } from '../platform/clock.ts';
import type { Completer, Tool } from '../tools/tool.ts';
import type { ErrorLog } from './tool-executor.ts';

const KEPT_MS = 60_000;
/** Budgets can be called by any number of names. */
const MAX_LISTS = 32;
const RECENT_MS = 180 * 86_400_000;
/** What the protocol allows in one answer. */
const MAX_VALUES = 100;

export interface CompletionsDeps {
  readonly client: Pick<BudgetClient, 'begin' | 'onChange'>;
  readonly tools: readonly Tool[];
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
  readonly #completers: ReadonlyMap<string, Completer>;
  /** Another one after every change: what is being read meanwhile is kept in the former, where nobody looks. */
  #lists = new Map<string, List>();

  constructor(parts: CompletionsDeps) {
    this.#parts = parts;
    this.#completers = new Map(
      parts.tools.flatMap(({ completer }) => (completer ? [[completer.argument, completer]] : [])),
    );
    parts.client.onChange(() => {
      this.#lists = new Map();
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
      const call = client.begin();
      // Takes none of the hour's requests, but notices who is signed in now: no answer is kept for another person.
      await call.signIn();
      const lists = this.#lists;
      const readAt = clock.now();
      const known = lists.get(key);
      if (known && readAt - known.readAt < KEPT_MS) return known.candidates;
      const completer = this.#completers.get(argument);
      const search = { budget_id: budget_id || undefined, since_date: dateOf(readAt - RECENT_MS) };
      const candidates = (await completer?.candidates(call, search)) ?? [];
      if (lists.size >= MAX_LISTS) lists.clear();
      lists.set(key, { candidates, readAt });
      return candidates;
    } catch (error) {
      if (!(error instanceof BudgetError)) log.error({ err: error, operation: 'complete' }, 'internal error');
      return [];
    }
  }
}
