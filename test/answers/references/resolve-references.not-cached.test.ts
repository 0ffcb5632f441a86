import { expect, it } from 'vitest';
import { started, today } from './resolving.helper.ts';

it('names are looked up in the lists, one request for each kind', async () => {
  const { call, account, category, asked, ledger } = await started({ cacheBytes: 0 });
  const { isError } = await call('create_transactions', {
    transactions: [
      { account_id: 'wallet', date: today, amount: -1, category_id: 'groceries', memo: 'Proof' },
    ],
  });
  expect(isError).toBe(false);
  expect(asked().slice(0, 3).toSorted()).toEqual(['budgets', 'home/accounts', 'home/categories']);
  expect(ledger.transactions(undefined).find(({ memo }) => memo === 'Proof')).toMatchObject({
    account_id: account('Wallet').id,
    category_id: category('Groceries').id,
  });
});

it('a full id needs no lookup, and an abbreviated id of what no list is read for is refused without a request', async () => {
  const { call, newest, asked } = await started({ cacheBytes: 0 });
  const { id } = newest();
  expect((await call('get_transaction', { transaction_id: id })).isError).toBe(false);
  expect(asked()).toEqual(['budgets', `home/transactions/${id}`]);
  for (const kind of ['transaction', 'scheduled_transaction', 'payee_location']) {
    const { text } = await call(`get_${kind}`, { [`${kind}_id`]: id.slice(0, 8) });
    expect(text).toContain('has to be a full id, because the budget is not cached');
  }
  expect(asked()).toEqual([]);
});

it.each([
  [{ payee_name: 'Florist' }, [], { payee_name: 'Florist' }],
  [{ payee_name: 'transfer: savings' }, ['accounts', 'payees'], { payee_name: 'Transfer : Savings' }],
  [{ payee_id: 'harvest hall' }, ['payees'], { payee_name: 'Harvest Hall' }],
  [{ category_id: 'everyday: clothing' }, ['categories'], { category_name: 'Clothing' }],
])('the lists that %j needs are read, and no others', async (change, lists, expected) => {
  const { call, asked, ledger } = await started({ cacheBytes: 0 });
  // The first write reads a list in any case.
  await call('list_accounts', {});
  asked();
  const { id } =
    ledger.transactions(undefined).find((row) => row.transfer_account_id === null) ?? expect.unreachable();
  expect(await call('update_transactions', { transactions: [{ id, ...change }] })).toMatchObject({
    isError: false,
  });
  const read = asked().flatMap((path) => /^home\/(accounts|categories|payees)$/.exec(path)?.[1] ?? []);
  expect(read.toSorted()).toEqual(lists);
  expect(ledger.transaction(id)).toMatchObject(expected);
});

it('a category group that is unknown lists the nearest of the service', async () => {
  const { call } = await started({ cacheBytes: 0 });
  const { text } = await call('update_category_group', { category_group_id: 'Everydai', name: 'Daily' });
  expect(text).toContain('category_group_id: there is no category group "Everydai", nearest: "Everyday" (');
});
