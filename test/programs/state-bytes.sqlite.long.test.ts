/** Everything that lies on the disk after a conversation is searched for what the budget contains. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../store/sqlite.helper.ts';
import { pidOf, startSharing, stateOf } from './sharing-programs.helper.ts';
import { databasesOf, filesOf } from './state-files.helper.ts';

/** Shorter texts and smaller numbers occur in sealed, and so random, bytes too. */
const MIN_TEXT_BYTES = 5;
const MIN_NUMBER = 2 ** 24;

type Ledger = Awaited<ReturnType<typeof startSharing>>['ledger'];

function namesIn(ledger: Ledger): string[] {
  const groups = ledger.categoryGroups();
  const transactions = ledger.transactions(undefined);
  const scheduled = ledger.scheduledTransactions();
  const named = [ledger.accounts(), ledger.payees(), groups, groups.flatMap(({ categories }) => categories)];
  const rows = [...transactions, ...scheduled];
  const memos = [
    ...rows,
    ...rows.flatMap((row): readonly { memo: string | null }[] => row.subtransactions),
  ].map(({ memo }) => memo);
  const notes = [...ledger.accounts(), ...groups.flatMap(({ categories }) => categories)].map(
    ({ note }) => note,
  );
  const ids = [ledger.id, ...rows.map(({ id }) => id)];
  const names = [...named.flat().map(({ name }) => name), ...memos, ...notes, ...ids, ledger.summary().name];
  return [...new Set(names.filter((name) => typeof name === 'string'))].filter(
    (name) => Buffer.byteLength(name) >= MIN_TEXT_BYTES,
  );
}

function amountsIn(ledger: Ledger): number[] {
  const accounts = ledger.accounts().flatMap(({ balance, cleared_balance }) => [balance, cleared_balance]);
  const rows = [...ledger.transactions(undefined), ...ledger.scheduledTransactions()];
  const months = ledger.categoryGroups().flatMap(({ categories }) => categories);
  const inMonths = months.flatMap(({ balance, budgeted, activity }) => [balance, budgeted, activity]);
  return [...new Set([...accounts, ...rows.map(({ amount }) => amount), ...inMonths])];
}

/** Each text as the bytes of a file may have it. */
const textBytes = (text: string) => [
  Buffer.from(text),
  Buffer.from(text, 'utf16le'),
  Buffer.from(JSON.stringify(text).slice(1, -1)),
  Buffer.from(
    Buffer.from(text)
      .toString('base64')
      .replace(/..?=*$/, ''),
  ),
];

function numberBytes(number: number): Buffer[] {
  const forms = Array.from({ length: 4 }, () => Buffer.alloc(8));
  const [small, big, smallFloat, bigFloat] = forms;
  small?.writeBigInt64LE(BigInt(number));
  big?.writeBigInt64BE(BigInt(number));
  smallFloat?.writeDoubleLE(number);
  bigFloat?.writeDoubleBE(number);
  return forms;
}

function found(content: Buffer, ledger: Ledger): string[] {
  const texts = namesIn(ledger).filter((name) => textBytes(name).some((bytes) => content.includes(bytes)));
  const amounts = amountsIn(ledger);
  const asText = amounts
    .flatMap((amount) => [String(amount), (amount / 1_000).toFixed(2)])
    .filter((text) => text.length > MIN_TEXT_BYTES && content.includes(text));
  const asNumber = amounts.filter(
    (amount) =>
      Math.abs(amount) >= MIN_NUMBER && numberBytes(amount).some((bytes) => content.includes(bytes)),
  );
  return [...texts, ...asText, ...asNumber.map(String)];
}

describe.skipIf(!sqlite)('the files of a shared state', () => {
  test('have no name, memo, id or amount in the clear, after reads, writes, a kill and damage', async () => {
    const { start, directory, clock, ledger, log, service } = await startSharing();
    const [one, other] = [await start(), await start()];
    const calls = [
      [one, 'find_transactions', { text: 'market' }],
      [other, 'list_transactions', {}],
      [one, 'check_month', {}],
      [one, 'move_budgeted', { from: 'Emergency Fund', to: 'Hobbies', amount: 12.34 }],
      [other, 'create_payee', { name: 'A new payee of the household' }],
      [
        other,
        'create_scheduled_transaction',
        { account_id: 'Checking', date: '2027-02-01', amount: -98_765.43, memo: 'planned memo' },
      ],
      [one, 'list_recurring', {}],
      [other, 'undo', {}],
    ] as const;
    for (const [host, tool, args] of calls) {
      const { isError, text } = await clock.passing(host.call(tool, args));
      expect(isError, `${tool}: ${text}`).toBe(false);
    }
    await log(one, 'a memo of the killed one');
    // As the disk is after a crash, with everything that SQLite keeps beside the file.
    for (const host of [one, other]) process.kill(pidOf(host), 'SIGKILL');
    const search = () => {
      const files = filesOf(directory);
      for (const path of files) {
        expect([path, found(Buffer.from(path), ledger)]).toEqual([path, []]);
        expect([path, found(readFileSync(path), ledger)]).toEqual([path, []]);
        expect(readFileSync(path).includes(service.accessToken)).toBe(false);
      }
      return files.map((path) => path.slice(path.lastIndexOf('.')));
    };
    expect(search()).toEqual(expect.arrayContaining(['.db', '.db-wal', '.db-shm', '.lock']));

    const next = await start();
    expect(await stateOf(next)).toEqual({ shared: true });
    search();
    await next.close();
    const [path = expect.unreachable()] = databasesOf(directory);
    // The first page only: the values stay.
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(1_000), 0, 1_000, 0);
    closeSync(file);
    await start();
    expect(search()).toContain('.unusable');
  });

  test('are searched for what there is: the same search finds it in an export', async () => {
    const { ledger } = await startSharing();
    const all = Buffer.from(JSON.stringify(ledger.detail()));
    const names = namesIn(ledger);
    expect(names.length).toBeGreaterThan(300);
    expect(found(all, ledger)).toEqual(expect.arrayContaining(names));
    for (const amount of amountsIn(ledger).filter((each) => Math.abs(each) >= MIN_NUMBER))
      for (const bytes of numberBytes(amount)) expect(found(bytes, ledger)).toContain(String(amount));
  });

  test('have values only as bytes: no column has a text, and none a number but that of a line', async () => {
    const { start, directory, log } = await startSharing();
    await log(await start(), 'memo');
    const [path = expect.unreachable()] = databasesOf(directory);
    const database = sqlite?.(path, { readOnly: true });
    const types = (columns: string, table: string) =>
      database
        ?.prepare(`SELECT DISTINCT ${columns} FROM ${table}`)
        .all()
        .map((row) => ({ ...Object(row) }));
    expect(types('typeof(name) AS name, typeof(value) AS value', 'records')).toEqual([
      { name: 'blob', value: 'blob' },
    ]);
    expect(types('typeof(number) AS number, typeof(log) AS log, typeof(value) AS value', 'entries')).toEqual([
      { number: 'integer', log: 'blob', value: 'blob' },
    ]);
    database?.close();
  });
});
