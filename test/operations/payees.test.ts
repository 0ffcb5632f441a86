/** The answer to the renaming of a payee. */
import { expect, it } from 'vitest';
import { household } from '../features/writing-household.helper.ts';

it('after the renaming of a payee to the name of another one, the answer says that there are two of that name', async () => {
  const it = await household();
  await it.done('create_payee', { name: 'Bicycle shop' });
  const TWO = 'there are now two payees of one name, each with its own transactions.';
  const renamed = { payee_id: 'Bicycle shop', name: 'Bicycle store' };
  expect(await it.done('update_payee', renamed)).not.toContain(TWO);
  const [payee] = it.ledger.payees().filter(({ name }) => name === 'Greenleaf Market');
  expect(await it.done('update_payee', { payee_id: 'Bicycle store', name: payee?.name })).toContain(TWO);
  const named = it.ledger.payees().filter(({ name }) => name === payee?.name);
  expect(named).toHaveLength(2);
});
