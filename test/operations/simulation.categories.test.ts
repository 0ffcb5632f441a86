import { expect, it } from 'vitest';
import { ownNameProblem } from '../../src/model/bookkeeping/payee-names.ts';
import { createCategory, createCategoryGroup, updateCategoryGroup } from '../../src/operations/categories.ts';
import { createPayee, updatePayee } from '../../src/operations/payees.ts';
import { callOperation } from '../call-operation.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { idIn, NOWHERE, start } from './simulating.helper.ts';

const groupOf = ({ books }: Awaited<ReturnType<typeof start>>, category: string) =>
  String(books.categories.get(idIn(books.categories, category))?.['category_group_id']);

it('a simulated new category, group or payee changes no balance and is no problem', async () => {
  const started = await start();
  const { simulate } = started;
  const category_group_id = groupOf(started, 'Groceries');
  for (const simulated of [
    await simulate(createCategory, { category_group_id, name: 'Bicycle', goal_target: 50_000 }),
    await simulate(createCategoryGroup, { name: 'Hobbies' }),
    await simulate(createPayee, { name: 'Bicycle shop' }),
  ])
    expect(simulated).toMatchObject({ problems: [], balanceChanges: [], unpredictable: [], current: {} });
});

it('a simulated renaming of a payee to the name of another one says that there would be two of that name', async () => {
  const { simulate, books } = await start();
  const [first, second] = [...books.payees.values()].filter(
    ({ name, transfer_account_id }) =>
      transfer_account_id === null && ownNameProblem('name', String(name)) === undefined,
  );
  const payee_id = String(first?.['id']);
  const renamed = await simulate(updatePayee, {
    payee_id,
    name: ` ${String(second?.['name']).toUpperCase()}`,
  });
  expect(renamed).toMatchObject({
    problems: [],
    remarks: [expect.stringContaining('two payees of one name')],
  });
  for (const name of ['Bicycle shop', String(first?.['name']).toUpperCase()])
    expect(await simulate(updatePayee, { payee_id, name })).toMatchObject({ remarks: [] });
});

it('a simulated renaming of a group shows its current name', async () => {
  const started = await start();
  const category_group_id = groupOf(started, 'Groceries');
  const { current, problems } = await started.simulate(updateCategoryGroup, {
    category_group_id,
    name: 'Every day',
  });
  expect(problems).toEqual([]);
  expect(current).toMatchObject({ category_group: { id: category_group_id, internal: false } });
  expect(current['category_group']).not.toHaveProperty('categories');
});

it('a simulation finds that the group does not exist', async () => {
  const { simulate } = await start();
  const category_group_id = NOWHERE;
  for (const operation of [createCategory, updateCategoryGroup]) {
    const { problems } = await simulate(operation, { category_group_id, name: 'Bicycle' });
    expect(problems).toEqual([
      `category_group_id: there is no category group "${NOWHERE}"`.replaceAll('"', ''),
    ]);
  }
});

it.each(['Blue Card', 'Inflow: Ready to Assign'])(
  'a simulation finds that the group of %s is one of the service itself, as the service does',
  async (category) => {
    const started = await start();
    const { simulate, client } = started;
    const input = { category_group_id: groupOf(started, category), name: 'Bicycle' };
    for (const operation of [createCategory, updateCategoryGroup]) {
      const { problems } = await simulate(operation, input);
      expect(problems).toEqual([expect.stringContaining('is a group of the service itself')]);
    }
    for (const call of [
      callOperation(client, createCategory, input),
      callOperation(client, updateCategoryGroup, input),
    ])
      expect((await failureOf(call)).code).toBe('bad_request');
  },
);
