/** A write and its dry run name the fields that the embedded service ignores. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/platform/json.ts';
import { startHolding } from '../client/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const result = z.object({
  structuredContent: z.looseObject({
    ignored: z.array(z.string()).optional(),
    transaction_ids: z.array(z.string()).optional(),
  }),
  content: z.array(z.object({ text: z.string() })),
  isError: z.boolean().default(false),
});

async function started() {
  const { client, clock, ledger } = await startHolding();
  const host = await hostOf({ client, clock });
  const call = async (name: string, args: JsonObject) => {
    const { structuredContent, content, isError } = result.parse(
      await host.callTool({ name, arguments: args }),
    );
    expect(isError).toBe(false);
    const { ignored = [], transaction_ids: [id = ''] = [] } = structuredContent;
    return { ignored, id, text: content.map(({ text }) => text).join('\n') };
  };
  return { call, ledger };
}

const row = { account_id: 'Wallet', date: '2026-11-21', amount: -15 };
describe('rows of a write and rows of its answer', () => {
  const transfer = { ...row, payee_name: 'Transfer : Savings', category_id: 'Groceries' };

  it('the ignored field of an import is found although another import was skipped', async () => {
    const { call } = await started();
    await call('create_transactions', { transactions: [{ ...row, import_id: 'bank 1' }] });
    const { ignored, text } = await call('create_transactions', {
      transactions: [
        { ...row, import_id: 'bank 1', category_id: 'Groceries' },
        { ...transfer, amount: -17, import_id: 'bank 2' },
        { ...row, amount: -18, category_id: 'Groceries' },
        { ...transfer, amount: -19 },
      ],
    });
    expect(text).toContain('Not created again, since the account has their import_id: "bank 1".');
    expect(ignored).toEqual(['transactions.1.category_id', 'transactions.3.category_id']);
  });

  it('rows that are updated by import_id are compared with the transactions of these ids', async () => {
    const { call, ledger } = await started();
    await call('create_transactions', {
      transactions: [
        { ...row, import_id: 'bank 1' },
        { ...row, amount: -17, import_id: 'bank 2', subtransactions: [{ amount: -17 }] },
      ],
    });
    const { ignored, text } = await call('update_transactions', {
      transactions: [
        { import_id: 'bank 2', amount: -18, memo: 'Split' },
        { import_id: 'bank 1', amount: -19, memo: 'First' },
        { import_id: 'bank 1', amount: -20 },
      ],
    });
    expect(ignored).toEqual(['transactions.0.amount']);
    expect(text).toContain('2 transactions, by category: ');
    expect(text).toContain('memo "Split"');
    expect(text).not.toContain('memo "First"');
    expect(ledger.transactions(undefined).find(({ memo }) => memo === 'First')).toMatchObject({
      amount: -20_000,
    });
  });
});
