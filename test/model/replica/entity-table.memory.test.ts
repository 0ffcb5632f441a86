import { expect, test } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import {
  estimateBytes,
  estimateTransactionBytes,
  estimateWithoutTexts,
} from '../../../src/model/replica/entity-table.ts';
import { leg } from '../../answers/samples.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from './service-reader.helper.ts';

const bytesOfName = (name: string) => estimateBytes({ name });
const latin = bytesOfName('é'.repeat(40));

test('an entity is estimated at the header of its object, its entry in a table and its fields', () => {
  expect(estimateBytes({})).toBe(24 + 36);
  expect(estimateBytes({ amount: 1 })).toBe(24 + 36 + 8);
});

test('an entity whose strings are those of another one is estimated without them', () => {
  expect(estimateWithoutTexts({ amount: 1, name: 'a'.repeat(40) })).toBe(24 + 36 + 2 * 8);
});

test('a string with characters beyond Latin-1 is estimated at two bytes per character', () => {
  expect(bytesOfName('ж'.repeat(40))).toBe(latin + 40);
  expect(bytesOfName('「猫」と犬'.repeat(8))).toBe(latin + 40);
  expect(bytesOfName('a'.repeat(40))).toBe(latin);
  expect(bytesOfName('ÿ'.repeat(40))).toBe(latin);
});

test('a string whose first or middle character is beyond Latin-1 is estimated at two bytes per character', () => {
  expect(bytesOfName(`ж${'a'.repeat(39)}`)).toBe(latin + 40);
  expect(bytesOfName(`${'a'.repeat(20)}ж${'a'.repeat(19)}`)).toBe(latin + 40);
});

async function createTransaction() {
  const [row] = BudgetReplica.load(
    await directReader(smallLedger()).export(),
    '2026-01-20',
  ).transactions.list({});
  return {
    ...(row ?? expect.unreachable()),
    memo: null,
    transfer_transaction_id: null,
    matched_transaction_id: null,
    import_id: null,
    import_payee_name: null,
    import_payee_name_original: null,
    subtransactions: [],
  };
}

test.each([
  'memo',
  'transfer_transaction_id',
  'matched_transaction_id',
  'import_id',
  'import_payee_name',
  'import_payee_name_original',
])('the estimate of a transaction includes its %s', async (field) => {
  const row = await createTransaction();
  const text = 'a'.repeat(40);
  expect(estimateTransactionBytes({ ...row, [field]: text }) - estimateTransactionBytes(row)).toBe(60);
});

test('the estimate of a split includes each of its legs, with their strings', async () => {
  const row = await createTransaction();
  const bytesOf = (...subtransactions: ReturnType<typeof leg>[]) =>
    estimateTransactionBytes({ ...row, subtransactions });
  const legBytes = bytesOf(leg()) - bytesOf();
  expect(legBytes).toBeGreaterThan(0);
  expect(bytesOf(leg(), leg()) - bytesOf(leg())).toBe(legBytes);
  const text = 'a'.repeat(40);
  expect(bytesOf(leg({ memo: text })) - bytesOf(leg())).toBe(60);
  expect(bytesOf(leg({ transfer_transaction_id: text })) - bytesOf(leg())).toBe(60);
});
