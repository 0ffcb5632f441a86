import { describe, expect, it } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { getBudget } from '../../../src/operations/budgets.ts';
import {
  createCategoryGroup,
  getCategory,
  listCategories,
  updateCategoryGroup,
} from '../../../src/operations/categories.ts';
import { operations } from '../../../src/operations/index.ts';
import { listMoneyMovements } from '../../../src/operations/money-movements.ts';
import { listPayees } from '../../../src/operations/payees.ts';
import { ServiceInterface } from '../../../src/session/http/service-interface.ts';

function started() {
  let changes = 0;
  const known = new ServiceInterface(() => {
    changes += 1;
  });
  const missing = () => operations.filter((operation) => known.lacks(operation)).map(({ name }) => name);
  return { known, missing, changes: () => changes };
}

const added = operations.filter(({ addedIn }) => addedIn !== undefined).map(({ name }) => name);

const older = { id: 'g', name: 'Food', hidden: false, deleted: false };
const newer = { ...older, internal: false };

describe('the interface of the service', () => {
  it('without a response, every operation is tried', () => {
    const { known, missing } = started();
    expect(added).toHaveLength(8);
    expect(missing()).toEqual([]);
    expect(() => known.check(listMoneyMovements)).not.toThrow();
  });

  it.each([
    ['a list of categories', listCategories, { category_groups: [{ ...older, categories: [] }] }],
    ['an export', getBudget, { budget: { category_groups: [older], categories: [] } }],
    ['one category', getCategory, { category: older }],
  ])('%s without marks shows that the service lacks the eight operations of 1.85', (_, operation, data) => {
    const { known, missing, changes } = started();
    known.learn(operation, data);
    expect(missing()).toEqual(added);
    expect(() => known.check(createCategoryGroup)).toThrow(
      expect.objectContaining({ code: 'operation_unavailable' }),
    );
    known.learn(operation, data);
    expect(changes()).toBe(1);
  });

  it.each([
    ['a delta without categories', getBudget, { budget: { category_groups: [], categories: [] } }],
    ['a list of payees', listPayees, { payees: [older] }],
    ['marked categories', listCategories, { category_groups: [{ ...newer, categories: [] }] }],
    ['a response to an operation of 1.85', createCategoryGroup, { category_group: older }],
  ])('%s does not show that the service is older', (_, operation, data) => {
    const { known, missing, changes } = started();
    known.learn(operation, data);
    expect(missing()).toEqual([]);
    expect(changes()).toBe(0);
  });

  it('a service that was updated has the operations again', () => {
    const { known, missing, changes } = started();
    known.learn(listCategories, { category_groups: [older] });
    known.learn(listCategories, { category_groups: [newer] });
    expect(missing()).toEqual([]);
    expect(changes()).toBe(2);
  });

  it('an unknown path shows that the service lacks all operations that came with this one', () => {
    const { known, missing } = started();
    const error = known.explain(listMoneyMovements, new BudgetError('not_found', '404.1'));
    expect(error).toMatchObject({
      code: 'operation_unavailable',
      message: expect.stringContaining('List money movements'),
    });
    expect(missing()).toEqual(added);
  });

  it('a service that marks its categories may still lack a single operation', () => {
    const { known, missing } = started();
    known.learn(listCategories, { category_groups: [newer] });
    known.explain(listMoneyMovements, new BudgetError('not_found', '404.1'));
    expect(missing()).toEqual(['list_money_movements']);
  });

  it('a service that was reset to an older version and then updated has the operations again', () => {
    const { known, missing } = started();
    known.learn(listCategories, { category_groups: [newer] });
    known.explain(listMoneyMovements, new BudgetError('not_found', '404.1'));
    known.learn(listCategories, { category_groups: [older] });
    expect(missing()).toEqual(added);
    known.learn(listCategories, { category_groups: [newer] });
    expect(missing()).toEqual([]);
  });

  it('an unknown entity, or an unknown path of an older operation, shows nothing', () => {
    const { known, missing } = started();
    const unknownEntity = new BudgetError('resource_not_found', '404.2');
    expect(known.explain(updateCategoryGroup, unknownEntity)).toBe(unknownEntity);
    const wrongAddress = new BudgetError('not_found', '404.1');
    expect(known.explain(listPayees, wrongAddress)).toBe(wrongAddress);
    expect(missing()).toEqual([]);
  });
});
