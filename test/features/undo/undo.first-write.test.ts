/** A conversation that goes on after a restart has ids already, so that its first call may be a write. */
import { expect, it } from 'vitest';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { writableState } from '../writable-state.helper.ts';

async function restarted(cacheBytes: number) {
  const started = await startHolding({ cacheBytes });
  const { ledger, direct } = started;
  const host = await hostOf(started, { confirm: 'none' });
  const done = async (name: string, args = {}) => {
    const { content, isError } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    expect(isError ?? false, text).toBe(false);
    return text;
  };
  return { ledger, done, state: () => writableState(direct(ledger.id)) };
}

type Ledger = Awaited<ReturnType<typeof restarted>>['ledger'];

const payments = (ledger: Ledger) =>
  ledger
    .transactions(undefined)
    .filter(
      ({ amount, category_id, subtransactions, transfer_account_id: to }) =>
        amount < 0 && category_id !== null && subtransactions.length === 0 && to === null,
    );
const payment = (ledger: Ledger) => payments(ledger)[0] ?? expect.unreachable();
const payee = (ledger: Ledger) =>
  ledger.payees().find((row) => !row.transfer_account_id && !row.name.includes('Balance')) ??
  expect.unreachable();
const scheduled = (ledger: Ledger) => ledger.scheduledTransactions()[0] ?? expect.unreachable();
const category = (ledger: Ledger) => {
  const { id, name, category_group_id } =
    ledger
      .categoryGroups()
      .flatMap(({ categories }) => categories)
      .find(({ name }) => name === 'Groceries') ?? expect.unreachable();
  return { id, name, category_group_id };
};

const writes: [string, string, (ledger: Ledger) => object][] = [
  ['a changed payment', 'update_transaction', (it) => ({ transaction_id: payment(it).id, amount: -1.25 })],
  ['a deleted payment', 'delete_transaction', (it) => ({ transaction_id: payment(it).id })],
  [
    'several changed payments',
    'update_transactions',
    (it) => ({
      transactions: payments(it)
        .slice(0, 3)
        .map(({ id }) => ({ id, memo: 'changed', flag_color: 'red' })),
    }),
  ],
  [
    'a changed scheduled transaction',
    'update_scheduled_transaction',
    (it) => ({ scheduled_transaction_id: scheduled(it).id, amount: -3 }),
  ],
  [
    'a deleted scheduled transaction',
    'delete_scheduled_transaction',
    (it) => ({ scheduled_transaction_id: scheduled(it).id }),
  ],
  [
    'a note of a category',
    'update_category',
    (it) => ({ category_id: category(it).id, note: 'Markets first' }),
  ],
  [
    'a budgeted amount',
    'update_month_category',
    (it) => ({ month: 'current', category_id: category(it).id, budgeted: 1.5 }),
  ],
  [
    'a budgeted amount of a month to come',
    'update_month_category',
    (it) => ({ month: '2027-01', category_id: category(it).id, budgeted: 1.5 }),
  ],
  [
    'the name of a group',
    'update_category_group',
    (it) => ({ category_group_id: category(it).category_group_id, name: 'Every day' }),
  ],
  ['the name of a payee', 'update_payee', (it) => ({ payee_id: payee(it).id, name: 'Somewhere' })],
];

async function undoFirst([, tool, args]: (typeof writes)[number], cacheBytes: number) {
  const { ledger, done, state } = await restarted(cacheBytes);
  const { months: monthsBefore, ...before } = await state();
  await done(tool, args(ledger));
  expect(await state()).not.toEqual({ ...before, months: monthsBefore });
  expect(await done('undo')).toContain(`Undone: ${tool}`);
  const { months, ...after } = await state();
  // A month that the write has made stays, with nothing budgeted.
  const added = months.slice(monthsBefore.length).flatMap(({ budgeted }) => budgeted);
  expect([after, months.slice(0, monthsBefore.length), added]).toEqual([before, monthsBefore, []]);
}

it.each(writes.slice(0, 2))(
  'undo takes back %s, though that was the first call of the process',
  async (...write) => undoFirst(write, 2 ** 26),
);

it.each(writes)('undo takes back %s, though the budget is not cached', async (...write) =>
  undoFirst(write, 0),
);
