import { describe, expect, it } from 'vitest';
import { MAX_COMPARISON_AGE_MS } from '../../../src/features/reconcile/comparisons.ts';
import { applyReconciliation } from '../../../src/features/reconcile/reconciling-writes.ts';
import { NO_FAULT, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { startDemo, startToReconcile, TODAY } from '../account-to-reconcile.helper.ts';

/** Requests that write. */
const isWrite = (path: string) => path === 'home/transactions';

describe('marking', () => {
  it('apply_reconciliation marks what was found and what is cleared, and nothing else', async () => {
    const { connectHost, enter, register, asked } = await startToReconcile();
    const found = enter({ amount: -12_340 });
    const open = enter({ amount: -700 });
    const cleared = enter({ amount: -250_000, cleared: 'cleared' });
    const call = await connectHost();
    await call('reconcile_account', { balance: 737.66 });
    asked();
    const { text, data } = await call('apply_reconciliation', { balance: 737.66 });
    expect(data).toMatchObject({
      outcome: 'written',
      date: TODAY,
      balance: 737.66,
      cleared_balance: 737.66,
      marked: 2,
      marked_uncleared: 1,
      entered: 0,
    });
    expect(text).toContain('Marked as reconciled: 2, of which 1 were uncleared. Entered: 0.');
    expect(text).toContain('The cleared balance on 2026-11-21 is 737.66, as the bank says.');
    expect(asked().filter(isWrite)).toHaveLength(1);
    const states = [found, open, cleared].map((id) => register().get(id)?.cleared);
    expect(states).toEqual(['reconciled', 'uncleared', 'reconciled']);
  });

  it('apply_reconciliation refuses a balance that the account would not have, and enters no adjustment', async () => {
    const { connectHost, enter, register, asked } = await startToReconcile();
    enter({ amount: -12_340 });
    const before = register();
    const call = await connectHost();
    await call('reconcile_account', { balance: 987.66 });
    asked();
    const refused = await call('apply_reconciliation', { balance: 990 });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(
      /^This call changed nothing\. .* would be 987\.66 and not 990\.00: 2\.34 is unexplained/,
    );
    expect(asked().filter(isWrite)).toEqual([]);
    expect(register()).toEqual(before);
  });

  it('apply_reconciliation takes the ids of the transactions instead of those that were found', async () => {
    const { connectHost, enterAll, register } = await startToReconcile();
    const [first = '', second = ''] = enterAll([{ amount: -10_000 }, { amount: -10_000 }]);
    const call = await connectHost();
    expect((await call('reconcile_account', { balance: 990 })).data).toMatchObject({
      result: 'several_sets',
    });
    expect(await call('apply_reconciliation', { balance: 990 })).toMatchObject({ isError: true });
    expect(await call('apply_reconciliation', { balance: 990, transactions: [second] })).toMatchObject({
      data: { marked: 1 },
    });
    expect([first, second].map((id) => register().get(id)?.cleared)).toEqual(['uncleared', 'reconciled']);
  });

  it('apply_reconciliation refuses transactions of another account', async () => {
    const { connectHost, ledger, account } = await startToReconcile();
    const foreign = ledger.transactions(undefined).find(({ account_id }) => account_id !== account.id);
    const call = await connectHost();
    expect(await call('apply_reconciliation', { balance: 1_000, transactions: [foreign?.id] })).toMatchObject(
      {
        isError: true,
        text: expect.stringContaining('transactions.0: is not a transaction of this account'),
      },
    );
  });

  it('apply_reconciliation says that nothing is left after it was applied', async () => {
    const { connectHost, enter, asked } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost();
    await call('reconcile_account', { balance: 987.66 });
    await call('apply_reconciliation', { balance: 987.66 });
    asked();
    expect(await call('apply_reconciliation', { balance: 987.66 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nothing is left to mark or to enter'),
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('apply_reconciliation refuses what would take too many requests', async () => {
    const { connectHost, enterAll, asked } = await startToReconcile();
    enterAll(Array.from({ length: 10_001 }, () => ({ amount: -10, cleared: 'cleared' as const })));
    const call = await connectHost();
    expect(await call('apply_reconciliation', { balance: 899.99 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('10001 transactions would need 11 requests, and 10 are allowed'),
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });
});

describe('entering', () => {
  const rows = [
    { date: '2026-11-12', amount: -10 },
    { date: '2026-11-14', amount: -4.5, text: 'Bakery 4711' },
    { date: '2026-11-14', amount: -4.5, text: 'Bakery 4712' },
  ];

  it('apply_reconciliation enters the missing rows of the list once, however often it is called', async () => {
    const { connectHost, enter, register, asked } = await startToReconcile();
    const listed = enter({ amount: -10_000, date: '2026-11-10' });
    const call = await connectHost();
    await call('reconcile_account', { rows });
    asked();
    const args = { balance: 981, enter: true };
    const { text, data } = await call('apply_reconciliation', args);
    expect(data).toMatchObject({ marked: 1, entered: 2, cleared_balance: 981 });
    expect(text).toContain('Without one, for the user to look at: 2 (');
    expect(asked().filter(isWrite)).toHaveLength(2);
    const entered = [...register().values()].filter(({ amount }) => amount === -4_500);
    expect(
      entered.map(({ date, cleared, approved, memo, import_id }) => [
        date,
        cleared,
        approved,
        memo,
        import_id,
      ]),
    ).toEqual([
      ['2026-11-14', 'reconciled', false, 'Bakery 4711', 'YNAB:-4500:2026-11-14:1'],
      ['2026-11-14', 'reconciled', false, 'Bakery 4712', 'YNAB:-4500:2026-11-14:2'],
    ]);
    expect(register().get(listed)?.cleared).toBe('reconciled');

    const after = register();
    expect(await call('apply_reconciliation', args)).toMatchObject({ isError: true });
    const again = await call('reconcile_account', { rows });
    expect(again.data).toMatchObject({ missing_in_account: { count: 0 } });
    expect(await call('apply_reconciliation', args)).toMatchObject({ isError: true });
    expect(register()).toEqual(after);
  });

  it('a row that is perhaps mistyped in the account is not entered; once it is corrected, it is marked', async () => {
    const { connectHost, enter, change, clock, register, asked } = await startToReconcile();
    const typed = enter({ amount: -45_600, date: '2026-11-12' });
    const call = await connectHost();
    await call('reconcile_account', { rows: [{ date: '2026-11-12', amount: -54.6 }, ...rows.slice(1)] });
    const args = { balance: 936.4, enter: true };
    asked();
    const refused = await call('apply_reconciliation', args);
    expect(refused.text).toContain(
      'rows not entered, because perhaps mistyped in the account, or there with another day: 1 (update_transaction',
    );
    expect(asked().filter(isWrite)).toEqual([]);
    clock.advance(60_000);
    change(typed, { amount: -54_600 });
    const applied = await call('apply_reconciliation', args);
    expect(applied.data, applied.text).toMatchObject({ entered: 2, marked: 1 });
    expect(register().get(typed)).toMatchObject({ amount: -54_600, cleared: 'reconciled' });
    expect(register().size).toBe(4);
  });

  it('without a balance, rows are entered and marked as cleared, and nothing twice', async () => {
    const { connectHost, enter, register, asked } = await startToReconcile();
    const found = enter({ amount: -10_000, date: '2026-11-12' });
    const open = enter({ amount: -700 });
    const cleared = enter({ amount: -250_000, cleared: 'cleared' });
    const typed = enter({ amount: -45_600, date: '2026-11-14' });
    const call = await connectHost();
    await call('reconcile_account', { rows: [...rows, { date: '2026-11-14', amount: -54.6 }] });
    const dry = await call('apply_reconciliation', { enter: true, dry_run: true });
    expect(dry.text).toContain('To be marked as cleared: 0 cleared and 1 uncleared transactions.');
    expect(dry.text).toContain('To be entered as cleared: 2, sum -9.00:');
    asked();
    const { text, data } = await call('apply_reconciliation', { enter: true });
    expect(data).toMatchObject({ marked: 1, entered: 2, not_entered: 1, cleared_balance: 731 });
    expect(data).not.toHaveProperty('balance');
    expect(text).toContain('Marked as cleared: 1. Entered as cleared: 2.');
    expect(text).toContain(
      'Rows not entered, because perhaps mistyped in the account, or there with another day: 1',
    );
    expect(text).toContain('The cleared balance on 2026-11-21 is 731.00.');
    const states = [found, open, cleared, typed].map((id) => register().get(id)?.cleared);
    expect(states).toEqual(['cleared', 'uncleared', 'cleared', 'uncleared']);
    const entered = [...register().values()].filter(({ amount }) => amount === -4_500);
    expect(entered.map((each) => each.cleared)).toEqual(['cleared', 'cleared']);

    const after = register();
    const again = await call('apply_reconciliation', { enter: true });
    expect(again.text).toContain('nothing is left to mark or to enter');
    expect(register()).toEqual(after);
    expect((await call('undo')).isError).toBe(false);
    expect(register().size).toBe(5);
    expect(register().get(found)?.cleared).toBe('uncleared');
  });

  it('without a balance and without a comparison, nothing is marked', async () => {
    const { connectHost, enter, register } = await startToReconcile();
    const before = enter({ amount: -700 });
    const call = await connectHost();
    expect(await call('apply_reconciliation')).toMatchObject({
      isError: true,
      text: expect.stringContaining('no comparison of this account is remembered'),
    });
    expect(register().get(before)?.cleared).toBe('uncleared');
  });

  it('apply_reconciliation enters nothing without enter, and says that rows are missing', async () => {
    const { connectHost, asked } = await startToReconcile();
    const call = await connectHost();
    await call('reconcile_account', { rows });
    asked();
    expect(await call('apply_reconciliation', { balance: 981 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('enter: true would enter the 3 missing rows'),
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('a row is entered although the service would merge its import with the entry of another row', async () => {
    const { connectHost, enter, register } = await startToReconcile();
    const first = enter({ amount: -2_900, date: '2026-11-10' });
    const call = await connectHost();
    await call('reconcile_account', {
      rows: ['2026-11-10', '2026-11-12'].map((date) => ({ date, amount: -2.9 })),
    });
    expect((await call('apply_reconciliation', { balance: 994.2, enter: true })).data).toMatchObject({
      entered: 1,
      marked: 1,
      cleared_balance: 994.2,
    });
    const tickets = [...register().values()].filter(({ amount }) => amount === -2_900);
    expect(tickets.map(({ date, cleared }) => [date, cleared])).toEqual([
      ['2026-11-10', 'reconciled'],
      ['2026-11-12', 'reconciled'],
    ]);
    expect(register().get(first)?.import_id).toBeNull();
  });

  it('a row that was entered elsewhere since the comparison is not entered', async () => {
    const { connectHost, enter, register, clock } = await startToReconcile();
    const call = await connectHost();
    await call('reconcile_account', { rows: rows.slice(0, 1) });
    clock.advance(60_000);
    const elsewhere = enter({ amount: -10_000, date: '2026-11-12', cleared: 'cleared' });
    expect((await call('apply_reconciliation', { balance: 990, enter: true })).data).toMatchObject({
      entered: 0,
      marked: 1,
    });
    expect(register().get(elsewhere)?.cleared).toBe('reconciled');
    expect(register().size).toBe(2);
  });

  it('two calls at the same time enter the missing rows once', async () => {
    const { connectHost, enter, register } = await startToReconcile();
    enter({ amount: -2_900, date: '2026-11-10' });
    const calls = [await connectHost({}, 'anna'), await connectHost({}, 'ben')];
    // The second row has no import id, because the service would merge it with the transaction of the first.
    const list = ['2026-11-10', '2026-11-12', '2026-11-13'].map((date, index) => ({
      date,
      amount: index < 2 ? -2.9 : -5,
    }));
    for (const call of calls) await call('reconcile_account', { rows: list });
    const args = { balance: 989.2, enter: true };
    const results = await Promise.all(calls.map((call) => call('apply_reconciliation', args)));
    expect(results.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
    expect(register().size).toBe(4);
  });

  it('a row that is older than the service takes is not sent', async () => {
    const { connectHost, asked } = await startToReconcile();
    const call = await connectHost();
    await call('reconcile_account', { rows: [{ date: '2021-11-20', amount: -1 }] });
    asked();
    expect(await call('apply_reconciliation', { balance: 999, enter: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 of the missing rows are older than five years'),
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('if the service did not create all rows, nothing is marked', async () => {
    const { connectHost, enter, register, altering } = await startToReconcile();
    const open = enter({ amount: -700, cleared: 'cleared' });
    const call = await connectHost();
    await call('reconcile_account', { rows });
    altering.answer = (_, body) => {
      const parsed = JSON.parse(body);
      if (!parsed.data?.duplicate_import_ids) return body;
      const { transaction_ids, transactions } = parsed.data;
      const data = {
        ...parsed.data,
        transaction_ids: transaction_ids.slice(1),
        transactions: transactions.slice(1),
      };
      return JSON.stringify({ data });
    };
    const { text, isError } = await call('apply_reconciliation', { balance: 980.3, enter: true });
    expect(isError).toBe(true);
    expect(text).toContain('2 of 3 rows were entered, and 0 of 1 transactions were marked');
    expect(text).toContain('The service did not create 1 rows');
    expect(register().get(open)?.cleared).toBe('cleared');
  });
});

describe('several requests', () => {
  it('1,001 transactions are marked by two requests', async () => {
    const { connectHost, enterAll, register, asked } = await startToReconcile();
    enterAll(Array.from({ length: 1_001 }, () => ({ amount: -10, cleared: 'cleared' as const })));
    const call = await connectHost();
    await call('reconcile_account', { balance: 989.99 });
    asked();
    expect((await call('apply_reconciliation', { balance: 989.99 })).data).toMatchObject({ marked: 1_001 });
    expect(asked().filter(isWrite)).toHaveLength(2);
    expect(new Set([...register().values()].map(({ cleared }) => cleared))).toEqual(new Set(['reconciled']));
  });

  it('after a request in between was refused, the error says what stands, and a later call does the rest', async () => {
    const { connectHost, enter, register, faults, clock } = await startToReconcile();
    const cleared = enter({ amount: -700, cleared: 'cleared' });
    const call = await connectHost();
    const compare = () => call('reconcile_account', { rows: [{ date: '2026-11-14', amount: -4.5 }] });
    await compare();
    // The update of the account before the write, the creation, the read after it, and then the mark.
    faults.push(NO_FAULT, NO_FAULT, NO_FAULT, { deliveries: 0, answer: '429' });
    const args = { balance: 994.8, enter: true };
    const failed = await call('apply_reconciliation', args);
    expect(failed.isError).toBe(true);
    expect(failed.text).toContain('1 of 1 rows were entered, and 0 of 1 transactions were marked.');
    expect(failed.text).not.toContain('This call changed nothing');
    expect(register().get(cleared)?.cleared).toBe('cleared');
    clock.advance(MAX_COMPARISON_AGE_MS + 1);
    await compare();
    expect((await call('apply_reconciliation', args)).data).toMatchObject({ entered: 0, marked: 1 });
    expect(register().get(cleared)?.cleared).toBe('reconciled');
    expect([...register().values()].filter(({ amount }) => amount === -4_500)).toHaveLength(1);
  });

  it('rows whose answer was lost are entered once', async () => {
    const { connectHost, register, faults, passing } = await startToReconcile();
    const call = await connectHost();
    await call('reconcile_account', { rows: [{ date: '2026-11-14', amount: -4.5 }] });
    faults.push(NO_FAULT, UNANSWERED);
    const { data } = await passing(call('apply_reconciliation', { balance: 995.5, enter: true }));
    expect(data).toMatchObject({ outcome: 'confirmed_afterwards', entered: 1, cleared_balance: 995.5 });
    expect([...register().values()].filter(({ amount }) => amount === -4_500)).toHaveLength(1);
  });
});

describe('the last comparison', () => {
  it('apply_reconciliation says that nothing is remembered', async () => {
    const { connectHost, enter, asked } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost();
    const text = expect.stringContaining('no comparison of this account is remembered');
    expect(await call('apply_reconciliation', { balance: 987.66 })).toMatchObject({ isError: true, text });
    expect(await call('apply_reconciliation', { balance: 1_000, enter: true })).toMatchObject({
      isError: true,
      text,
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('a comparison is forgotten after an hour', async () => {
    const { connectHost, enter, clock } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost();
    await call('reconcile_account', { balance: 987.66 });
    const args = { balance: 987.66, dry_run: true };
    clock.advance(MAX_COMPARISON_AGE_MS - 1);
    expect((await call('apply_reconciliation', args)).data).toMatchObject({ marked_uncleared: 1 });
    clock.advance(1);
    expect((await call('apply_reconciliation', args)).text).toContain(
      'no comparison of this account is remembered',
    );
  });

  it('a comparison of one caller is not used for another one', async () => {
    const { connectHost, enter } = await startToReconcile();
    enter({ amount: -12_340 });
    const anna = await connectHost({}, 'anna');
    const ben = await connectHost({}, 'ben');
    await anna('reconcile_account', { balance: 987.66 });
    const args = { balance: 987.66, dry_run: true };
    expect((await ben('apply_reconciliation', args)).text).toContain(
      'no comparison of this account is remembered',
    );
    expect((await anna('apply_reconciliation', args)).data).toMatchObject({ marked_uncleared: 1 });
  });

  it('a comparison of one account is not used for another one', async () => {
    const { connectHost, enter } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost();
    await call('reconcile_account', { balance: 987.66 });
    const other = await call('apply_reconciliation', { account: 'Savings', balance: 987.66 });
    expect(other.text).toContain('no comparison of this account is remembered');
  });
});

describe('consent', () => {
  it('apply_reconciliation asks as a deletion does, and sends nothing before', async () => {
    const { connectHost, enter, register, asked } = await startToReconcile();
    const found = enter({ amount: -12_340 });
    const call = await connectHost({ confirm: 'deletes' });
    await call('reconcile_account', { balance: 987.66 });
    const args = { balance: 987.66 };
    const question = await call('apply_reconciliation', args);
    expect(question.isError).toBe(true);
    expect(question.text).toMatch(
      /of "Giro" in "Household"\?\n.*0 cleared and 1 uncleared.*\n {2}2026-11-21 · -12,34€/,
    );
    expect(asked().filter(isWrite)).toEqual([]);
    expect(await call('apply_reconciliation', { ...args, confirm: true })).toMatchObject({ isError: false });
    expect(register().get(found)?.cleared).toBe('reconciled');
  });

  it('a confirmation does not count after the account has changed', async () => {
    const { connectHost, enter, clock, asked } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost({ confirm: 'deletes' });
    await call('reconcile_account', { balance: 987.66 });
    await call('apply_reconciliation', { balance: 987.66 });
    clock.advance(1_000);
    enter({ amount: 0, cleared: 'cleared' });
    asked();
    const again = await call('apply_reconciliation', { balance: 987.66, confirm: true });
    expect(again).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 cleared and 1 uncleared'),
    });
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('what changes between the confirmation and the write is not overwritten', async () => {
    const { connectHost, enter, clock, altering, asked } = await startToReconcile();
    enter({ amount: -12_340 });
    const call = await connectHost({ confirm: 'deletes' });
    await call('reconcile_account', { balance: 987.66 });
    await call('apply_reconciliation', { balance: 987.66 });
    clock.advance(1_000);
    asked();
    altering.answer = (_, body) => {
      altering.answer = (_path, other) => other;
      enter({ amount: 0, cleared: 'cleared' });
      return body;
    };
    const { text } = await call('apply_reconciliation', { balance: 987.66, confirm: true });
    expect(text).toContain('what this would write has changed since it was confirmed');
    expect(asked().filter(isWrite)).toEqual([]);
  });

  it('a dry run shows what would be marked and entered, and writes nothing', async () => {
    const { connectHost, enter, register } = await startToReconcile();
    enter({ amount: -12_340 });
    const before = register();
    const call = await connectHost({ confirm: 'deletes' });
    await call('reconcile_account', {
      rows: [
        { date: TODAY, amount: -12.34 },
        { date: '2026-11-14', amount: -4.5, text: 'Bakery' },
      ],
    });
    const { text, data } = await call('apply_reconciliation', {
      balance: 983.16,
      enter: true,
      dry_run: true,
    });
    expect(data).toMatchObject({
      outcome: 'dry_run',
      cleared_balance: 1_000,
      cleared_balance_afterwards: 983.16,
      marked: 1,
      entered: 1,
      uncleared: { count: 1 },
      rows: { count: 1, sum: -4.5 },
    });
    expect(text).toContain('To be entered as reconciled: 1, sum -4.50:\n  2026-11-14 · -4.50 · "Bakery"');
    expect(register()).toEqual(before);
  });
});

it('rows have the payee and the category that the call gives them, and new payees are named', async () => {
  const { connectHost, register, ledger } = await startToReconcile();
  const [category] = [...ledger.state.categories.values()].filter(
    ({ role, hidden }) => role.kind === 'envelope' && !hidden,
  );
  const call = await connectHost();
  const given = { payee_name: 'New Shop', category_id: category?.name };
  const rows = [
    { date: TODAY, amount: -3, text: 'CARD 4711', ...given },
    { date: TODAY, amount: -4, ...given },
    { date: TODAY, amount: -5, text: 'CARD 4712' },
    { date: TODAY, amount: -6, payee_name: 'Transfer : Giro' },
  ];
  const own = await call('reconcile_account', { account: 'Checking', rows });
  expect(own.isError).toBe(false);
  await call('reconcile_account', { rows: rows.slice(0, 3) });
  const planned = await call('enter_statement', { dry_run: true });
  const { text } = await call('enter_statement');
  for (const each of [planned.text, text]) {
    expect(each).toContain('2 have a payee, as given or as earlier rows, and 2 a category.');
    expect(each).toContain('New payees: "New Shop".');
  }
  const entered = [...register().values()].filter(({ date }) => date === TODAY);
  expect(
    entered.map(({ amount, payee_name, category_name, memo }) => [amount, payee_name, category_name, memo]),
  ).toEqual([
    [-3_000, 'New Shop', category?.name, 'CARD 4711'],
    [-4_000, 'New Shop', category?.name, null],
    [-5_000, null, null, 'CARD 4712'],
  ]);
  expect((await call('enter_statement')).text).toContain('Nothing is left to enter.');
});

it('undo takes a reconciliation back, with what it entered', async () => {
  const { connectHost, enter, register } = await startToReconcile();
  enter({ amount: -10_000, date: '2026-11-10' });
  enter({ amount: -700, cleared: 'cleared' });
  const states = () => [...register().values()].map(({ id, cleared }) => [id, cleared]).toSorted();
  const before = states();
  const call = await connectHost();
  await call('reconcile_account', {
    rows: [
      { date: '2026-11-12', amount: -10 },
      { date: '2026-11-14', amount: -4.5 },
    ],
  });
  expect((await call('apply_reconciliation', { balance: 984.8, enter: true })).isError).toBe(false);
  expect(states()).not.toEqual(before);
  expect((await call('undo')).isError).toBe(false);
  expect(states()).toEqual(before);
});

it('a server that is read-only compares, and does not offer to apply', async () => {
  const { connect, connectHost, service } = await startToReconcile();
  const client = connect(service.accessToken, { readOnly: true });
  const call = await connectHost({}, undefined, client);
  expect((await call('reconcile_account', { balance: 1_000 })).data).toMatchObject({ result: 'agrees' });
  await expect(call('apply_reconciliation', { balance: 1_000 })).rejects.toThrow(/apply_reconciliation/);
});

it('the example of apply_reconciliation marks what is cleared in the demo budget', async () => {
  const host = await startDemo();
  const answer = await host.callTool({
    name: 'apply_reconciliation',
    arguments: applyReconciliation.example,
  });
  expect(answer.structuredContent).toMatchObject({
    outcome: 'written',
    marked_uncleared: 0,
    cleared_balance: 17_803.98,
  });
});
