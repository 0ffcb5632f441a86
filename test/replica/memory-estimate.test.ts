import { expect, test } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { estimateBytes, estimateTransactionBytes } from '../../src/replica/memory-estimate.ts';
import { smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

const weightOf = (name: string) => estimateBytes({ name });
const latin = weightOf('é'.repeat(40));

test('an entity takes the header of its object and an entry in its table, besides what it holds', () => {
  expect(estimateBytes({})).toBe(24 + 36);
  expect(estimateBytes({ amount: 1 })).toBe(24 + 36 + 8);
});

test('a text in a script beyond Latin takes two bytes a character, as the engine keeps it', () => {
  expect(weightOf('ж'.repeat(40))).toBe(latin + 40);
  expect(weightOf('「猫」と犬'.repeat(8))).toBe(latin + 40);
  expect(weightOf('a'.repeat(40))).toBe(latin);
  expect(weightOf('ÿ'.repeat(40))).toBe(latin);
});

test('a text takes two bytes a character where its first or its middle one is beyond Latin', () => {
  expect(weightOf(`ж${'a'.repeat(39)}`)).toBe(latin + 40);
  expect(weightOf(`${'a'.repeat(20)}ж${'a'.repeat(19)}`)).toBe(latin + 40);
});

async function aTransaction() {
  const [row] = BudgetReplica.load(await asked(smallLedger()).export(), '2026-01-20').transactions.list({});
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
])('a transaction takes as much more as its %s', async (field) => {
  const row = await aTransaction();
  const text = 'a'.repeat(40);
  expect(estimateTransactionBytes({ ...row, [field]: text }) - estimateTransactionBytes(row)).toBe(60);
});

test('a split takes as much more as each of its legs, with their texts', async () => {
  const row = await aTransaction();
  const leg = {
    id: 'leg',
    transaction_id: row.id,
    amount: -1_000,
    memo: null,
    payee_id: null,
    payee_name: null,
    category_id: null,
    category_name: null,
    transfer_account_id: null,
    transfer_transaction_id: null,
    deleted: false,
  };
  const bytesOf = (...subtransactions: (typeof leg)[]) =>
    estimateTransactionBytes({ ...row, subtransactions });
  const alone = bytesOf(leg) - bytesOf();
  expect(alone).toBeGreaterThan(0);
  expect(bytesOf(leg, leg) - bytesOf(leg)).toBe(alone);
  const text = 'a'.repeat(40);
  expect(bytesOf(Object.assign({}, leg, { memo: text })) - bytesOf(leg)).toBe(60);
  expect(bytesOf(Object.assign({}, leg, { transfer_transaction_id: text })) - bytesOf(leg)).toBe(60);
});
