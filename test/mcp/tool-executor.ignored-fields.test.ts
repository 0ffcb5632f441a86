/** A write and its dry run name the fields that the embedded service ignores. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json.ts';
import { startHolding } from '../session/holding.helper.ts';
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
const legs = [
  { amount: -10, category_id: 'Groceries' },
  { amount: -5, memo: 'Stamps' },
];

describe('fields that the service ignores', () => {
  it('a split with a category names it as ignored, in the dry run too', async () => {
    const { call } = await started();
    const args = { transactions: [{ ...row, category_id: 'Groceries', subtransactions: legs }] };
    const dryRun = await call('create_transactions', { ...args, dry_run: true });
    expect(dryRun.ignored).toEqual(['transactions.0.category_id']);
    expect(dryRun.text).toContain('The service would ignore: transactions.0.category_id.');
    const written = await call('create_transactions', args);
    expect(written.ignored).toEqual(dryRun.ignored);
    expect(written.text).toContain('The service ignored: transactions.0.category_id.');
  });

  it.each([
    ['a category', { category_id: 'Groceries', memo: 'Seen' }, ['category_id']],
    ['the removal of its category', { clear: ['category'], memo: 'Seen' }, ['category_id']],
    ['a date and an amount', { date: '2026-11-20', amount: -20, memo: 'Seen' }, ['date', 'amount']],
  ])('an update of a split names %s as ignored, in the dry run too', async (_, change, ignored) => {
    const { call } = await started();
    const { id } = await call('create_transactions', { transactions: [{ ...row, subtransactions: legs }] });
    const single = { transaction_id: id, ...change };
    expect((await call('update_transaction', { ...single, dry_run: true })).ignored).toEqual(ignored);
    expect((await call('update_transaction', single)).ignored).toEqual(ignored);
    const several = { transactions: [{ id, ...change }] };
    const inRows = ignored.map((name) => `transactions.0.${name}`);
    expect((await call('update_transactions', { ...several, dry_run: true })).ignored).toEqual(inRows);
    expect((await call('update_transactions', several)).ignored).toEqual(inRows);
  });

  it('an update that turns a transaction into a split names the category as ignored, in the dry run too', async () => {
    const { call } = await started();
    const { id } = await call('create_transactions', { transactions: [row] });
    const change = { transaction_id: id, category_id: 'Groceries', subtransactions: legs };
    expect((await call('update_transaction', { ...change, dry_run: true })).ignored).toEqual(['category_id']);
    expect((await call('update_transaction', change)).ignored).toEqual(['category_id']);
  });

  it('a category of a transfer is named as ignored, in the dry run too', async () => {
    const { call } = await started();
    const transfer = { ...row, payee_name: 'Transfer : Savings', category_id: 'Groceries' };
    const args = { transactions: [row, transfer] };
    const ignored = ['transactions.1.category_id'];
    expect((await call('create_transactions', { ...args, dry_run: true })).ignored).toEqual(ignored);
    expect((await call('create_transactions', args)).ignored).toEqual(ignored);
  });

  it('an ordinary write ignores nothing, and neither does its dry run', async () => {
    const { call } = await started();
    const args = { transactions: [{ ...row, category_id: 'Groceries', payee_name: 'Baker', memo: 'Bread' }] };
    const dryRun = await call('create_transactions', { ...args, dry_run: true });
    expect(dryRun).toMatchObject({ ignored: [], text: expect.not.stringContaining('ignore') });
    const { id, ignored } = await call('create_transactions', args);
    expect(ignored).toEqual([]);
    const change = { transaction_id: id, clear: ['category', 'memo'], amount: -16 };
    expect((await call('update_transaction', { ...change, dry_run: true })).ignored).toEqual([]);
    expect((await call('update_transaction', change)).ignored).toEqual([]);
  });
});

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
    expect(text).toContain('memo "Split"');
    expect(text).toContain('memo "First"');
    expect(ledger.transactions(undefined).find(({ memo }) => memo === 'First')).toMatchObject({
      amount: -20_000,
    });
  });

  it.each([
    ['by hand', {}, 'To change one that was entered by hand, delete it and enter it again.'],
    ['by the bank', { import_id: 'bank 1' }, 'the user un-splits it in the app'],
  ])(
    'a change of a split that came %s begins with that nothing was changed, and says how it can be',
    async (_, from, advice) => {
      const { call } = await started();
      const { id } = await call('create_transactions', {
        transactions: [{ ...row, ...from, subtransactions: legs }],
      });
      const tools: [string, JsonObject, string][] = [
        ['update_transaction', { transaction_id: id, amount: -20 }, 'amount'],
        ['update_transactions', { transactions: [{ id, amount: -20 }] }, 'transactions.0.amount'],
      ];
      for (const [tool, args, path] of tools) {
        const dryRun = await call(tool, { ...args, dry_run: true });
        expect(dryRun.text).toContain(`It would change nothing: the service would ignore ${path}.`);
        const written = await call(tool, args);
        expect(written.text.split('\n')[1]).toBe(`Nothing was changed: the service ignored ${path}.`);
        for (const { text } of [dryRun, written]) expect(text).toContain(advice);
      }
    },
  );

  it('a transaction of the bank is split in place', async () => {
    const { call, ledger } = await started();
    const { id } = await call('create_transactions', { transactions: [{ ...row, import_id: 'bank 1' }] });
    const { text } = await call('update_transaction', { transaction_id: id, subtransactions: legs });
    expect(text).toContain('\nWritten.\n');
    const split = ledger.transactions(undefined).find((each) => each.id === id);
    expect([split?.import_id, split?.subtransactions.length]).toEqual(['bank 1', 2]);
  });
});
