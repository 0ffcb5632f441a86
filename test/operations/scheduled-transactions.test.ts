/** Planned transactions: their list, and updates that name only what changes. */
import { expect, it } from 'vitest';
import { listScheduledTransactions } from '../../src/operations/scheduled-transactions.ts';
import { addScheduled, updateScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import { callOperation } from '../call-operation.helper.ts';
import { UNANSWERED } from '../faulty-proxy.helper.ts';
import { startMoving } from '../features/moving.helper.ts';
import { type Household, household } from '../features/writing-household.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

const rent = ({ ledger }: Household) => {
  const [row] = ledger.scheduledTransactions(undefined).filter(({ frequency }) => frequency === 'monthly');
  return row ?? expect.unreachable();
};
const update = 'update_scheduled_transaction';

it('all are sorted by their next date and by id, from the service and from a cached budget', async () => {
  const { connect, service, ledger } = await startHolding();
  const [account_id = ''] = ledger.accounts().map(({ id }) => id);
  for (const date of ['2026-12-31', '2026-12-01', '2026-12-01', '2026-12-24'])
    ledger.commit((books) => addScheduled(books, { account_id, date, amount: -1_000 }));
  for (const cacheBytes of [0, 2 ** 26]) {
    const client = connect(service.accessToken, { cacheBytes });
    const { data } = await callOperation(client, listScheduledTransactions, {});
    const keys = data.scheduled_transactions.map(({ date_next, id }) => `${date_next} ${id}`);
    expect(keys.length).toBeGreaterThanOrEqual(4);
    expect(keys).toEqual(keys.toSorted());
  }
});

it('an update of the amount keeps all other fields, also the day that another person has just set', async () => {
  const it = await household();
  const before = rent(it);
  it.ledger.commit((books) => updateScheduled(books, before.id, { date: '2026-12-24' }));
  const moved = it.ledger.scheduledTransaction(before.id);
  const text = await it.done(update, { scheduled_transaction_id: before.id, amount: -12.34 });
  expect(text).toContain('-12.34');
  expect(it.ledger.scheduledTransaction(before.id)).toEqual({ ...moved, amount: -12_340 });
});

it('an update without the account or the day costs one request more than one with both', async () => {
  const it = await household();
  const { id, account_id, date_next: date } = rent(it);
  const requestsFor = async (args: object) => {
    await it.done(update, { scheduled_transaction_id: id, ...args });
    return it.asked().length;
  };
  const whole = await requestsFor({ account_id, date, amount: -1 });
  expect(await requestsFor({ amount: -2 })).toBe(whole + 1);
  expect(await requestsFor({ account_id, amount: -3 })).toBe(whole + 1);
});

it('a dry run of an amount alone needs no account and no day either', async () => {
  const it = await household();
  const { id } = rent(it);
  const text = await it.done(update, { scheduled_transaction_id: id, amount: -12.34, dry_run: true });
  expect(text).toContain('no problem was found');
  expect(rent(it).amount).not.toBe(-12_340);
});

it('undo of an amount keeps the day that another person has set since then', async () => {
  const it = await household();
  const before = rent(it);
  await it.done(update, { scheduled_transaction_id: before.id, amount: -12.34 });
  it.ledger.commit((books) => updateScheduled(books, before.id, { date: '2026-12-24' }));
  await it.done('undo');
  expect(rent(it)).toMatchObject({ id: before.id, amount: before.amount, date_next: '2026-12-24' });
});

it('an update of one that does not exist is refused with the words of the service', async () => {
  const it = await household();
  const { id } = rent(it);
  const missing = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const { isError, text } = await it.call(update, { scheduled_transaction_id: missing, amount: -1 });
  expect(isError).toBe(true);
  expect(text).toContain('This call changed nothing.');
  expect(text).toContain('The scheduled transaction does not exist.');
});

it('an update of the amount alone is found when its response was lost', async () => {
  const { ledger, faults, call } = await startMoving();
  const [row] = ledger.scheduledTransactions(undefined).filter(({ frequency }) => frequency === 'monthly');
  faults.writes.push(UNANSWERED);
  const { text, isError } = await call(update, { scheduled_transaction_id: row?.id, amount: -12.34 });
  expect(isError, text).toBe(false);
  expect(text).toContain('the service did not confirm it, but the budget shows the change');
  expect(ledger.scheduledTransaction(row?.id ?? '')).toEqual({ ...row, amount: -12_340 });
});
