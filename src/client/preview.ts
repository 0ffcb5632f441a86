/**
 * What a write would do, without doing it: judged by what the budget shows now. It asks the service only to read. What
 * is particular to an operation is in its own entry (`foresee`); here is what is true of all.
 */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import { INTERNAL_GROUP, listCategories, PAYMENT_GROUP, UNCATEGORIZED } from '../operations/categories.ts';
import { Chart } from '../operations/entries.ts';
import {
  type DataOf,
  type Foreseen,
  type Immutable,
  inputFor,
  type Look,
  type Operation,
} from '../operations/operation.ts';
import { listPayees } from '../operations/payees.ts';
import type { Freshness } from './answer.ts';
import type { BudgetClient } from './budget-client.ts';
import { type Effects, effectsOf } from './effects.ts';
import { absent, type Known, type Named, problemsOf, referencesIn } from './references.ts';

export interface Preview extends Effects {
  /** Of what it is judged by. */
  readonly freshness: Freshness;
  /** Why the service would refuse it, as far as can be seen from here. */
  readonly problems: readonly string[];
  /** What it is about as it stands now: the transaction to be deleted, say. */
  readonly current: Readonly<Record<string, unknown>>;
  /** By id, at least of what the input tells by id. */
  readonly names: ReadonlyMap<string, Named>;
}

type Input = Readonly<Record<string, unknown>>;
type Accounts = Immutable<DataOf<typeof listAccounts.output.shape>>['accounts'];
type Groups = Immutable<DataOf<typeof listCategories.output.shape>>['category_groups'];

/** `input` names the budget by id. Throws where the budget cannot be read. */
export async function preview(
  client: Pick<BudgetClient, 'call'>,
  operation: Operation,
  input: Input,
  signal?: AbortSignal,
): Promise<Preview> {
  const ask = <Output extends z.ZodRawShape>(read: Operation<z.ZodRawShape, Output>, about: Input = {}) =>
    client.call(read, inputFor(read, { ...input, ...about }), signal);
  const look: Look = async (read, about) => (await ask(read, about)).data;
  const [{ data, freshness }, { category_groups }] = await Promise.all([
    ask(listAccounts),
    look(listCategories),
  ]);
  const { accounts } = data;
  const references = referencesIn(input);
  const transfers = transfersTo(accounts);
  // Most writes name the payee or make a transfer: the list is asked for where it tells more.
  const payees = references.some(({ field, id }) => field === 'payee_id' && !transfers.has(id))
    ? (await look(listPayees)).payees
    : [];
  const known = knownOf(accounts, category_groups, new Map([...byId(payees), ...transfers]));
  const foreseen = await foresee(operation, look, input, known, chartOf(accounts, category_groups));
  const { current = {}, bookings = [], isUncertain, category, problems = [] } = foreseen;
  const own = category_groups.flatMap((group) => (group.name === INTERNAL_GROUP ? [] : group.categories));
  return {
    freshness,
    current,
    problems: [...new Set([...problems, ...problemsOf(references, known, current)])],
    ...effectsOf(
      bookings,
      { accounts, categories: category ? [category] : own },
      freshness.as_of.slice(0, 7),
      isUncertain,
    ),
    names: new Map([...known.values()].flatMap((things) => [...things])),
  };
}

async function foresee(
  operation: Operation,
  look: Look,
  input: Input,
  known: Known,
  chart: Chart,
): Promise<Foreseen> {
  try {
    return (await operation.foresee?.(look, input, chart)) ?? {};
  } catch (error) {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') throw error;
    // What it is about stands last in its path. Whether things of a known kind are there is seen from their lists: a
    // month that nobody has budgeted for yet is not there, and its categories are.
    const [subject = ''] = /\w+(?=\}$)/.exec(operation.route) ?? [];
    return known.has(subject) ? {} : { problems: [absent(subject, input[subject])] };
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

function knownOf(accounts: Accounts, groups: Groups, payees: ReadonlyMap<string, Named>): Known {
  return new Map([
    ['account_id', byId(accounts)],
    ['category_id', byId(groups.flatMap(({ categories }) => categories))],
    ['category_group_id', byId(groups)],
    ['payee_id', payees],
  ]);
}

const byId = <Thing extends Named & { readonly id: string }>(things: readonly Thing[]) =>
  new Map<string, Named>(things.map((thing) => [thing.id, thing]));

const transfersTo = (accounts: Accounts) =>
  new Map<string, Named>(
    accounts.flatMap(({ transfer_payee_id, name, closed }) =>
      transfer_payee_id === null ? [] : [[transfer_payee_id, { name, closed, isTransfer: true }]],
    ),
  );
