import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { statementFilesIn } from '../../../src/app/compose/statement-folder.ts';
import { viewData } from '../../../src/features/view-data.ts';
import { createAccount } from '../../../src/service/ledger/accounts.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { createTransactions } from '../../../src/service/writes/create-transactions.ts';
import { startToReconcile } from '../account-to-reconcile.helper.ts';
import { contentOf } from '../with-view.helper.ts';

const CSV = `Date,Payee,Amount
2026-11-03,Corner Cafe 4711,-3.10
2026-11-04,Corner Cafe 4711,-3.10
2026-11-04,Corner Cafe 4711,-3.10
2026-11-13,Hidden Tailor,-47.83
2026-11-14,Secret Employer,1234.56
`;
/** The dates and the texts of rows, and their amounts. */
const ROWS = /11-04|11-13|Corner|Tailor|Employer|3\.10|47\.83|1234\.56/;

async function start(files: Record<string, string> = { 'november.csv': CSV }) {
  const folder = mkdtempSync(join(tmpdir(), 'statements-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const started = await startToReconcile({ statementFiles: () => statementFilesIn(folder) });
  const call = await started.connectHost();
  const entered = () =>
    started.ledger
      .transactions(undefined)
      .filter(({ account_id, deleted }) => account_id === started.account.id && !deleted)
      .filter(({ date }) => date > '2026-10-01');
  return { ...started, folder, call, entered };
}

const byDate = <Row extends { readonly date: string; readonly amount: number }>(rows: readonly Row[]) =>
  rows.map(({ date, amount }) => `${date} ${amount}`).toSorted();

it('what is missing of a statement is entered as cleared, and nothing twice, however often it is asked for', async () => {
  const { call, enter, entered } = await start();
  enter({ amount: -47_830, date: '2026-11-12' });
  for (let round = 0; round < 3; round += 1) await call('enter_statement', { statement: 'november.csv' });
  expect(byDate(entered())).toEqual([
    '2026-11-03 -3100',
    '2026-11-04 -3100',
    '2026-11-04 -3100',
    '2026-11-12 -47830',
    '2026-11-14 1234560',
  ]);
  const { text, isError } = await call('enter_statement', { statement: 'november.csv' });
  expect(isError).toBe(false);
  expect(text).toContain('Nothing is left to enter.');
});

it('another export of the same time enters only what the first one lacks', async () => {
  const other = `Buchungstag;Betrag;Empfänger\n${['04.11.2026;-3,10', '04.11.2026;-3,10', '12.11.2026;-3,10', '13.11.2026;-47,83'].map((row) => `${row};Other text`).join('\n')}`;
  const { call, entered } = await start({ 'november.csv': CSV, 'other.csv': other });
  await call('enter_statement', { statement: 'november.csv' });
  const { text } = await call('enter_statement', { statement: 'other.csv' });
  expect(text).toContain('Entered as cleared: 1.');
  expect(entered()).toHaveLength(6);
});

it.each([
  ['later', ['a.csv', 'b.csv']],
  ['earlier', ['b.csv', 'a.csv']],
])(
  'another export of the same time with each day one %s enters nothing twice',
  async (_, [first, second]) => {
    const file = (...days: number[]) =>
      `Date,Payee,Amount\n${['-3.10', '-47.83', '1234.56'].map((amount, at) => `2026-11-${days[at]},Shop,${amount}`).join('\n')}\n`;
    const { call, entered } = await start({ 'a.csv': file(10, 12, 15), 'b.csv': file(11, 13, 16) });
    await call('enter_statement', { statement: first });
    const { text } = await call('enter_statement', { statement: second });
    expect(text).toContain('or there with another day: 1');
    expect(entered()).toHaveLength(3);
  },
);

it('a file is found by its name, whether an accent is a character of its own or not', async () => {
  const { call, entered } = await start({ ['Umsätze.csv'.normalize('NFD')]: CSV });
  await call('enter_statement', { statement: 'Umsätze.csv'.normalize('NFC') });
  expect(entered()).toHaveLength(5);
});

it('after each undo the same statement is entered again, with import ids that no deleted row had', async () => {
  const { call, entered } = await start();
  const used = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const { text } = await call('enter_statement', { statement: 'november.csv' });
    expect(text).toContain('Entered as cleared: 5.');
    for (const { import_id } of entered()) used.add(String(import_id));
    expect(used.size).toBe((round + 1) * 5);
    await call('undo', {});
    expect(entered()).toEqual([]);
  }
});

it('a row that was entered by hand counts as one of its day and amount, also if the app imports the file later', async () => {
  const { call, enter, entered, ledger, account } = await start();
  enter({ amount: -3_100, date: '2026-11-04' });
  const { text } = await call('enter_statement', { statement: 'november.csv' });
  expect(text).toContain('Entered as cleared: 4.');
  const rows = byDate(entered());
  const numbered = rows.map((row, index) => {
    const [date = '', amount] = row.split(' ');
    const number = rows.slice(0, index + 1).filter((each) => each === row).length;
    return {
      account_id: account.id,
      date,
      amount: Number(amount),
      import_id: `YNAB:${amount}:${date}:${number}`,
    };
  });
  ledger.commit((books) => createTransactions(books, numbered));
  expect(byDate(entered())).toEqual(rows);
});

it.each([
  ['deletes', 1, 21],
  ['writes', 0, 1],
] as const)(
  'with the policy %s, a file with %d rows that has %d by the time of the write is not entered unasked',
  async (confirm, first, then) => {
    const file = (count: number) =>
      `Date,Payee,Amount\n2026-11-02,Known,-9.00\n${Array.from({ length: count }, (_, each) => `2026-11-03,Shop,-${each + 1}.00\n`).join('')}`;
    const { connectHost, altering, enter, entered, folder } = await start({ 'bank.csv': file(first) });
    enter({ amount: -9_000, date: '2026-11-02' });
    const call = await connectHost({ confirm });
    await call('reconcile_account', { balance: 1 });
    altering.answer = (_, body) => {
      writeFileSync(join(folder, 'bank.csv'), file(then));
      return body;
    };
    const { text } = await call('enter_statement', { statement: 'bank.csv' });
    expect(text).toContain('what this would write has changed since it was planned');
    expect(entered()).toHaveLength(1);
    expect((await call('enter_statement', { statement: 'bank.csv' })).text).toMatch(/confirm/);
    expect(entered()).toHaveLength(1);
  },
);

it('consent to the rows of a file is none to those of another one with its name, however few', async () => {
  const file = (rows: number) =>
    `Date,Payee,Amount\n${Array.from({ length: rows }, (_, at) => `2026-11-0${(at % 9) + 1},Shop,-${at + 1}.00\n`).join('')}`;
  const { connectHost, entered, folder } = await start({ 'a.csv': file(60) });
  const call = await connectHost({ confirm: 'deletes' });
  const given = { statement: 'a.csv' };
  await call('enter_statement', { ...given, dry_run: true });
  writeFileSync(join(folder, 'a.csv'), 'Date,Payee,Amount\n2026-11-10,Other,-99.00\n');
  const asked = await call('enter_statement', { ...given, confirm: true });
  expect([asked.isError, entered()], asked.text).toEqual([true, []]);
  expect(asked.text).toContain('To be entered as cleared: 1, sum -99,00€.');
  const { text } = await call('enter_statement', { ...given, confirm: true });
  expect(text).toContain('Entered as cleared: 1.');
});

it('no answer has a row of the file', async () => {
  const { call } = await start();
  const texts = [
    await call('list_statements', { account: undefined }),
    await call('reconcile_account', { statement: 'november.csv', balance: 2_000 }),
    await call('enter_statement', { statement: 'november.csv', dry_run: true }),
    await call('apply_reconciliation', { enter: true, dry_run: true }),
    await call('enter_statement', { statement: 'november.csv' }),
    await call('list_writes', { account: undefined }),
    await call('undo', { account: undefined, dry_run: true }),
    await call('undo', { account: undefined }),
    await call('list_writes', { account: undefined }),
  ].map(({ text }) => text);
  expect(texts[0]).toContain('"november.csv" · CSV · 5 rows from 2026-11-03 to 2026-11-14');
  expect(texts[1]).toContain(
    'The list has 5 rows from 2026-11-03 to 2026-11-14: in the account 0 (not cleared 0), missing 5.',
  );
  expect(texts[2]).toContain('To be entered as cleared: 5');
  for (const text of texts.slice(5, 8))
    expect(text).toContain('deletes 5 transactions of "Giro", sum 1177.43');
  const [, write] = /(\w+) · \S+ · undo · /.exec(texts[8] ?? '') ?? [];
  texts.push((await call('undo', { account: undefined, write })).text);
  expect(texts[9]).toContain('enters again 5 transactions of "Giro", sum 1177.43');
  for (const text of texts) expect(text.replaceAll('2026-11-14', '')).not.toMatch(ROWS);
});

it('what was changed since it was entered is named by its id when the statement is taken back', async () => {
  const { call, change, entered, clock } = await start();
  await call('enter_statement', { statement: 'november.csv' });
  clock.advance(60_000);
  const { id } = entered().find(({ amount }) => amount === -47_830) ?? expect.unreachable();
  change(id, { memo: 'mine', approved: true });
  const { text, isError } = await call('undo', { account: undefined });
  expect(isError).toBe(true);
  expect(text).toMatch(/transaction \(\w+\) has been changed since: memo, approved/);
  expect(text).not.toMatch(ROWS);
});

it('a file that can be read in two ways is not entered before the user has chosen', async () => {
  const { call } = await start({ 'bank.csv': 'Date,Payee,Amount\n03/04/2026,Shop,-1.00' });
  const { text, isError } = await call('enter_statement', { statement: 'bank.csv' });
  expect(isError).toBe(true);
  expect(text).toContain('"bank.csv (day first)" · "03/04/2026" is 2026-04-03');
});

it('amounts are read as the currency of the budget can have them', async () => {
  const { call, entered } = await start({
    'bank.csv': 'Date;Payee;Amount\n2026-11-03;Shop;-1.234\n2026-11-04;Bus;-2.500',
  });
  await call('enter_statement', { statement: 'bank.csv' });
  expect(byDate(entered())).toEqual(['2026-11-03 -1234000', '2026-11-04 -2500000']);
});

it('what is left out of a file or comes after today is said where it is compared, planned and entered', async () => {
  const { call, entered } = await start({
    'bank.qif': '!Type:Bank\nD2026-11-03\nT-1.00\n^\nD2026-11-04\n^\nD2026-11-30\nT-2.00\n^\n',
  });
  const statement = 'bank.qif';
  for (const { text, isError } of [
    await call('reconcile_account', { statement }),
    await call('enter_statement', { dry_run: true }),
    await call('enter_statement', { statement, dry_run: true }),
    await call('enter_statement', { statement }),
    await call('enter_statement', { statement }),
  ]) {
    expect(isError).toBe(false);
    expect(text).toContain('1 rows after 2026-11-21 were not compared.');
    expect(text).toContain('Left out of the file: 1 line without a readable date or amount, or not booked.');
  }
  expect(byDate(entered())).toEqual(['2026-11-03 -1000']);
});

it('a host without a folder and views has no list_statements and is not sent to it, and a pasted table goes the way of a file', async () => {
  const { connectHost, entered } = await start({});
  const call = await connectHost({ hasStatements: false });
  await expect(call('list_statements', { account: undefined })).rejects.toThrow(/disabled/);
  const refused = await call('enter_statement', { statement: 'november.csv' });
  expect(refused.text).toContain('There are: none, but a list of the bank can be pasted as table.');
  const table = 'Day\tShop\tAmount\n03/04/2026\tCorner Cafe\t-1.00\n05/04/2026\tBakery\t-2.00\n';
  const asked = await call('reconcile_account', { table });
  expect(asked.text).toContain(
    'ask the user which, and give it beside the table: "table (day first)" · "03/04/2026" is 2026-04-03; "table (month first)"',
  );
  const compared = await call('reconcile_account', { table, statement: 'table (day first)' });
  expect(compared.text).toContain('2026-04-03 · -1.00 · "Corner Cafe"');
  const { text } = await call('enter_statement', { table, statement: 'table (day first)' });
  expect(text).toContain('Entered as cleared: 2.');
  expect((await call('enter_statement', { table })).text).toContain(
    'Read as "table (day first)", as you said',
  );
  expect(entered()).toEqual([]);
});

it('a pasted table with the bars of a text is read', async () => {
  const { call, entered } = await start({});
  const table =
    '| Date | Payee | Amount |\n|---|---|---:|\n| 2026-11-03 | Cafe | -1.00 |\n| 2026-11-04 | Bus | -2.50 |';
  await call('enter_statement', { table });
  expect(byDate(entered())).toEqual(['2026-11-03 -1000', '2026-11-04 -2500']);
});

it('rows get the payee and the category that earlier rows of their text had, and the answer says what is left to look at', async () => {
  const { call, enterAll, entered, ledger } = await start();
  const [category] = [...ledger.state.categories.values()].filter(
    ({ role, hidden }) => role.kind === 'envelope' && !hidden,
  );
  const payee = ledger.commit((books) => createPayee(books, 'The Cafe').id);
  const earlier = { date: '2026-09-01', memo: 'Corner Cafe 4711', payee_id: payee };
  enterAll(
    Array.from({ length: 3 }, () => ({ ...earlier, amount: -2_000, category_id: category?.id ?? null })),
  );
  const { text } = await call('enter_statement', { statement: 'november.csv' });
  expect(text).toMatch(
    /3 have a payee, as given or as earlier rows, and 3 a category\. Without one, for the user to look at: 2 \(\w+, \w+\)/,
  );
  expect(
    entered()
      .map(({ payee_name, category_name, memo }) => `${payee_name} ${category_name} ${memo}`)
      .toSorted(),
  ).toEqual([
    ...Array(3).fill(`The Cafe ${category?.name} null`),
    ...['null null Hidden Tailor', 'null null Secret Employer'],
  ]);
  expect(text).not.toMatch(ROWS);
});

const CARD = ['5.10', '61.20', '7.30', '8.40'];
const turned = `Date,Payee,Amount\n${CARD.map((amount, day) => `2026-11-1${day},Shop ${day},${amount}`).join('\n')}\n2026-11-15,Payment,-300.00`;

it('signs the other way round are recognised by what the account has', async () => {
  const { call, enterAll, entered } = await start({ 'card.csv': turned });
  enterAll(
    CARD.slice(1).map((amount, day) => ({ amount: -Number(amount) * 1_000, date: `2026-11-1${day + 1}` })),
  );
  await call('enter_statement', { statement: 'card.csv' });
  expect(byDate(entered()).slice(0, 1)).toEqual(['2026-11-10 -5100']);
  expect(byDate(entered())).toContain('2026-11-15 300000');
});

const NEXT = 'Date,Payee,Amount\n2026-11-17,Shop 8,9.10\n2026-11-18,Payment,-20.00';

async function startWithCard() {
  const started = await start({ 'card.csv': turned, 'next.csv': NEXT });
  started.ledger.commit((books) =>
    createAccount(books, { name: 'Card', type: 'creditCard', balance: 0, date: '2026-10-01' }),
  );
  const call = await started.connectHost();
  return (name: string, args: object = {}) => call(name, { account: 'Card', ...args });
}

it('which amounts of a card were spent is asked where nothing decides it, without a row', async () => {
  const call = await startWithCard();
  const { text, isError } = await call('enter_statement', { statement: 'card.csv' });
  expect(isError).toBe(true);
  expect(text).toContain(
    'ask the user which: "card.csv (signs as written)" · 1 row spent, 4 received; "card.csv (signs turned)" · 4 rows spent, 1 received',
  );
  const chosen = { statement: 'card.csv (signs turned)' };
  expect((await call('enter_statement', chosen)).text).toContain('Entered as cleared: 5.');
  // By now the account decides it.
  const again = await call('enter_statement', { statement: 'card.csv' });
  expect(again.text).toContain('Nothing is left to enter.');
  expect(again.text).not.toContain('as you said');
});

it.each([
  ['enter_statement', {}],
  ['apply_reconciliation', { enter: true }],
])(
  'how a file is read is not asked again for the account and its kind, once rows were entered so by %s',
  async (tool, more) => {
    const call = await startWithCard();
    const isAsked = async () =>
      (await call('enter_statement', { statement: 'next.csv', dry_run: true })).isError;
    await call('reconcile_account', { statement: 'card.csv (signs turned)' });
    expect(await isAsked()).toBe(true);
    expect((await call(tool, more)).isError).toBe(false);
    const readAs = 'Read as "next.csv (signs turned)", as you said before.';
    expect((await call('reconcile_account', { statement: 'next.csv' })).text).toContain(readAs);
    expect((await call('list_statements', { account: undefined })).text).toMatch(
      /"next.csv" .* as you said before: "next.csv \(signs turned\)"/,
    );
    expect((await call('enter_statement', { account: 'Giro', statement: 'next.csv' })).text).not.toContain(
      'as you said',
    );
    const forget = async (dry_run: boolean) =>
      (await call('enter_statement', { statement: 'next.csv', forget: true, dry_run })).isError;
    expect([await forget(true), await isAsked()]).toEqual([true, false]);
    expect([await forget(false), await isAsked()]).toEqual([true, true]);
    await call('enter_statement', { statement: 'next.csv (signs turned)' });
    expect(await isAsked()).toBe(false);
  },
);

it('the rows of the file are in the data of the views, where no model reads them', async () => {
  const { connectHost, enter } = await start();
  enter({ amount: -47_830, date: '2026-11-12', memo: 'mine' });
  enter({ amount: -1_000, date: '2026-11-05' });
  const call = await connectHost({ readView: async () => '' });
  const compared = await call('reconcile_account', { statement: 'november.csv' });
  const { rows, payees, ...content } = contentOf(viewData.parse(compared.view), 'transactions');
  expect(content).toMatchObject({
    title: 'Giro',
    total: 6,
    conditions: [{ value: 'november.csv' }, { value: '4' }],
  });
  expect(
    rows.map(({ date, amount, payee = -1, marks = [] }) => [date, amount, payees[payee]?.name, ...marks]),
  ).toEqual([
    ['2026-11-14', 1_234_560, 'Secret Employer', 'missing_in_account'],
    ['2026-11-13', -47_830, 'Hidden Tailor', 'uncleared'],
    ['2026-11-05', -1_000, undefined, 'not_at_bank'],
    ['2026-11-04', -3_100, 'Corner Cafe 4711', 'missing_in_account'],
    ['2026-11-04', -3_100, 'Corner Cafe 4711', 'missing_in_account'],
    ['2026-11-03', -3_100, 'Corner Cafe 4711', 'missing_in_account'],
  ]);
  for (const [dry_run, state] of [
    [true, 'preview'],
    [false, 'written'],
  ] as const) {
    const { view, text } = await call('enter_statement', { statement: 'november.csv', dry_run });
    expect(contentOf(viewData.parse(view), 'write')).toMatchObject({ state, changes: { length: 4 } });
    expect(JSON.stringify(view)).toContain('Secret Employer');
    expect(text).not.toMatch(ROWS);
  }
});

it('the file of another account does not turn its signs, although transfers are in both', async () => {
  const file = `Date,Payee,Amount\n${[100, 250, 75].map((amount, day) => `2026-11-1${day},From Giro,${amount}.00`).join('\n')}\n2026-11-15,Fee,-1.00\n`;
  const { call, enterAll, entered, ledger } = await start({ 'savings.csv': file });
  const savings = ledger.commit((books) =>
    createAccount(books, { name: 'Spar', type: 'savings', balance: 0, date: '2026-10-01' }),
  );
  const { id: payee_id } = [...ledger.state.payees.values()].find(
    ({ transfer_account_id }) => transfer_account_id === savings.id,
  ) ?? { id: null };
  enterAll(
    [100, 250, 75].map((amount, day) => ({ amount: -amount * 1_000, date: `2026-11-1${day}`, payee_id })),
  );
  await call('enter_statement', { statement: 'savings.csv' });
  expect(byDate(entered())).toContain('2026-11-15 -1000');
});
