import { expect, it } from 'vitest';
import { columnsOf } from '../../../../src/features/reconcile/statements/csv-columns.ts';

/** A column that counts how often one of its cells is read. */
function countedColumn(name: string, values: readonly string[], read: () => void) {
  const cells = new Proxy(values, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read();
      return Reflect.get(target, key);
    },
  });
  return { name, cells };
}

it.each([6, 39])('%i columns of numbers are searched for a balance in bounded work', (count) => {
  const rows = 1_000;
  let reads = 0;
  const column = (name: string, value: (row: number) => string) =>
    countedColumn(
      name,
      Array.from({ length: rows }, (_, row) => value(row)),
      () => {
        reads += 1;
      },
    );
  const dates = column('Date', () => '2026-10-01');
  const numbers = Array.from({ length: count }, (_, at) =>
    column('', (row) => `${(row * (at + 3)) % 97}.${10 + at}`),
  );
  expect(() => columnsOf([dates, ...numbers])).toThrow(/which column has the amount/);
  expect(reads).toBeLessThan(10 * rows * (count + 1));
});
