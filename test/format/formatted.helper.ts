/** A whole answer as a model gets it, from data that no service had to send. */
import type { CallResult } from '../../src/client/call-result.ts';
import type { Row } from '../../src/format/paging.ts';
import { selectRows } from '../../src/format/selection.ts';
import { formatToolResult } from '../../src/format/tool-result.ts';
import { formatData, formatWriteResult } from '../../src/format/write-result.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { fromOperation } from '../../src/tools/from-operation.ts';

export function formatted(operation: Operation, answer: CallResult<Row>, args: Row = {}) {
  const { data, budget, freshness } = answer;
  const { output } = fromOperation(operation);
  return formatToolResult(output, { budget, freshness }, (context) => {
    if (operation.kind === 'read')
      return selectRows(operation, { data, budgetId: budget?.id }, args, context);
    const { fields, headline, lines } = formatWriteResult(operation, args, answer, context);
    return {
      data: { ...data, ...fields },
      lines: [headline, ...formatData(operation, data, context), ...lines],
    };
  });
}
