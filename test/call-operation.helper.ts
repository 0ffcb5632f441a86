/** Runs one operation as a call of its own. `input` must be parsed by its schema. */
import type { z } from 'zod';
import type { Immutable } from '../src/base/schema/immutable.ts';
import type { DataOf, Operation } from '../src/operations/operation.ts';
import type { BudgetClient } from '../src/session/budget-client.ts';
import type { CallResult } from '../src/session/call-result.ts';

export function callOperation<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  client: Pick<BudgetClient, 'begin'>,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
  signal?: AbortSignal,
): Promise<CallResult<Immutable<DataOf<Output>>>> {
  const call = client.begin({ signal });
  return operation.kind === 'read' ? call.read(operation, input) : call.write(operation, input);
}
