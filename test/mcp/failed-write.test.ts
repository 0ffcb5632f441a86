import { expect, test } from 'vitest';
import { BudgetError, type ErrorCode, errorTable } from '../../src/base/errors.ts';
import { describeFailedWrite } from '../../src/mcp/failed-write.ts';

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => Object.hasOwn(errorTable, code));
const textOf = (code: ErrorCode, earlier: Parameters<typeof describeFailedWrite>[2]) =>
  describeFailedWrite(code, new BudgetError(code, 'Why it failed.').explanation, earlier);

const CLAIM = /nothing was written|safe to try|change was not made/i;
const sent = {
  tool: 'create_transactions',
  budget_id: 'budget',
  called_at: Date.parse('2026-11-21T12:00:00Z'),
  state: 'sent',
} as const;

test.each(codes)('%s claims nothing about the budget while an earlier call is not settled', (code) => {
  const text = textOf(code, { open: [sent] });
  expect(text).not.toMatch(CLAIM);
  if (code !== 'partly_written') expect(text).toMatch(/not known/);
});

test.each(codes)('%s claims nothing about the budget where earlier calls cannot be known', (code) => {
  expect(textOf(code, { open: [], gap: 'its state cannot be read now' })).not.toMatch(CLAIM);
});

test('an error after which a call is repeated says why earlier calls are not known, and how to find out', () => {
  expect(textOf('service_unavailable', { open: [], gap: 'its state cannot be read now' })).toMatch(
    /not known whether an earlier equal call was carried out, since its state cannot be read now: read the budget/,
  );
});

test('an unknown outcome of a server that keeps its state in memory says that it is forgotten with a restart', () => {
  expect(textOf('outcome_unknown', { open: [], isInMemory: true })).toMatch(
    /holds until this server is restarted, .*: then read the budget first\.$/,
  );
  expect(textOf('outcome_unknown', { open: [] })).not.toContain('restarted');
});

test('where all earlier calls are known, an error says that nothing was written, or that it is safe to try again', () => {
  expect(textOf('service_unavailable', { open: [] })).toMatch(/^Nothing was written\. Why it failed\. /);
  expect(textOf('not_written', { open: [] })).toMatch(/The change was not made: it is safe to try again\.$/);
  expect(textOf('outcome_unknown', { open: [] })).not.toMatch(CLAIM);
});
