import { expect, test } from 'vitest';
import { BudgetError, type ErrorCode, errorTable } from '../../src/base/errors.ts';
import { describeFailedWrite } from '../../src/mcp/failed-write.ts';
import type { WriteStatus } from '../../src/session/writes/pending-write.ts';

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => Object.hasOwn(errorTable, code));
const textOf = (code: ErrorCode, earlier: readonly WriteStatus[]) =>
  describeFailedWrite(code, new BudgetError(code, 'Why it failed.').explanation, earlier);

const CLAIM = /nothing was written|safe to try|change was not made/i;
const sent = {
  tool: 'create_transactions',
  budget_id: 'budget',
  called_at: Date.parse('2026-11-21T12:00:00Z'),
  state: 'sent',
} as const;

test.each(codes)(
  '%s claims nothing about the budget, and names the earlier calls that are not settled',
  (code) => {
    expect(textOf(code, [])).not.toMatch(CLAIM);
    const text = textOf(code, [sent]);
    expect(text).not.toMatch(CLAIM);
    if (code !== 'partly_written') expect(text).toMatch(/not known/);
  },
);

test('an error says that its call changed nothing, unless a part or all of it may have been written', () => {
  expect(textOf('service_unavailable', [])).toMatch(/^This call changed nothing\. Why it failed\. /);
  for (const code of ['outcome_unknown', 'partly_written'] as const)
    expect(textOf(code, [])).toMatch(/^Why it failed\. /);
});
