import { expect, it } from 'vitest';
import { updateTransaction } from '../../src/service/ledger/transactions.ts';
import { type Household, household } from '../features/writing-household.helper.ts';

const entries = ({ ledger }: Household) => ledger.transactions(undefined);
const byKind = (it: Household) => {
  const plain = entries(it).filter(
    (row) => row.transfer_account_id === null && row.subtransactions.length === 0,
  );
  const [first, second, third] = plain.filter(({ payee_name }) => !payee_name?.includes('Balance'));
  const transfer = entries(it).find((row) => row.transfer_transaction_id !== null && row.amount < 0);
  if (!first || !second || !third || !transfer) throw expect.unreachable();
  return { first, second, third, transfer };
};

/** Some transactions that were compared with the bank, with the other side of a transfer, and one that was not. */
async function reconciled() {
  const it = await household();
  const { first, second, third, transfer } = byKind(it);
  const mark = (id: string | null, cleared: 'reconciled' | 'cleared') =>
    it.ledger.commit((books) => updateTransaction(books, id ?? '', { cleared }));
  for (const { id } of [first, second, transfer]) mark(id, 'reconciled');
  mark(transfer.transfer_transaction_id, 'reconciled');
  mark(third.id, 'cleared');
  await it.call('refresh_budget');
  const other = it.ledger.accounts().find(({ id }) => id !== first.account_id) ?? expect.unreachable();
  /** By the name of the account. */
  const balances = () => {
    const names = new Map(it.ledger.accounts().map(({ id, name }) => [id, name]));
    const sums = new Map<string, number>();
    for (const { account_id, amount, cleared } of entries(it)) {
      const name = names.get(account_id) ?? '';
      sums.set(name, (sums.get(name) ?? 0) + (cleared === 'reconciled' ? amount : 0));
    }
    return sums;
  };
  return { ...it, first, second, third, transfer, other, balances };
}

type Reconciled = Awaited<ReturnType<typeof reconciled>>;

const writes: [string, string, (it: Reconciled) => object][] = [
  ['another amount', 'update_transaction', ({ first: { id } }) => ({ transaction_id: id, amount: -1.25 })],
  [
    'another account',
    'update_transaction',
    ({ first: { id }, other }) => ({ transaction_id: id, account_id: other.id }),
  ],
  ['a deletion', 'delete_transaction', ({ first: { id } }) => ({ transaction_id: id })],
  [
    'another amount of a transfer',
    'update_transaction',
    ({ transfer: { id } }) => ({ transaction_id: id, amount: -1.25 }),
  ],
  ['the deletion of a transfer', 'delete_transaction', ({ transfer: { id } }) => ({ transaction_id: id })],
  [
    'several changes at once',
    'update_transactions',
    ({ first, second, third }) => ({
      transactions: [
        { id: first.id, amount: -1.25 },
        { id: second.id, cleared: 'cleared' },
        { id: third.id, amount: -2 },
      ],
    }),
  ],
  [
    'an entry that is reconciled at once',
    'create_transactions',
    ({ other }) => ({
      transactions: [{ account_id: other.id, date: '2026-11-20', amount: -5, cleared: 'reconciled' }],
    }),
  ],
];

it.each(writes)(
  '%s says, before and after and when it is undone, whose reconciled balance moves by how much',
  async (what, tool, args) => {
    const it = await reconciled();
    const said = (text: string, verb: string) =>
      [
        ...text.matchAll(
          /The reconciled balance of account "([^"]+)"(?: \(\w+\))?, which was compared with the bank, (has moved|would move) by (\S+)\.$/gm,
        ),
      ]
        .map(([, name, how, amount]) => [name, how === verb, amount])
        .sort();
    const before = it.balances();
    const moved = (sign: 1 | -1) => {
      const now = it.balances();
      return [...now]
        .map(([name, balance]) => [name, balance - (before.get(name) ?? 0)] as const)
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]) => [name, true, ((sign * amount) / 1_000).toFixed(2)])
        .sort();
    };
    const write = { ...args(it) };
    const shown = await it.done(tool, { ...write, dry_run: true });
    const text = await it.done(tool, write);
    expect(moved(1)).not.toEqual([]);
    expect([said(shown, 'would move'), said(text, 'has moved')]).toEqual([moved(1), moved(1)]);
    const expected = moved(-1);
    const undoing = await it.done('undo', { dry_run: true });
    const undone = await it.done('undo');
    expect(said(undone, 'has moved')).toEqual(expected);
    // What only the other side of a deleted transfer had is entered after the transfer.
    const isFollowed = what === 'the deletion of a transfer';
    expect(said(undoing, 'would move')).toEqual(
      expected.filter(([name]) => !isFollowed || name === 'Checking'),
    );
  },
);

it('a write that leaves all reconciled balances as they are says nothing of them', async () => {
  const { done, first, third } = await reconciled();
  for (const change of [
    { transaction_id: first.id, memo: 'x' },
    { transaction_id: third.id, amount: -3 },
  ])
    expect(await done('update_transaction', change)).not.toContain('reconciled balance');
});
