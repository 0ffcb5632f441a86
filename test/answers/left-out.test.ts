import { expect, it } from 'vitest';
import { startedAltered } from '../altered-service.helper.ts';

const NOT_KNOWN = 'Left out of the sums, because this is not known here: ';

/** The amount after `label` in a text. */
const amountAfter = (label: string, text: string) => Number(text.split(label)[1]?.split(' ')[0]);

it('a scheduled transaction whose frequency is not known is in no sum of what is certain, and is named', async () => {
  const plain = await startedAltered((row) => row);
  const odd = await startedAltered((row) =>
    row['frequency'] === 'yearly' ? { ...row, frequency: 'everyFullMoon' } : row,
  );
  const yearly = plain.ledger.scheduledTransactions().filter(({ frequency }) => frequency === 'yearly');
  expect(yearly.length).toBeGreaterThan(0);
  for (const [tool, args, label] of [
    ['forecast', { until: '2027-12' }, 'certain, by what is scheduled: '],
    ['check_month', { month: yearly[0]?.date_next.slice(0, 7) }, 'Scheduled payments to come: '],
  ] as const) {
    const [before, { text }] = [await plain.say(tool, args), await odd.say(tool, args)];
    expect(text, tool).toContain(NOT_KNOWN);
    expect(text, tool).toMatch(/ \(repeats "everyFullMoon" · next \d{4}-\d\d-\d\d · \w+\)/);
    expect(amountAfter(label, text), tool).toBeGreaterThan(amountAfter(label, before.text));
    expect(before.text, tool).not.toContain(NOT_KNOWN);
  }
  // Nothing is left out of a month that ends before its next date.
  expect((await odd.say('check_month')).text).not.toContain(NOT_KNOWN);
});

it('an account of a type that is not known is named where only some types count', async () => {
  const { say, ledger } = await startedAltered((row) =>
    row['type'] === 'savings' ? { ...row, type: 'vault' } : row,
  );
  const [savings] = ledger.accounts().filter(({ type }) => type === 'savings');
  const { text } = await say('forecast');
  expect(text).toContain(`${NOT_KNOWN}account "${savings?.name}" (type "vault")`);
  expect((await say('forecast', { account: [savings?.name] })).text).not.toContain(NOT_KNOWN);
  expect((await say('report', { of: 'income' })).text).not.toContain(NOT_KNOWN);
});

it('debt that an account of a type that is not known was opened with is no income, and the account is named', async () => {
  const { say } = await startedAltered((row) =>
    row['type'] === 'creditCard' ? { ...row, type: 'vault' } : row,
  );
  await say('create_transactions', {
    transactions: [
      { account_id: 'Blue Card', date: 'today', amount: -5, category_id: 'Ready to Assign' },
      { account_id: 'Checking', date: 'today', amount: 7, category_id: 'Ready to Assign' },
    ],
  });
  for (const of of ['income', 'both']) {
    const { text } = await say('report', { of, since: 'today' });
    expect(text).toMatch(/(total|income) 7\.00/);
    expect(text).toContain(`${NOT_KNOWN}account "Blue Card" (type "vault").`);
  }
});

it('a goal of a type that is not known is not underfunded, not funded, and named', async () => {
  const { say } = await startedAltered((row) =>
    row['goal_type'] === 'NEED' ? { ...row, goal_type: 'DREAM', goal_under_funded: 5_000 } : row,
  );
  expect((await say('check_month')).text).toMatch(
    /sums, because this is not known here: category "[^"]+" \(type of goal "DREAM"\)/,
  );
  const { text } = await say('assign_money', { rule: 'fund_goals', dry_run: true });
  expect(text).toMatch(/Not funded, because this type of goal is not known here: "[^"]+" 5\.00/);
});

it('a transaction in a state that is not known is neither cleared nor uncleared for a reconciliation', async () => {
  const { say, ledger } = await startedAltered((row) =>
    row['cleared'] === 'uncleared' ? { ...row, cleared: 'disputed' } : row,
  );
  const card = ledger.accounts().find(({ name }) => name === 'Blue Card');
  const balance = (card?.balance ?? 0) / 1_000;
  const { text } = await say('reconcile_account', { account: 'Blue Card', balance });
  expect(text).toContain('No set of the 0 uncleared transactions makes up the difference.');
  expect(text).toMatch(/not known here: "[^"]+" \(cleared "disputed" · of \d{4}-\d\d-\d\d · \w+\)/);
});
