/** Lost creations of categories, groups and payees: several may have the same name, so only a new one is the lost one. */

import { describe, expect, it } from 'vitest';
import {
  createCategory,
  createCategoryGroup,
  updateCategoryGroup,
} from '../../../src/operations/categories.ts';
import { createPayee } from '../../../src/operations/payees.ts';
import {
  updateCategory,
  updateCategoryGroup as updateGroup,
} from '../../../src/service/ledger/categories.ts';
import { renamePayee } from '../../../src/service/ledger/payees.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { DROPPED, TWICE, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { startWriting } from '../writing-client.helper.ts';

async function started() {
  const writing = await startWriting();
  const { client, ledger, passing, pass, beforeWrites } = writing;
  const group = ledger.categoryGroups().findLast(({ internal }) => !internal) ?? expect.unreachable();
  const category_group_id = group.id;
  /** The search for a lost write takes longer than the host waits. */
  const notWritten = async (call: Promise<unknown>) => {
    expect((await failureOf(call)).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'not_written' }]);
  };
  const named = (rows: readonly { readonly name: string; readonly id: string }[]) =>
    rows.filter(({ name }) => name === 'Bicycle').map(({ id }) => id);
  const creations = {
    category: {
      create: async () => {
        const call = callOperation(client, createCategory, { category_group_id, name: 'Bicycle' });
        const { data, ...result } = await passing(call);
        return { id: data.category.id, ...result };
      },
      ids: () => named(ledger.categoryGroups().flatMap(({ categories }) => categories)),
    },
    group: {
      create: async () => {
        const { data, ...result } = await passing(
          callOperation(client, createCategoryGroup, { name: 'Bicycle' }),
        );
        return { id: data.category_group.id, ...result };
      },
      ids: () => named(ledger.categoryGroups()),
    },
    payee: {
      create: async () => {
        const { data, ...result } = await passing(callOperation(client, createPayee, { name: 'Bicycle' }));
        return { id: data.payee.id, ...result };
      },
      ids: () => named(ledger.payees()),
    },
  };
  const category = group.categories[0] ?? expect.unreachable();
  const payee = ledger.payees().findLast((each) => each.transfer_account_id === null);
  /** Between the reads before the next write and the write, another user gives an existing entity its name. */
  const renameMeanwhile = (kind: keyof typeof creations): string => {
    const { id } = { category, group, payee: payee ?? expect.unreachable() }[kind];
    beforeWrites.push(() =>
      ledger.commit((state) => {
        if (kind === 'category') updateCategory(state, id, { name: 'Bicycle' });
        if (kind === 'group') updateGroup(state, id, { name: 'Bicycle' });
        if (kind === 'payee') renamePayee(state, id, 'Bicycle');
      }),
    );
    return id;
  };
  return { ...writing, group, creations, notWritten, renameMeanwhile };
}

const kinds = ['category', 'group', 'payee'] as const;

describe('the creation of a category, a group or a payee', () => {
  it.each(kinds)('a %s whose response was lost is found, and created once', async (kind) => {
    const { creations, faults, sent } = await started();
    faults.writes.push(UNANSWERED);
    const { create, ids } = creations[kind];
    const { id, outcome } = await create();
    expect(outcome).toBe('confirmed_afterwards');
    expect(ids()).toEqual([id]);
    expect(sent()).toBe(1);
  });

  it.each(kinds)('a %s that existed before is not taken for the lost one', async (kind) => {
    const { creations, faults, notWritten } = await started();
    const { create, ids } = creations[kind];
    const first = await create();
    faults.writes.push(DROPPED);
    await notWritten(create());
    expect(ids()).toEqual([first.id]);
  });

  it.each(kinds)('a lost %s is found beside an earlier one of the same name', async (kind) => {
    const { creations, faults } = await started();
    const { create, ids } = creations[kind];
    const first = await create();
    faults.writes.push(UNANSWERED);
    const second = await create();
    expect(second.outcome).toBe('confirmed_afterwards');
    expect(ids()).toEqual([first.id, second.id]);
  });

  it.each(kinds)('a %s that was delivered twice is reported as a possible duplicate', async (kind) => {
    const { creations, faults } = await started();
    const { create, ids } = creations[kind];
    faults.writes.push(TWICE);
    const { id, possibleDuplicates } = await create();
    expect(ids()).toHaveLength(2);
    expect(possibleDuplicates).toEqual(ids().filter((each) => each !== id));
  });

  it.each(kinds)('a %s that another user renames meanwhile is not taken for the lost one', async (kind) => {
    const { creations, faults, notWritten, renameMeanwhile } = await started();
    const { create, ids } = creations[kind];
    faults.writes.push(DROPPED);
    const renamed = renameMeanwhile(kind);
    await notWritten(create());
    expect(ids()).toEqual([renamed]);
  });

  it.each(kinds)('a lost %s is found beside one that another user renames meanwhile', async (kind) => {
    const { creations, faults, renameMeanwhile } = await started();
    const { create, ids } = creations[kind];
    faults.writes.push(UNANSWERED);
    const renamed = renameMeanwhile(kind);
    const { id, outcome } = await create();
    expect(outcome).toBe('confirmed_afterwards');
    expect(id).not.toBe(renamed);
    expect(ids().toSorted()).toEqual([id, renamed].toSorted());
  });

  it('a category is found in a group that this program has just created', async () => {
    const { client, creations, faults, passing } = await started();
    const { id: category_group_id } = await creations.group.create();
    faults.writes.push(UNANSWERED);
    const { data, outcome } = await passing(
      callOperation(client, createCategory, { category_group_id, name: 'Repairs', note: 'Tyres first' }),
    );
    expect(outcome).toBe('confirmed_afterwards');
    expect(data.category).toMatchObject({ category_group_id, name: 'Repairs', note: 'Tyres first' });
  });

  it('a category of the same name in another group is not taken for the lost one', async () => {
    const { client, creations, faults, group, passing, notWritten } = await started();
    faults.writes.push(UNANSWERED);
    const other = await creations.group.create();
    faults.writes.push(DROPPED);
    const call = callOperation(client, createCategory, {
      category_group_id: other.id,
      name: group.categories[0]?.name ?? '',
    });
    await notWritten(passing(call));
  });

  it('the new name of a group shows that its renaming was done', async () => {
    const { client, faults, group, ledger, passing } = await started();
    faults.writes.push(UNANSWERED);
    const { data, outcome } = await passing(
      callOperation(client, updateCategoryGroup, { category_group_id: group.id, name: 'Every day' }),
    );
    expect(outcome).toBe('confirmed_afterwards');
    expect(data.category_group).toEqual(ledger.categoryGroup(group.id));
  });
});
