/**
 * What a write would do, without doing it: judged by what the budget shows now. It asks the service only to read. What
 * is particular to an operation is in its own entry (`foresee`); here is what is true of all.
 */
import type { z } from 'zod';
import { Chart } from '../bookkeeping/entries.ts';
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import { listCategories } from '../operations/categories.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadCurrent,
  type SimulationInput,
} from '../operations/operation.ts';
import { listPayees } from '../operations/payees.ts';
import { INTERNAL_GROUP, PAYMENT_GROUP, UNCATEGORIZED } from '../schema/category.ts';
import type { Immutable } from '../schema/immutable.ts';
import { balanceChangesOf, type Effects } from './balance-changes.ts';
import {
  collectReferences,
  type KnownEntities,
  type NamedEntity,
  notFoundProblem,
  referenceProblems,
} from './references.ts';

export interface Simulation extends Effects {
  /** Why the service would refuse it, as far as can be seen from here. */
  readonly problems: readonly string[];
  /** What it is about as it stands now: the transaction to be deleted, say. */
  readonly current: Readonly<Record<string, unknown>>;
  /** By id, at least of what the input tells by id. */
  readonly names: ReadonlyMap<string, NamedEntity>;
}

type Input = Readonly<Record<string, unknown>>;
type Accounts = Immutable<DataOf<typeof listAccounts.output.shape>>['accounts'];
type Groups = Immutable<DataOf<typeof listCategories.output.shape>>['category_groups'];

/** Reads the budget as it is now, and says how fresh the answer is. */
export type ReadWithFreshness<Freshness extends { readonly as_of: string }> = <
  Input extends z.ZodRawShape,
  Output extends z.ZodRawShape,
>(
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
) => Promise<{ readonly data: Immutable<DataOf<Output>>; readonly freshness: Freshness }>;

/** With the freshness of what it is judged by. `input` names the budget by id. Throws where it cannot be read. */
export async function simulate<Freshness extends { readonly as_of: string }>(
  read: ReadWithFreshness<Freshness>,
  operation: Operation,
  input: Input,
): Promise<Simulation & { readonly freshness: Freshness }> {
  const ask = <Output extends z.ZodRawShape>(list: Operation<z.ZodRawShape, Output>, about: Input = {}) =>
    read(list, inputFor(list, { ...input, ...about }));
  const look: ReadCurrent = async (read, about) => (await ask(read, about)).data;
  const [{ data, freshness }, { category_groups }] = await Promise.all([
    ask(listAccounts),
    look(listCategories),
  ]);
  const { accounts } = data;
  const references = collectReferences(input);
  const transfers = transfersTo(accounts);
  // Most writes name the payee or make a transfer: the list is asked for where it tells more.
  const payees = references.some(({ field, id }) => field === 'payee_id' && !transfers.has(id))
    ? (await look(listPayees)).payees
    : [];
  const known = knownEntities(accounts, category_groups, new Map([...byId(payees), ...transfers]));
  const foreseen = await simulateOperation(operation, look, input, known, chartOf(accounts, category_groups));
  const { current = {}, postings = [], isUncertain, category, problems = [] } = foreseen;
  const own = category_groups.flatMap((group) => (group.name === INTERNAL_GROUP ? [] : group.categories));
  return {
    freshness,
    current,
    problems: [...new Set([...problems, ...referenceProblems(references, known, current)])],
    ...balanceChangesOf(
      postings,
      { accounts, categories: category ? [category] : own },
      freshness.as_of.slice(0, 7),
      isUncertain,
    ),
    names: new Map([...known.values()].flatMap((things) => [...things])),
  };
}

async function simulateOperation(
  operation: Operation,
  look: ReadCurrent,
  input: Input,
  known: KnownEntities,
  chart: Chart,
): Promise<SimulationInput> {
  try {
    return (await operation.simulate?.(look, input, chart)) ?? {};
  } catch (error) {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') throw error;
    // What it is about stands last in its path. Whether things of a known kind are there is seen from their lists: a
    // month that nobody has budgeted for yet is not there, and its categories are.
    const [subject = ''] = /\w+(?=\}$)/.exec(operation.route) ?? [];
    return known.has(subject) ? {} : { problems: [notFoundProblem(subject, input[subject])] };
  }
}

function chartOf(accounts: Accounts, groups: Groups): Chart {
  const categoriesIn = (name: string) =>
    groups.flatMap((group) => (group.name === name ? group.categories : []));
  const uncategorized = categoriesIn(INTERNAL_GROUP).filter(({ name }) => name === UNCATEGORIZED);
  return new Chart(accounts, {
    payment: new Set(categoriesIn(PAYMENT_GROUP).map(({ id }) => id)),
    uncategorized: new Set(uncategorized.map(({ id }) => id)),
  });
}

function knownEntities(
  accounts: Accounts,
  groups: Groups,
  payees: ReadonlyMap<string, NamedEntity>,
): KnownEntities {
  return new Map([
    ['account_id', byId(accounts)],
    ['category_id', byId(groups.flatMap(({ categories }) => categories))],
    ['category_group_id', byId(groups)],
    ['payee_id', payees],
  ]);
}

const byId = <Thing extends NamedEntity & { readonly id: string }>(things: readonly Thing[]) =>
  new Map<string, NamedEntity>(things.map((thing) => [thing.id, thing]));

const transfersTo = (accounts: Accounts) =>
  new Map<string, NamedEntity>(
    accounts.flatMap(({ transfer_payee_id, name, closed }) =>
      transfer_payee_id === null ? [] : [[transfer_payee_id, { name, closed, isTransfer: true }]],
    ),
  );
