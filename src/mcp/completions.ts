/**
 * Completes arguments by name: a user who types `groc` for a category gets its name, or its id if several things have
 * that name. The catalogue says which tool lists the values of an argument. A list is cached for the next keystrokes, of
 * all hosts, until the client reports a change.
 */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Completer, Tool } from '../answers/tool.ts';
import { type Clock, dateOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { Candidate } from '../operations/operation.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import type { FeatureList } from './features.ts';
import type { Prompt } from './prompt-texts.ts';
import { type ResourceTool, variablesOf } from './resources.ts';
import type { ErrorLog } from './tool-executor.ts';

const MAX_AGE_MS = 60_000;
/** Hosts may send any number of budget names, so the cache is bounded. */
const MAX_LISTS = 32;
const RECENT_MS = 180 * 86_400_000;
/** The limit of the protocol for one response. */
const MAX_VALUES = 100;

export interface CompletionsDeps {
  readonly client: Pick<BudgetClient, 'begin' | 'onChange'>;
  readonly tools: readonly Tool[];
  readonly clock: Clock;
  readonly log: ErrorLog;
}

interface CachedList {
  readonly candidates: readonly Candidate[];
  readonly readAt: number;
}

/** Shared by all servers. It listens to the client as long as the client exists. */
export class Completions {
  readonly #deps: CompletionsDeps;
  readonly #completers: ReadonlyMap<string, Completer>;
  /** Replaced after every change, so that a read which is under way writes into the old map. */
  #lists = new Map<string, CachedList>();

  constructor(deps: CompletionsDeps) {
    this.#deps = deps;
    this.#completers = new Map(
      deps.tools.flatMap(({ completers = [] }) =>
        completers.map((completer) => [completer.argument, completer]),
      ),
    );
    deps.client.onChange(() => {
      this.#lists = new Map();
    });
  }

  /** The arguments that match `typed`, best first: names, and ids where no name is unique. Empty if they cannot be read. */
  async complete(argument: string, typed: string, budget_id?: string): Promise<string[]> {
    const candidates = await this.#candidates(argument, budget_id);
    const counts = new Map<string, number>();
    for (const name of candidates.flatMap(({ names = [] }) => names))
      counts.set(name, (counts.get(name) ?? 0) + 1);
    const argumentFor = ({ id, label, names = [] }: Candidate) => {
      const isIdTyped = !matches(label, typed);
      return (isIdTyped ? undefined : names.find((name) => counts.get(name) === 1)) ?? id;
    };
    return ranked(candidates, typed).slice(0, MAX_VALUES).map(argumentFor);
  }

  /** The names that match `typed`, for prompts, whose readers see the completed text. */
  async completeName(argument: string, typed: string, budget_id?: string): Promise<string[]> {
    const labels = ranked(await this.#candidates(argument, budget_id), typed).map(({ label }) => label);
    return [...new Set(labels)].slice(0, MAX_VALUES);
  }

  async #candidates(argument: string, budget_id: string | undefined): Promise<readonly Candidate[]> {
    const { client, clock, log } = this.#deps;
    const key = `${argument} ${budget_id ?? ''}`;
    try {
      const call = client.begin();
      // This sends no request, but it notices a new sign-in, so that no user sees the names of another one.
      await call.signIn();
      const lists = this.#lists;
      const readAt = clock.now();
      const cached = lists.get(key);
      if (cached && readAt - cached.readAt < MAX_AGE_MS) return cached.candidates;
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

const matches = (label: string, typed: string) => label.toLowerCase().includes(typed.toLowerCase());

/** The candidates whose label contains `typed`, or whose id begins with it. Those whose label begins with it come first. */
function ranked(candidates: readonly Candidate[], typed: string): Candidate[] {
  const needle = typed.toLowerCase();
  const rank = ({ label }: Candidate) => (label.toLowerCase().startsWith(needle) ? 0 : 1);
  return candidates
    .filter(({ id, label }) => matches(label, typed) || id.startsWith(needle))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Answers the requests to complete an argument of a prompt or of a resource template. */
export function handleCompletions(
  server: Server,
  completions: Completions,
  prompts: FeatureList<Prompt>,
  resources: readonly ResourceTool[],
): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }) => {
    const { name, value } = argument;
    if (ref.type === 'ref/prompt') {
      const completes = prompts.get(ref.name).arguments[name]?.completes;
      if (completes === undefined) return noCompletion;
      return completionOf(await completions.completeName(completes, value, context?.arguments?.['budget']));
    }
    const tool = resources.find(({ resource }) => resource === ref.uri);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${ref.uri} not found`);
    if (!variablesOf(tool).includes(name)) return noCompletion;
    return completionOf(await completions.complete(name, value, context?.arguments?.['budget_id']));
  });
}

const noCompletion = { completion: { values: [], hasMore: false } };

/** The values are already limited to those that the protocol allows. */
const completionOf = (values: string[]) => ({
  completion: { values, total: values.length, hasMore: false },
});
