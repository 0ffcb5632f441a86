/** Writes of the built program whose requests or responses are lost, late or delivered twice. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { BEHIND, DROPPED, type Fault, TWICE, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startProgram } from './program-behind-proxy.helper.ts';

const idsSchema = z.array(z.string());

test('the first of two equal entries is not taken for the second, which was lost while a copy lagged behind', async () => {
  const { clock, coffees, faults, logCoffee } = await startProgram();
  const first = await logCoffee();
  await clock.pass(2_000);
  // The read before the write.
  faults.reads.push(BEHIND);
  faults.writes.push(DROPPED);
  const second = await logCoffee();
  expect([second.isError, second.text]).toEqual([true, expect.stringContaining('still being looked for')]);
  await clock.pass(60_000);
  const third = await logCoffee();
  expect(third.structured).not.toHaveProperty('earlier_call');
  expect(third.structured['transaction_ids']).not.toEqual(first.structured['transaction_ids']);
  expect(coffees()).toBe(2);
});

test('the result of an import whose response was lost contains the imported transactions', async () => {
  const { call, faults, ledger } = await startProgram();
  const before = new Set(ledger.transactions(undefined).map(({ id }) => id));
  faults.writes.push(UNANSWERED);
  const { isError, structured, text } = await call('import_transactions');
  expect(isError, text).toBe(false);
  const imported = ledger.transactions(undefined).flatMap(({ id }) => (before.has(id) ? [] : [id]));
  expect(imported).not.toEqual([]);
  expect(idsSchema.parse(structured['transaction_ids']).toSorted()).toEqual(imported.toSorted());
  expect(text).not.toContain('nothing new');
});

test.each([
  ['the request was lost, by stdio', 'stdio', DROPPED, 2, /^Written\.$/m],
  ['the request was lost, by HTTP', 'http', DROPPED, 2, /^Written\.$/m],
  ['the answer was lost, by stdio', 'stdio', UNANSWERED, 1, /Written already by your equal call/],
  ['the answer was lost, by HTTP', 'http', UNANSWERED, 1, /Written already by your equal call/],
] as const)(
  'a write that its host cancels and then repeats is applied once: %s',
  async (_, transport, fault, requests, text) => {
    const { clock, coffee, coffees, faults, host, logCoffee, sent } = await startProgram({ transport });
    faults.writes.push(fault);
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const cancelled = expect(
      host.call('create_transactions', { transactions: [coffee] }, { signal }),
    ).rejects.toThrow();
    while (sent() === 0) await clock.pass(0);
    await clock.pass(500);
    cancelling.abort();
    await cancelled;
    // The cancellation has arrived before the next call is made.
    await clock.pass(0);
    let answer = await logCoffee();
    for (let repeats = 0; repeats < 9 && answer.isError; repeats += 1) answer = await logCoffee();
    // If the program sent a second request by itself, it would do so within this time.
    await clock.pass(120_000);
    expect(answer.text).toMatch(text);
    expect([coffees(), sent()]).toEqual([1, requests]);
  },
);

test('a host gets a result within ten seconds if the service takes longer, and the write is applied once', async () => {
  const { clock, coffees, faults, logCoffee, sent } = await startProgram();
  faults.writes.push({ deliveries: 1, answer: 'never' });
  const answer = await logCoffee();
  expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('after 10 s')]);
  await clock.pass(60_000);
  expect((await logCoffee()).text).toContain('Written already by your equal call');
  expect([coffees(), sent()]).toEqual([1, 1]);
});

test('where the budget cannot be read after an entry that was delivered twice, the answer says that it could not look for a second one', async () => {
  const reads: Fault[] = [];
  const { coffees, faults, logCoffee } = await startProgram({
    alter: ({ method }, body) => {
      // From now on, no read is answered.
      if (method === 'POST') reads.push(...Array.from({ length: 20 }, () => DROPPED));
      return body;
    },
  });
  faults.reads = reads;
  faults.writes.push(TWICE);
  const { isError, text } = await logCoffee();
  expect([isError, coffees()]).toEqual([false, 2]);
  expect(text).toContain('could not be read, and it is not known whether it was entered twice');
});

test('a deletion that is delivered twice is reported as successful, although the second delivery is refused', async () => {
  const { call, coffees, faults, logCoffee } = await startProgram();
  const [transaction_id] = idsSchema.parse((await logCoffee()).structured['transaction_ids']);
  await call('delete_transaction', { transaction_id });
  faults.writes.push(TWICE);
  const { isError, structured, text } = await call('delete_transaction', { transaction_id, confirm: true });
  expect(isError, text).toBe(false);
  expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', transaction: { id: transaction_id } });
  expect(coffees()).toBe(0);
});

test('an entry with an import_id that is delivered twice is reported as successful, although the second delivery is refused', async () => {
  const { call, coffee, coffees, faults } = await startProgram();
  faults.writes.push(TWICE);
  const import_id = 'coffee:1';
  const { isError, structured, text } = await call('create_transactions', {
    transactions: [{ ...coffee, import_id }],
  });
  expect(isError, text).toBe(false);
  expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', transaction: { import_id } });
  expect(coffees()).toBe(1);
});

test('an update whose response was lost is reported as successful, and as unknown if the service ignores a part of it', async () => {
  const { call, category, faults, ledger } = await startProgram();
  const [transfer = expect.unreachable()] = ledger
    .transactions(undefined)
    .filter(({ transfer_transaction_id }) => transfer_transaction_id !== null);
  const change = { transaction_id: transfer.id, memo: 'New' };
  faults.writes.push(UNANSWERED, UNANSWERED);
  const whole = await call('update_transaction', change);
  expect(whole.isError, whole.text).toBe(false);
  expect(whole.structured).toMatchObject({ outcome: 'confirmed_afterwards' });
  const withCategory = { ...change, category_id: category('Groceries').id, memo: 'Newer' };
  const partly = await call('update_transaction', withCategory);
  expect([partly.isError, partly.text]).toEqual([true, expect.stringContaining('not known')]);
  expect(ledger.transactions(undefined).find(({ id }) => id === transfer.id)?.memo).toBe('Newer');
});
