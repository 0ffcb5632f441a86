import { expect, it } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { cancelledAfterSending, notSentInTime, notSettledInTime } from '../../src/writes/write-call.ts';
import { statementOf } from './statement.helper.ts';

const call = { caller: 'one', tool: 'undo', title: 'Undo', budgetId: 'b', input: {} };
const failed = ({ message, advice }: BudgetError) => ({
  text: `${message} ${advice}`,
  structured: {},
  isError: true,
});
const succeeded = (text: string) => ({ text, structured: {}, isError: false });

it('an answer says that a write was made, that it was not, or that it is not known', () => {
  expect(statementOf(succeeded('Written.')).outcome).toBe('written');
  expect(statementOf(failed(notSentInTime(call))).outcome).toBe('not written');
  expect(statementOf(failed(notSettledInTime(call))).outcome).toBe('unknown');
  expect(statementOf(failed(cancelledAfterSending(call))).outcome).toBe('unknown');
  expect(statementOf(new Error('Connection closed')).outcome).toBe('unknown');
  const refusal = new BudgetError('not_authorized', 'Nothing was written. The service answered 401.');
  expect(statementOf(failed(refusal)).outcome).toBe('not written');
});

it('an answer names a second one, or does not', () => {
  expect(statementOf(succeeded('Written.')).namesSecond).toBe(false);
  expect(statementOf(succeeded('Written. It may be a second one.')).namesSecond).toBe(true);
  expect(statementOf(succeeded('Look then whether it was entered twice.')).namesSecond).toBe(true);
});
