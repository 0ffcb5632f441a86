/** Plans a write that is a single operation of the service. */
import type { BudgetCall } from '../client/budget-call.ts';
import type { Operation } from '../operations/operation.ts';
import type { JsonObject } from '../platform/json.ts';
import type { PlannedWrite } from './tool.ts';

export const planOperation = (call: BudgetCall, operation: Operation, input: JsonObject): PlannedWrite => ({
  operation,
  input,
  isRepeat: () => call.isRepeated(operation, input),
  run: (isRepeat) => call.write(operation, input, isRepeat),
  simulate: () => call.simulate(operation, input),
});
