import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDay } from '../../../src/base/schema/fields.ts';
import { isTransactionSummary, transactionSummary } from '../../../src/base/schema/transaction.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

test('a value is recognised as a transaction of an export exactly if the schema returns it unchanged, with a day', async () => {
  const { budget } = await directReader(smallLedger()).export();
  const names = [...Object.keys(transactionSummary.shape), '__proto__', 'later'];
  const seen = { recognised: 0, others: 0 };
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.constantFrom('text', '', 0, 1.5, 2 ** 53, true, null, [], {}, undefined),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...budget.transactions),
      fc.array(change, { maxLength: 2 }),
      (row, changes) => {
        const fields = new Map<string, unknown>(Object.entries(row));
        for (const { name, value } of changes)
          if (value === undefined) fields.delete(name);
          else fields.set(name, value);
        const json = `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
        const changed: unknown = JSON.parse(json);
        const { success, data } = transactionSummary.safeParse(changed);
        const isUnchanged = success && isDay(data.date) && isDeepStrictEqual(data, changed);
        expect(isTransactionSummary(changed), json).toBe(isUnchanged);
        seen[isUnchanged ? 'recognised' : 'others'] += 1;
      },
    ),
    { numRuns: fuzzRuns(2_000) },
  );
  expect(Math.min(seen.recognised, seen.others)).toBeGreaterThan(100);
  for (const other of [null, undefined, 'text', 1, []]) expect(isTransactionSummary(other)).toBe(false);
});
