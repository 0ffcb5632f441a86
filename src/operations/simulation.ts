/**
 * Predicts what a write would do, from the current budget. Sends only reads. The rules of a single operation are in its
 * entry (`simulate`). This file contains what is common to all operations.
 */
import type { z } from 'zod';
import type { Days } from '../base/calendar.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import { balanceChangesOf, type PredictedChanges } from '../model/bookkeeping/balance-changes.ts';
import { ChartOfAccounts } from '../model/bookkeeping/entries.ts';
import { isInternalCategory, isPaymentCategory, rolesOf } from '../model/bookkeeping/own-categories.ts';
import { type EntryRules, notFoundProblem } from '../model/bookkeeping/refusals.ts';
import { listAccounts } from './accounts.ts';
import { listCategories } from './categories.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadCurrent,
  type SimulationInput,
} from './operation.ts';
import { listPayees } from './payees.ts';

export interface Simulation
  extends PredictedChanges,
    Pick<SimulationInput, 'ignored' | 'reconciled' | 'remarks'> {
  /** The reasons for which the service would refuse the write, as far as they can be predicted. */
  readonly problems: readonly string[];
  /** The current state of the entities that the write refers to, such as the transaction to delete. */
  readonly current: JsonObject;
  /** By id, at least for every entity that the input refers to. */
  readonly names: ReadonlyMap<string, NamedEntity>;
}

type Accounts = Immutable<DataOf<typeof listAccounts.output.shape>>['accounts'];
type Groups = Immutable<DataOf<typeof listCategories.output.shape>>['category_groups'];

/** Reads the current budget, and reports how fresh the result is. */
export type ReadWithFreshness<Freshness extends { readonly as_of: string }> = <
  Input extends z.ZodRawShape,
  Output extends z.ZodRawShape,
>(
  operation: Operation<Input, Output>,
  input: DataOf<Input>,
) => Promise<{ readonly data: Immutable<DataOf<Output>>; readonly freshness: Freshness }>;

/**
 * Includes the freshness of the data used. `input` has the id of the budget, and `daysNow` are the
 * days after the reads. Throws if the budget cannot be read.
 */
export async function simulate<Freshness extends { readonly as_of: string }>(
  read: ReadWithFreshness<Freshness>,
  operation: Operation,
  input: JsonObject,
  daysNow: () => Days,
): Promise<Simulation & { readonly freshness: Freshness }> {
  const readWithFreshness = <Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    about: JsonObject = {},
  ) => read(operation, inputFor(operation, { ...input, ...about }));
  const readCurrent: ReadCurrent = async (operation, about) =>
    (await readWithFreshness(operation, about)).data;
  const [{ data, freshness }, { category_groups }] = await Promise.all([
    readWithFreshness(listAccounts),
    readCurrent(listCategories),
  ]);
  const { accounts } = data;
  const transfers = transferPayees(accounts);
  // Most writes have the name of the payee or are transfers, and then do not need the list of payees.
  const payees = payeesIn(input).some((id) => !transfers.has(id))
    ? (await readCurrent(listPayees)).payees
    : [];
  const known: KnownEntities = new Map([
    ['account_id', byId(accounts)],
    ['category_id', byId(category_groups.flatMap(({ categories }) => categories))],
    ['category_group_id', byId(category_groups)],
    ['payee_id', new Map([...byId(payees), ...transfers])],
  ]);
  const chart = chartOf(accounts, category_groups, payees);
  const days = daysNow();
  const { today, ofService = today } = days;
  const simulated = await simulateOperation(operation, readCurrent, input, known, {
    chart,
    today: ofService,
  });
  const { current = {}, postings = [], isUncertain, category, problems = [], ...rest } = simulated;
  const userCategories = categoriesThat((...each) => !isInternalCategory(...each), category_groups);
  return {
    ...rest,
    freshness,
    current,
    problems: [...(operation.check?.(input, days) ?? []), ...problems],
    ...balanceChangesOf(
      postings,
      { accounts, categories: category ? [category] : userCategories },
      today.slice(0, 7),
      isUncertain,
    ),
    names: new Map([...known.values()].flatMap((entities) => [...entities])),
  };
}

/** By the name of the field that refers to them, then by id. */
type KnownEntities = ReadonlyMap<string, ReadonlyMap<string, NamedEntity>>;

async function simulateOperation(
  operation: Operation,
  readCurrent: ReadCurrent,
  input: JsonObject,
  known: KnownEntities,
  rules: EntryRules,
): Promise<SimulationInput> {
  // The last path parameter is the target of the write.
  const [, target = ''] = /\{(\w+)\}$/.exec(operation.route) ?? [];
  const notFound = { problems: [notFoundProblem(target, input[target])] };
  const entities = known.get(target);
  if (entities && !entities.has(String(input[target]))) return notFound;
  try {
    return (await operation.simulate?.(readCurrent, input, rules)) ?? {};
  } catch (error) {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') throw error;
    if (!entities) return notFound;
    // A future month without budgeted amounts does not exist yet.
    const month = String(input['month']);
    return month > rules.today ? {} : { problems: [`month: the budget begins after ${month.slice(0, 7)}`] };
  }
}

function chartOf(accounts: Accounts, groups: Groups, payees: readonly { readonly id: string }[]) {
  const idsOf = (accepts: typeof isPaymentCategory = () => true) =>
    new Set(categoriesThat(accepts, groups).map(({ id }) => id));
  const { uncategorized } = rolesOf(categoriesThat(isInternalCategory, groups), () => 0);
  return new ChartOfAccounts(
    accounts,
    {
      all: idsOf(),
      internal: idsOf(isInternalCategory),
      payment: idsOf(isPaymentCategory),
      uncategorized: new Set(uncategorized && [uncategorized.id]),
    },
    new Set(payees.map(({ id }) => id)),
  );
}

/** The name of the group is given, because some versions leave it out of the category. */
const categoriesThat = (accepts: typeof isPaymentCategory, groups: Groups) =>
  groups.flatMap(({ name, categories }) => categories.filter((category) => accepts(category, name)));

const byId = <Entity extends NamedEntity & { readonly id: string }>(entities: readonly Entity[]) =>
  new Map<string, NamedEntity>(entities.map((entity) => [entity.id, entity]));

const transferPayees = (accounts: Accounts) =>
  new Map<string, NamedEntity>(
    accounts.flatMap(({ transfer_payee_id, name }) =>
      transfer_payee_id === null ? [] : [[transfer_payee_id, { name, isTransfer: true }]],
    ),
  );

/** The name of an entity that a write can refer to. */
export interface NamedEntity {
  readonly name: string;
  /** True for the transfer payee of an account. `name` is then the name of the account. */
  readonly isTransfer?: boolean;
}

/** The ids of payees in the input, at any depth. */
export function payeesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    field === 'payee_id' && typeof inner === 'string' ? [inner] : payeesIn(inner),
  );
}
