/** The plan of a write that is one operation of the service. */
import type { BudgetCall } from '../client/budget-call.ts';
import type { Operation } from '../operations/operation.ts';
import type { JsonObject, PlannedWrite } from './tool.ts';

export const planOperation = (call: BudgetCall, operation: Operation, input: JsonObject): PlannedWrite => ({
  operation,
  input,
  isRepeat: () => call.isRepeated(operation, input),
  run: (isRepeat) => call.write(operation, input, isRepeat),
  simulate: () => call.simulate(operation, input),
});
