/** `report` on random books in currencies with two, no and three decimals, through a host, over HTTP, against the service. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isInternalCategory, isPaymentCategory } from '../../../src/model/bookkeeping/own-categories.ts';
import { getMonth } from '../../../src/operations/months.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { bookChanges } from '../../model/sums/random-book.helper.ts';
import { apply, type Change, EURO, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';

const amounts = z.array(z.number());
const answer = z.object({
  total: z.number(),
  periods: z.array(z.object({ period: z.string(), total: z.number() })),
  rows: z.array(z.object({ id: z.string().nullable(), total: z.number(), amounts })),
  more: z.object({ rows: z.number(), total: z.number(), amounts }).optional(),
});

/** `unit` is the smallest amount, in milliunits. */
const currencies = [
  { iso_code: 'EUR', decimal_digits: 2, unit: 10 },
  { iso_code: 'JPY', decimal_digits: 0, unit: 1_000 },
  { iso_code: 'KWD', decimal_digits: 3, unit: 1 },
];

/** Amounts of random changes are in cents of 10 milliunits. */
function inUnit(change: Change, unit: number): Change {
  const scaled = (amount: number) => (amount / 10) * unit;
  return { ...change, amount: scaled(change.amount), legs: change.legs.map(scaled) };
}

const thousandths = (units: number) => Math.round(units * 1000);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** The amounts of a line after its name, in thousandths, without the number of transactions in brackets. */
const cellsOf = (line: string) =>
  [
    ...line
      .replace(/^("(\\.|[^"\\])*"( \([\da-f-]+\))?|all:|\d+ more:|\D*) /, '')
      .replace(/\(\d+\)/g, '')
      .replace(/; with cursor \S+$/, '')
      .matchAll(/-?\d+(\.\d+)?/g),
  ].map(([number]) => thousandths(Number(number)));

const questions = fc.record({
  of: fc.constantFrom('spending', 'income'),
  by: fc.constantFrom('category', 'group', 'payee', 'account', 'weekday'),
  monthly: fc.boolean(),
  top: fc.constantFrom(1, 3, 1000),
});

it.each(currencies)(
  'on any book in $iso_code, the parts of a report add up to its total, and its cells are those of the service',
  async ({ unit, ...currency }) => {
    const { service, connect, clock } = await startHolding({}, {}, false);
    await fc.assert(
      fc.asyncProperty(bookChanges, questions, async (changed, { of, by, monthly, top }) => {
        const ledger = smallLedger({ ...EURO, ...currency });
        for (const change of changed) apply(ledger, inUnit(change, unit));
        const user = service.access.addUser([ledger]);
        const host = await hostOf({ client: connect(service.access.issueToken(user)), clock });
        await host.listTools();
        const report = async (args: object) => {
          const result = await host.callTool({ name: 'report', arguments: { ...args } });
          const text = result.content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
          expect(result.isError, text).toBeFalsy();
          return { text, data: answer.parse(result.structuredContent) };
        };

        const since = '2025-11';
        const grouping = of === 'income' && (by === 'category' || by === 'group') ? 'payee' : by;
        const { text, data } = await report({ of, by: grouping, monthly, top, since });
        const parts = [...data.rows, ...(data.more ? [data.more] : [])];
        expect(data.rows.length).toBeLessThanOrEqual(top);
        expect(sum(parts.map(({ total }) => thousandths(total)))).toBe(thousandths(data.total));
        for (const part of parts) expect(sum(part.amounts.map(thousandths))).toBe(thousandths(part.total));
        for (const [column, { total }] of data.periods.entries())
          expect(sum(parts.map((part) => thousandths(part.amounts[column] ?? 0)))).toBe(thousandths(total));

        // The text says the same.
        const [heading = '', ...lines] =
          text.split(/\n(?:The first transaction|As of) /)[0]?.split('\n') ?? [];
        expect(heading).toContain(` · total ${(data.total).toFixed(currency.decimal_digits)} (`);
        const rows = lines.slice(monthly ? 2 : 0).map(cellsOf);
        expect(rows).toEqual(
          parts.map(({ total, amounts: cells }) => (monthly ? [total, ...cells] : [total]).map(thousandths)),
        );

        const cells = await report({ of: 'spending', by: 'category', monthly: true, top: 1000, since });
        const direct = directReader(ledger);
        for (const [column, { period }] of cells.data.periods.entries()) {
          const { categories } = (await direct.data(getMonth, { month: `${period}-01` })).month;
          const spent = categories.filter(
            (each) => each.activity !== 0 && !isInternalCategory(each) && !isPaymentCategory(each),
          );
          const found = cells.data.rows.filter((row) => row.id !== null && row.amounts[column] !== 0);
          expect(
            Object.fromEntries(found.map((row) => [row.id, thousandths(row.amounts[column] ?? 0)])),
          ).toEqual(Object.fromEntries(spent.map(({ id, activity }) => [id, -activity])));
        }

        const worth = await report({ of: 'net_worth', by: 'account', monthly: true, since });
        const balances = ledger.accounts().map(({ balance }) => balance);
        expect(thousandths(worth.data.total)).toBe(sum(balances));
        await host.close();
      }),
      { numRuns: fuzzRuns(15) },
    );
  },
);
