import { expect, test } from 'vitest';
import { BudgetError, foundBy, undefinedIfExpected } from '../../src/base/errors.ts';

const rejected = (error: unknown) => Promise.reject(error).catch(undefinedIfExpected);

test('an optional read that fails is undefined, but a bug is thrown', async () => {
  expect(await rejected(new BudgetError('timed_out', 'It failed.'))).toBeUndefined();
  const bug = new TypeError('It is broken.');
  await expect(rejected(bug)).rejects.toBe(bug);
});

test('what does not exist is undefined, but any other error is thrown', () => {
  const finding = (error: Error) => () =>
    foundBy(() => {
      throw error;
    });
  expect(foundBy(() => 1)).toBe(1);
  expect(finding(new BudgetError('resource_not_found', 'There is none.'))()).toBeUndefined();
  expect(finding(new BudgetError('timed_out', 'It failed.'))).toThrow('It failed.');
});
