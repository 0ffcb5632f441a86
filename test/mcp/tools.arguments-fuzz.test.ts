/** For any arguments, a tool returns a result or a short error, and no unexpected error is logged. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { systemClock as clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { operations } from '../../src/operations/index.ts';
import { startService } from '../../src/service/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { forbidden, hostileText } from '../hostile-texts.helper.ts';
import { exampleOf, someIds } from '../ids.helper.ts';
import { hostOf } from './connected.helper.ts';

const result = z.object({
  content: z.array(z.object({ text: z.string() })).length(1),
  isError: z.boolean().optional(),
});

const value = fc.oneof(
  hostileText,
  fc.constantFrom('', '2026-11', 'current', '1970-01-01', '2026-02-30', 'Japan Trip', '__proto__'),
  fc.constantFrom(null, 0, -0.001, 0.0001, 1e300, 'x'.repeat(600), 'x'.repeat(20_000)),
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

const optionNames = ['limit', 'cursor', 'until_date', 'dry_run', 'confirm', 'no_such_argument'];
const rowFields = [
  'import_id',
  'payee_name',
  'memo',
  'amount',
  'date',
  'flag_color',
  'subtransactions',
  'nothing',
];

const changesIn = (names: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 })
    .map((entries): JsonObject => Object.fromEntries(entries));

/** The example of an operation with changes in its arguments and rows. */
const call = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    changes: changesIn([...Object.keys(operation.input.shape), ...optionNames]),
    rowChanges: changesIn(rowFields),
    rowCount: fc.constantFrom(1, 1, 2, 30),
    fieldCount: fc.constantFrom(0, 0, 0, 0, 90, 5_000),
  }),
);

test('a tool returns a result or a short error for any arguments, and logs no unexpected error', async () => {
  const service = await startService({ clock, rateLimit: 1_000_000, transactions: 60 });
  onTestFinished(() => service.close());
  const ids = await someIds(service);
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const client = new BudgetClient({
    tokens: fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }),
    sender,
    clock,
    budget: ids.budget_id,
    cacheBytes: 2 ** 26,
    rateBudget: () => new RateBudget({ clock, limit: 1_000_000 }),
  });
  const bugs: unknown[] = [];
  const host = await hostOf(
    { client, clock },
    { confirm: 'none', log: { error: ({ err }) => bugs.push(err) } },
  );
  const counts = { results: 0, errors: 0 };
  await fc.assert(
    fc.asyncProperty(call, async ({ operation, changes, rowChanges, rowCount, fieldCount }) => {
      const example = exampleOf(operation, ids);
      const [row] = z.array(z.record(z.string(), z.unknown())).safeParse(example['transactions']).data ?? [];
      const rows = row && {
        transactions: Array.from({ length: rowCount }, () => ({ ...row, ...rowChanges })),
      };
      const fields = Object.fromEntries(Array.from({ length: fieldCount }, (_, at) => [`k${at}`, at]));
      const { content, isError = false } = result.parse(
        await host.callTool({
          name: operation.name,
          arguments: { ...example, ...rows, ...changes, ...fields },
        }),
      );
      const text = content[0]?.text ?? '';
      counts[isError ? 'errors' : 'results'] += 1;
      expect(bugs).toEqual([]);
      expect(text).not.toBe('');
      expect(text).not.toMatch(forbidden);
      if (isError) expect(text.length).toBeLessThan(6_000);
    }),
    { numRuns: fuzzRuns(150) },
  );
  expect(Math.min(counts.results, counts.errors), JSON.stringify(counts)).toBeGreaterThan(0);
});
