/** Texts with HTML escapes: as a bank's come from the service, and as a person writes them. */
import { describe, expect, it } from 'vitest';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
} from '../../src/operations/transaction-writes.ts';
import { UNANSWERED } from '../faulty-proxy.helper.ts';
import { startWriting } from './writing-client.helper.ts';

/** As a service answers that escapes the texts that it stores. */
const escaped = (body: string) =>
  body.replace(/"(memo|payee_name|name)":"((?:[^"\\]|\\.)*)"/g, (_, name, text) => {
    const value = String(JSON.parse(`"${text}"`));
    const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
    return `"${name}":${JSON.stringify(value.replace(/[&<"]/g, (each) => escapes[each] ?? each))}`;
  });

describe.each([
  ['escapes what it stores', escaped],
  ['stores what was sent', (body: string) => body],
])('a service that %s', (_, answer) => {
  it.each(['Tea & "cake" <3', 'B&amp;H, as a person wrote it', '&amp;lt;'])(
    'a write of %j is sent as it was written, and found after its answer was lost',
    async (memo) => {
      const { client, coffee, altering, faults, passing, coffees, ledger, sent } = await startWriting();
      altering.answer = (__, body) => answer(body);
      faults.writes.push(UNANSWERED);
      const row = { ...coffee, payee_name: memo, memo };
      const created = await passing(client.begin({}).write(createTransactions, { transactions: [row] }));
      expect(created.outcome).toBe('confirmed_afterwards');
      expect(coffees()).toBe(1);
      const [entry = expect.unreachable()] = ledger
        .transactions(undefined)
        .filter((each) => each.memo === memo);
      expect(entry.payee_name).toBe(memo);

      faults.writes.push(UNANSWERED);
      const change = { transaction_id: entry.id, memo: `${memo} &gt;` };
      const changed = await passing(client.begin({}).write(updateTransaction, change));
      expect(changed.outcome).toBe('confirmed_afterwards');
      faults.writes.push(UNANSWERED);
      await passing(client.begin({}).write(deleteTransaction, { transaction_id: entry.id }));
      expect(coffees()).toBe(0);
      expect(sent()).toBe(3);
    },
  );
});
