import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Budget, startWritingService, UNKNOWN, type WritingService } from '../writes/writing.helper.ts';

let service: WritingService;
let budget: Budget;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());
beforeEach(() => {
  budget = new Budget(service);
});

const putRefused = (id: string, fields: unknown) =>
  budget.refusal('PUT', `/transactions/${id}`, { transaction: fields });

describe('DELETE transactions/{id}', () => {
  test('DELETE transactions/{id} returns 200 with the deleted transaction and server_knowledge, and the delta contains it', async () => {
    const before = await budget.create({ subtransactions: [{ amount: -4_000 }, { amount: -6_000 }] });
    const { knowledge } = budget.ledger;
    const { status, body } = await budget.send('DELETE', `/transactions/${before.id}`);
    const subtransactions = before.subtransactions.map((leg) => ({ ...leg, deleted: true }));
    const tombstone = { ...before, subtransactions, deleted: true };
    expect([status, body]).toEqual([
      200,
      { data: { transaction: tombstone, server_knowledge: knowledge + 1 } },
    ]);
    expect(budget.ledger.transactions(undefined, { since: knowledge })).toEqual([tombstone]);
    expect(budget.balance('Checking')).toBe(500_000);
  });

  test('DELETE transactions/{id} also deletes the other side of a transfer', async () => {
    const transfer = await budget.create({ payee_id: budget.transferTo('Savings') });
    await budget.send('DELETE', `/transactions/${transfer.transfer_transaction_id}`);
    expect(await budget.read(transfer.id)).toBeUndefined();
    expect(budget.balance('Checking')).toBe(500_000);
  });

  test('DELETE transactions/{id} returns 404.2 for an unknown id and for a deleted one', async () => {
    const { id } = await budget.create();
    await budget.send('DELETE', `/transactions/${id}`);
    for (const missing of [id, UNKNOWN]) {
      expect(await budget.refusal('DELETE', `/transactions/${missing}`)).toBe(
        '404.2 The transaction does not exist.',
      );
      expect(await putRefused(missing, { memo: 'x' })).toMatch(/^404\.2 /);
    }
  });
});
