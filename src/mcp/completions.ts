/**
 * Completes arguments by name: a user who types `groc` for a category gets its name, or its id if several things have
 * that name. Hosts ask at each key, so the names are those of the cached budget, of any age. A request is sent only to cache
 * the budget, or to list the budgets.
 */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { References } from '../answers/references/references.ts';
import { BudgetError, type ErrorCode } from '../base/errors.ts';
import type { ReferenceKind } from '../base/schema/meaning.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import type { FeatureList } from './features.ts';
import type { Prompt } from './prompt-texts.ts';
import { type ResourceTool, variablesOf } from './resources.ts';
import type { ErrorLog } from './tool-executor.ts';

/** The limit of the protocol for one response. */
const MAX_VALUES = 100;

/** A possible value of an argument, and the text by which a person recognises it. */
interface Candidate {
  readonly id: string;
  readonly label: string;
  /** The names that an argument accepts instead of the id, and that mean nothing else, the shortest first. */
  readonly names: readonly string[];
}

const kinds: ReadonlyMap<string, ReferenceKind> = new Map([
  ['account_id', 'account'],
  ['category_id', 'category'],
  ['payee_id', 'payee'],
  ['scheduled_transaction_id', 'scheduled_transaction'],
]);

export interface CompletionsDeps {
  readonly client: Pick<BudgetClient, 'begin' | 'knownBudgets'>;
  readonly log: ErrorLog;
}

export type Completions = ReturnType<typeof createCompletions>;

export function createCompletions({ client, log }: CompletionsDeps) {
  async function budgets(): Promise<readonly Candidate[]> {
    // Reads the list if it is old. The configured budget may not exist.
    await client.begin().resolveBudget(undefined).catch(undefinedIfNoBudget);
    const known = client.knownBudgets;
    const isUnique = (name: string) => known.filter((each) => each.name === name).length === 1;
    return known.map(({ id, name }) => ({
      id,
      label: name,
      names: !isLiteral(name) && isUnique(name) ? [name] : [],
    }));
  }

  /** Empty if the budget is not cached. */
  async function inBudget(argument: string, budget_id: string | undefined): Promise<readonly Candidate[]> {
    const kind = kinds.get(argument);
    if (!kind && argument !== 'month') return [];
    const call = client.begin();
    await call.resolveBudget(budget_id || undefined);
    const replica = call.cachedReplica ?? (await call.replica())?.replica;
    if (!replica) return [];
    if (kind) return candidatesOf(kind, References.of(replica));
    const months = replica.months.list().map(({ month }) => month);
    return ['current', ...months.toReversed()].map((month) => ({ id: month, label: month, names: [] }));
  }

  async function candidatesFor(argument: string, budget_id?: string): Promise<readonly Candidate[]> {
    try {
      return argument === 'budget_id' ? await budgets() : await inBudget(argument, budget_id);
    } catch (error) {
      if (!(error instanceof BudgetError)) log.error({ err: error, operation: 'complete' }, 'internal error');
      return [];
    }
  }

  return {
    /** The arguments that match `typed`, best first: names, and ids where no name is unique. Empty if they cannot be read. */
    async complete(argument: string, typed: string, budget_id?: string): Promise<string[]> {
      const candidates = await candidatesFor(argument, budget_id);
      const argumentFor = ({ id, label, names: [name = id] }: Candidate) =>
        matches(label, typed) ? name : id;
      return ranked(candidates, typed).slice(0, MAX_VALUES).map(argumentFor);
    },

    /** The names that match `typed`, for prompts, whose readers see the completed text. */
    async completeName(argument: string, typed: string, budget_id?: string): Promise<string[]> {
      const labels = ranked(await candidatesFor(argument, budget_id), typed).map(({ label }) => label);
      return [...new Set(labels)].slice(0, MAX_VALUES);
    },
  };
}

const candidatesOf = (kind: ReferenceKind, references: References): Candidate[] =>
  references.named(kind).map(({ id, name, group }) => ({
    id,
    label: name,
    names: (group === undefined ? [name] : [name, `${group}: ${name}`]).filter((each) => {
      const [one, ...others] = references.find(kind, each);
      return one === id && others.length === 0;
    }),
  }));

const noBudget: ReadonlySet<ErrorCode> = new Set(['unknown_budget', 'ambiguous_budget']);

function undefinedIfNoBudget(error: unknown): undefined {
  if (!(error instanceof BudgetError && noBudget.has(error.code))) throw error;
}

/** These stand for a budget that the service chooses, also if a budget has this name. */
const isLiteral = (name: string) => name === 'default' || name === 'last-used';

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
