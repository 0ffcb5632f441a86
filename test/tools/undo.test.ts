import { expect, it } from 'vitest';
import { listPayees } from '../../src/operations/payees.ts';
import { startWarm } from '../client/holding.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { writableState } from './writable-state.helper.ts';

/** A host without consent, on the household's budget. */
async function household() {
  const started = await startWarm((client) => client.call(listPayees, {}));
  const host = await hostOf(started, { confirm: 'none' });
  const call = async (name: string, args = {}) => {
    const { content, isError, structuredContent } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, isError: isError === true, structured: structuredContent };
  };
  const state = () => writableState(started.direct(started.ledger.id));
  const done = async (name: string, args = {}) => {
    const result = await call(name, args);
    expect(result.isError, result.text).toBe(false);
    return result.text;
  };
  return { ...started, call, done, state };
}

type Household = Awaited<ReturnType<typeof household>>;

const entries = ({ ledger }: Household) => ledger.transactions(undefined);
const some = <Row>(rows: readonly Row[], accepts: (row: Row) => boolean): Row =>
  rows.find(accepts) ?? expect.unreachable('there is one');
const plain = (it: Household) =>
  some(
    entries(it),
    (row) =>
      row.transfer_account_id === null &&
      row.subtransactions.length === 0 &&
      row.category_id !== null &&
      row.payee_id !== null &&
      !row.payee_name?.includes('Balance'),
  );
const transfer = (it: Household) =>
  some(entries(it), (row) => row.transfer_transaction_id !== null && row.subtransactions.length === 0);
const split = (it: Household) => some(entries(it), (row) => row.subtransactions.length > 1);

const writes: [string, string, (it: Household) => object][] = [
  [
    'a creation',
    'create_transactions',
    () => ({
      transactions: [
        {
          account_id: 'Checking',
          date: '2026-11-20',
          amount: -4.5,
          payee_name: 'Corner Shop',
          category_id: 'Groceries',
        },
      ],
    }),
  ],
  [
    'several creations',
    'create_transactions',
    () => ({
      transactions: [1, 2].map((amount) => ({ account_id: 'Checking', date: '2026-11-20', amount })),
    }),
  ],
  [
    'the creation of a split',
    'create_transactions',
    () => ({
      transactions: [
        {
          account_id: 'Checking',
          date: '2026-11-20',
          amount: -5,
          subtransactions: [{ amount: -2, category_id: 'Groceries' }, { amount: -3 }],
        },
      ],
    }),
  ],
  [
    'the creation of a transfer',
    'create_transactions',
    () => ({
      transactions: [
        { account_id: 'Checking', date: '2026-11-20', amount: -5, payee_name: 'Transfer : Savings' },
      ],
    }),
  ],
  ['a changed amount', 'update_transaction', (it) => ({ transaction_id: plain(it).id, amount: -1.25 })],
  [
    'cleared fields',
    'update_transaction',
    (it) => ({ transaction_id: plain(it).id, clear: ['category', 'payee'] }),
  ],
  [
    'a payment that became a transfer',
    'update_transaction',
    (it) => ({ transaction_id: plain(it).id, payee_name: 'Transfer : Savings' }),
  ],
  [
    'a transfer that became a payment',
    'update_transaction',
    (it) => ({ transaction_id: transfer(it).id, payee_name: 'Corner Shop' }),
  ],
  [
    'several changes',
    'update_transactions',
    (it) => ({
      transactions: entries(it)
        .slice(0, 5)
        .map(({ id }, index) => ({ id, memo: `memo ${index}`, flag_color: 'red', approved: true })),
    }),
  ],
  ['a deletion', 'delete_transaction', (it) => ({ transaction_id: plain(it).id })],
  ['the deletion of a split', 'delete_transaction', (it) => ({ transaction_id: split(it).id })],
  ['the deletion of a transfer', 'delete_transaction', (it) => ({ transaction_id: transfer(it).id })],
  [
    'a name and a note of a category',
    'update_category',
    () => ({ category_id: 'Groceries', name: 'Food', note: 'Markets first' }),
  ],
  [
    'a budgeted amount',
    'update_month_category',
    () => ({ month: 'current', category_id: 'Groceries', budgeted: 1.5 }),
  ],
  [
    'the name of a group',
    'update_category_group',
    (it) => ({
      category_group_id: some(it.ledger.categoryGroups(), ({ name }) => !/Internal|Credit|Hidden/.test(name))
        .id,
      name: 'Every day',
    }),
  ],
  ['the name of a payee', 'update_payee', (it) => ({ payee_id: plain(it).payee_id, name: 'Somewhere' })],
  [
    'a new scheduled transaction',
    'create_scheduled_transaction',
    () => ({ account_id: 'Checking', date: '2026-12-24', amount: -30, frequency: 'monthly' }),
  ],
];

it.each(writes)('undo takes back %s', async (_, tool, args) => {
  const it = await household();
  const before = await it.state();
  await it.done(tool, args(it));
  const { payees, ...after } = await it.state();
  expect(after).not.toEqual({ ...before, payees });
  const text = await it.done('undo');
  const { payees: names, ...undone } = await it.state();
  expect({ ...undone, payees: new Map([...names].filter(([id]) => before.payees.has(id))) }).toEqual(before);
  expect(text).toContain(`Undone: ${tool}`);
});
