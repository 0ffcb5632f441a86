import { z } from 'zod';
import { dateOf, systemClock } from '../src/base/clock.ts';
import { EXAMPLE_DATE, EXAMPLE_ID, type Operation } from '../src/operations/operation.ts';

const entity = z.object({ id: z.string() });
const first = (key: string) => z.object({ data: z.object({ [key]: z.array(entity).min(1) }) });

/** Reads existing ids from the service, to replace the placeholders in the examples. */
export async function someIds({ baseUrl, accessToken }: { baseUrl: string; accessToken: string }) {
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, connection: 'close' },
    });
    return response.json();
  };
  const firstOf = async (path: string, key: string) => {
    const { data } = first(key).parse(await get(path));
    return data[key]?.[0]?.id ?? '';
  };
  const budget_id = await firstOf('/budgets', 'budgets');
  const within = (resource: string) => firstOf(`/budgets/${budget_id}/${resource}`, resource);
  const groups = z
    .object({
      data: z.object({
        category_groups: z.array(
          entity.extend({ internal: z.boolean().optional(), categories: z.array(entity) }),
        ),
      }),
    })
    .parse(await get(`/budgets/${budget_id}/categories`));
  const locations = z
    .object({ data: z.object({ payee_locations: z.array(entity.extend({ payee_id: z.string() })).min(1) }) })
    .parse(await get(`/budgets/${budget_id}/payee_locations`)).data.payee_locations;
  return {
    budget_id,
    account_id: await within('accounts'),
    category_id: groups.data.category_groups.flatMap(({ categories }) => categories).at(-1)?.id ?? '',
    category_group_id: groups.data.category_groups.findLast(({ internal }) => internal === false)?.id ?? '',
    payee_id: locations[0]?.payee_id ?? '',
    payee_location_id: locations[0]?.id ?? '',
    transaction_id: await within('transactions'),
    scheduled_transaction_id: await within('scheduled_transactions'),
  };
}

type Ids = Readonly<Record<string, string>>;

/** An operation's example for today: with existing ids, and with dates moved by the days since `EXAMPLE_DATE`. */
export function exampleOf({ example }: Operation, ids: Ids): Record<string, unknown> {
  const fill = (name: string, value: unknown): unknown => {
    if (value === EXAMPLE_ID) return ids[name === 'id' ? 'transaction_id' : name];
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return movedToToday(value);
    return Array.isArray(value) ? value.map((row: object) => fillAll(row)) : value;
  };
  const fillAll = (row: object) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fill(name, value)]));
  return fillAll(example);
}

function movedToToday(date: string): string {
  const moved = Date.parse(dateOf(systemClock.now())) - Date.parse(EXAMPLE_DATE);
  return dateOf(Date.parse(date) + moved);
}
