import { expect, it } from 'vitest';
import { startedAltered } from '../altered-service.helper.ts';

const YEN = { iso_code: 'JPY', decimal_digits: 0, example_format: '¥1,234', currency_symbol: '¥' };

/** A budget whose name and currency are changed in the app by `change`. */
async function started() {
  let changed: { readonly name: string; readonly currency: object } | undefined;
  const all = await startedAltered((row) =>
    changed && 'currency_format' in row && row['id'] === all.ledger.id
      ? {
          ...row,
          name: changed.name,
          currency_format: { ...Object(row['currency_format']), ...changed.currency },
        }
      : row,
  );
  const change = (name: string, currency = {}) => {
    changed = { name, currency };
    all.clock.advance(60_000);
  };
  return { ...all, change };
}

const write = { transactions: [{ account_id: 'Wallet', date: 'today', amount: -4.5 }], dry_run: true };

it('the name and the currency of a budget are those of the app, in every answer', async () => {
  const { say, change } = await started();
  expect((await say('list_accounts')).text).toContain('Budget "Household" (EUR)');
  change('Home', YEN);
  const { text } = await say('list_accounts');
  expect(text).toContain('Budget "Home" (JPY)');
  expect(text).toMatch(/"Savings" · savings · balance \d+ ·|"Savings" · savings · balance \d+\n/);
  expect((await say('check_month')).text).toMatch(
    /^Budget "Home" \(JPY\) · 2026-11 · to be assigned -?\d+(\.\d{2,3})?\n/,
  );
});

it('after refresh_budget, the name is the new one in the answer to it', async () => {
  const { say, change } = await started();
  await say('list_accounts');
  change('Home');
  expect((await say('refresh_budget', { full: true })).text).toContain('Budget "Home" (EUR) · up to date');
});

it('amounts have as many decimals as the currency that the budget has now', async () => {
  const { say, change } = await started();
  await say('list_accounts');
  expect((await say('create_transactions', write)).text).toContain('Dry run');
  change('Home', YEN);
  await say('list_accounts');
  expect((await say('create_transactions', write)).text).toContain('has more decimals than JPY takes (0)');
  change('Home');
  expect((await say('create_transactions', write)).text).toContain('Budget "Home" (EUR)\nDry run');
});
