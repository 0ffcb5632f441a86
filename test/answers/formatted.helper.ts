/** A whole answer as a model gets it, from data that no service had to send. */

import type { Row } from '../../src/answers/fit-rows.ts';
import { selectRows } from '../../src/answers/selection.ts';
import { formatToolResult } from '../../src/answers/tool-result.ts';
import { formatData, formatWriteResult } from '../../src/answers/write-result.ts';
import { fromOperation } from '../../src/features/mirror/from-operation.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { CallResult } from '../../src/session/call-result.ts';

export function formatted(operation: Operation, answer: CallResult<Row>, args: Row = {}) {
  const { data, budget, freshness } = answer;
  const { output } = fromOperation(operation);
  return formatToolResult(output, { budget, freshness }, (context) => {
    if (operation.kind === 'read')
      return selectRows(operation, { data, budgetId: budget?.id }, args, context);
    const { fields, headline, lines } = formatWriteResult(operation, args, answer, context, freshness.as_of);
    return {
      data: { ...data, ...fields },
      lines: [headline, ...formatData(operation, data, context), ...lines],
    };
  });
}
