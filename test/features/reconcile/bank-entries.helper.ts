/** Random accounts and lists of a bank, with few amounts, so that many rows are alike. */
import fc from 'fast-check';
import type { BankRow, ListedTransaction } from '../../../src/features/reconcile/bank-list.ts';

export const dateOfDay = (day: number) => `2026-10-${String(day).padStart(2, '0')}`;

export const entry = (id: string, day: number, amount: number, more: Partial<ListedTransaction> = {}) => ({
  id,
  date: dateOfDay(day),
  amount,
  cleared: 'cleared',
  import_id: null,
  payee_name: null,
  import_payee_name: null,
  import_payee_name_original: null,
  ...more,
});

export const row = (day: number, amount: number, text?: string): BankRow => ({
  date: dateOfDay(day),
  amount,
  text,
});

const some = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 28 }),
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom('', 'Bakery', 'Cinema'),
    fc.nat(2),
  ),
  { maxLength: 12 },
);

export const bankRows = some.map((all) => all.map(([day, amount, text]) => row(day, amount, text)));

export const listedTransactions = some.map((all) =>
  all.map(([day, amount, payee_name, kind], index) =>
    entry(`t${index}`, day, amount, {
      payee_name: payee_name || null,
      cleared: ['uncleared', 'cleared', 'reconciled'][kind] ?? '',
      import_id: index % 3 === 0 ? `bank-${index + 1}` : null,
    }),
  ),
);
