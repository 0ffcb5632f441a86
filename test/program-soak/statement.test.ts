import { expect, it } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { describeFailedWrite } from '../../src/mcp/failed-write.ts';
import { earlierPartlyWritten, notAwaited, notSentInTime } from '../../src/session/writes/write-call.ts';
import { statementOf } from './statement.helper.ts';

const call = { caller: 'one', tool: 'undo', title: 'Undo', budgetId: 'b', input: {} };
const refusal = new BudgetError('not_authorized', 'The service answered 401.');

const outcomeOf = ({ code, message, advice }: BudgetError) => {
  const text = describeFailedWrite(code, `${message} ${advice}`, []);
  return statementOf({ text, structured: {}, isError: true }).outcome;
};
const succeeded = (text: string) => statementOf({ text, structured: {}, isError: false });

it('an answer says that a write was made, that it was not, or that it is not known', () => {
  expect(succeeded('Written.').outcome).toBe('written');
  for (const error of [notSentInTime(call), refusal]) expect(outcomeOf(error)).toBe('not written');
  for (const error of [
    notAwaited(call, 'timed_out'),
    notAwaited(call, 'cancelled'),
    earlierPartlyWritten(call, new BudgetError('partly_written', 'Step 2 was not made.')),
  ])
    expect(outcomeOf(error)).toBe('unknown');
  expect(statementOf(new Error('Connection closed')).outcome).toBe('unknown');
});

it('an answer names a second one, or does not', () => {
  expect(succeeded('Written.').namesSecond).toBe(false);
  expect(succeeded('Written. This may be a second one: the budget has').namesSecond).toBe(true);
  expect(succeeded('Look then whether it was entered twice.').namesSecond).toBe(true);
});
