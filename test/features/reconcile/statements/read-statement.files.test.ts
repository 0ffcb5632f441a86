/**
 * Files of banks of many countries, in all formats, which were not written for our readers. What is in them is read once more here,
 * by plain patterns and the numbers of columns that a person has seen in the file, without our readers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bankEntriesOf } from '../../../../src/features/reconcile/bank-entries.ts';
import { compareWithList, type ListedTransaction } from '../../../../src/features/reconcile/bank-list.ts';
import {
  bothSigns,
  type Statement,
  statementsIn,
} from '../../../../src/features/reconcile/statements/read-statement.ts';
import { sumOf } from '../../../../src/model/sums/sum.ts';

const folder = new URL('files/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.includes('/') && !file.includes('LICENSE'),
);

const listed = (file: string): readonly Statement[] =>
  statementsIn(file.replace(/.*\//, ''), readFileSync(new URL(file, folder)), '2026-11-21').flatMap((each) =>
    (each.openSigns ?? 'signed') === 'signed' ? [each] : bothSigns(each),
  );

/** A date and an amount in thousandths. */
type PlainRow = readonly [date: string, amount: number];

/** Where a table has its rows: the amount in one column, or in one for each direction, or in one whose direction another column says. */
interface Place {
  readonly by: string;
  readonly date: number;
  /** Before the day, and not after it. */
  readonly isMonthFirst?: true;
  readonly amount?: number;
  readonly debit?: number;
  readonly credit?: number;
  readonly outflow?: readonly [column: number, text: string];
  readonly decimal?: ',';
  /** What a line of a row has to match. */
  readonly row?: RegExp;
}

const tables: Readonly<Record<string, Place>> = {
  'bank2ynab/20171001-20171106.csv': { by: ',', date: 0, amount: 6 },
  'bank2ynab/20180226-1000594757-umsatz.CSV': { by: ';', date: 1, amount: 8, decimal: ',' },
  'bank2ynab/2019-03-02_11-50-46_bunq-statement.csv': { by: ',', date: 0, amount: 1, decimal: ',' },
  'bank2ynab/MonzoDataExport_February2018_2018-02-26_174335.csv': { by: ',', date: 1, amount: 2 },
  'bank2ynab/Movements_1234512345_201805271848.csv': { by: ';', date: 0, amount: 13, decimal: ',' },
  'bank2ynab/TransactionHistory_20180418043121.csv': { by: ',', date: 0, debit: 3, credit: 4, row: /^\d/ },
  'bank2ynab/Umsaetze_KtoNr538917600_EUR_02-03-2018_1503.CSV': { by: ';', date: 0, amount: 4, decimal: ',' },
  'bank2ynab/W80844_EBH_201945.202122.csv': { by: ',', date: 0, amount: 6 },
  'bank2ynab/export_BE11123456789012_20180304_1422.csv': { by: ';', date: 5, amount: 8, decimal: ',' },
  'bank2ynab/kta_ei.dat': { by: '|', date: 2, amount: 4 },
  'bank2ynab/test_BOI_TransactionExport.csv': { by: ',', date: 0, debit: 2, credit: 3 },
  'bank2ynab/test_raiffeisen_01.csv': { by: ';', date: 0, amount: 3, decimal: ',' },
  'bank2ynab/test_swedebank_statement.xls': {
    by: ',',
    date: 2,
    amount: 5,
    outflow: [7, 'D'],
    row: /^"LT\d+","20"/,
  },
  'bank2ynab/umsatz-1234________1234-20180227.CSV': { by: ';', date: 1, amount: 6, decimal: ',' },
  'csv2ofx/capitalone.csv': { by: ',', date: 1, debit: 5, credit: 6 },
  'csv2ofx/gls.csv': { by: ';', date: 1, amount: 19, decimal: ',' },
  'csv2ofx/ingesp.csv': { by: ',', date: 0, amount: 6 },
  'csv2ofx/mint.csv': { by: ',', date: 0, isMonthFirst: true, amount: 3, outflow: [4, 'debit'] },
  'csv2ofx/mint_headerless.csv': { by: ',', date: 0, isMonthFirst: true, amount: 3, outflow: [4, 'debit'] },
  'csv2ofx/n26-fr.csv': { by: ',', date: 0, amount: 7 },
  'csv2ofx/outbank.csv': { by: ';', date: 2, isMonthFirst: true, amount: 4, decimal: ',' },
  'csv2ofx/payoneer.csv': { by: ',', date: 0, credit: 5, debit: 6 },
  'csv2ofx/pcmastercard.csv': { by: ',', date: 2, isMonthFirst: true, amount: 4 },
  'csv2ofx/schwab-checking.csv': { by: ',', date: 0, isMonthFirst: true, debit: 5, credit: 6 },
  'csv2ofx/ubs-ch-fr_trimmed.csv': { by: ';', date: 3, debit: 8, credit: 9 },
};

/** Undefined if it is no number. */
function plainAmount(cell = '', decimal = '.'): number | undefined {
  const text = cell
    .replace(/["$ ']/g, '')
    .replaceAll(decimal === '.' ? ',' : '.', '')
    .replace(',', '.');
  return /^[-+]?\d+(\.\d*)?$/.test(text) ? Math.round(Number(text) * 1_000) : undefined;
}

function plainDate(cell = '', isMonthFirst = false): string {
  const named = /^(\d+) ([A-Z][a-z]{2}) (\d{4})$/.exec(cell);
  if (named) return new Date(`${cell} UTC`).toISOString().slice(0, 10);
  const parts =
    (/^\d{8}/.test(cell) ? [cell.slice(0, 4), cell.slice(4, 6), cell.slice(6, 8)] : cell.match(/\d+/g)) ?? [];
  const [first = '', second = '', third = ''] = parts;
  const [year, month, day] =
    first.length === 4
      ? [first, second, third]
      : isMonthFirst
        ? [third, first, second]
        : [third, second, first];
  return [year.padStart(4, '20'), month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}

function rowsOfTable(text: string, { by, decimal, row = /./, ...place }: Place): PlainRow[] {
  const cells = new RegExp(`("[^"]*"|[^${by}]*)(?:\\${by}|$)`, 'g');
  return text.split(/\r\n|[\r\n]/).flatMap((line): PlainRow[] => {
    if (!row.test(line)) return [];
    const parts = [...line.matchAll(cells)].map(([, cell = '']) => cell.replaceAll('"', '').trim());
    const at = (column: number | undefined) => plainAmount(parts[column ?? -1], decimal);
    const [debit, credit, amount] = [at(place.debit), at(place.credit), at(place.amount)];
    const [column, word] = place.outflow ?? [];
    const isOutflow = column !== undefined && parts[column] === word;
    const one = debit || credit ? (credit ?? 0) - Math.abs(debit ?? 0) : amount;
    const date = plainDate(parts[place.date], place.isMonthFirst);
    return one === undefined ? [] : [[date, isOutflow ? -one : one]];
  });
}

/** One match for each row: its date, its amount, and the word or letter of an outflow. */
const patterns: Readonly<Record<string, readonly [row: RegExp, decimal?: string]>> = {
  ofx: [
    /<STMTTRN>(?=(?:(?!<\/STMTTRN>)[\s\S])*?<DTPOSTED>\s*(?<date>\d{8}))(?:(?!<\/STMTTRN>)[\s\S])*?<TRNAMT>\s*(?<amount>[-+\d.]+)/gi,
  ],
  qif: [/^D(?<date>.*)\r?\n(?:(?!\^)[^DT].*\r?\n)*T(?<amount>[-+]?[\d.,]+)/gm],
  xml: [
    /<Ntry>(?=[\s\S]*?<BookgDt>\s*<Dt(?:Tm)?>(?<date>[\d-]{10}))[\s\S]*?<Amt[^>]*>(?<amount>[\d.]+)<[\s\S]*?<CdtDbtInd>(?:(?<out>DBIT)|CRDT)</g,
  ],
  mt940: [/^:61:(?<date>\d{6})(?<booked>\d{4})?(?:(?<out>D|RC)|C|RD)[A-Z]?\s*(?<amount>\d+,?\d*)/gm, ','],
};

function plainRows(file: string): PlainRow[] {
  const text = readFileSync(new URL(file, folder), 'latin1');
  const table = tables[file];
  if (table) return rowsOfTable(text, table);
  const [pattern = /(?!)/g, decimal] = patterns[file.startsWith('mt940') ? 'mt940' : file.slice(-3)] ?? [];
  return [...text.matchAll(pattern)].map(({ groups = {} }): PlainRow => {
    const amount = plainAmount(groups['amount'], decimal) ?? Number.NaN;
    const { date = '', booked } = groups;
    const written = file.startsWith('mt940') ? `20${date.slice(0, 2)}${booked ?? date.slice(2)}` : date;
    return [plainDate(written, true), groups['out'] === undefined ? amount : -amount];
  });
}

const inOrder = (rows: readonly PlainRow[]) => rows.map((row) => row.join(' ')).toSorted();

describe('the files of banks', () => {
  it.each(files)('%s has the rows that plain patterns find in it, to the cent', (file) => {
    // Of two readings, the first one.
    const read = listed(file).filter(({ name }) => !/month first|\(spent/.test(name));
    const rows = read.flatMap((each) => each.rows.map(({ date, amount }): PlainRow => [date, amount]));
    const plain = plainRows(file).filter(([, amount]) => amount !== 0);
    expect(plain).not.toEqual([]);
    expect(inOrder(rows)).toEqual(inOrder(plain));
  });

  it('only two of them have to be asked about', () => {
    const asked = files.flatMap((file) => {
      const names = listed(file).map(({ name }) => name.replace(/^[^(]*/, ''));
      return names.some((name) => /first|spent|decimal/.test(name)) ? [[file, ...names]] : [];
    });
    expect(asked).toEqual([
      ['csv2ofx/payoneer.csv', '(day first)', '(month first)'],
      ['csv2ofx/pcmastercard.csv', '(received)', '(spent)'],
    ]);
  });

  it.each(files)(
    'once %s is entered, nothing of it is missing, and the account has changed by its sum',
    (file) => {
      for (const statement of listed(file)) {
        const entries = bankEntriesOf(
          statement.rows,
          { account: { id: 'a' }, transactions: [] },
          'cleared',
          () => ({}),
        ).map(
          (entry, index): ListedTransaction => ({
            ...{ id: String(index), cleared: 'cleared', payee_name: null },
            ...{ import_payee_name: null, import_payee_name_original: null },
            ...{ date: entry.date, amount: entry.amount, import_id: entry.import_id ?? null },
          }),
        );
        expect(sumOf(entries, ({ amount }) => amount)).toBe(sumOf(statement.rows, ({ amount }) => amount));
        expect(compareWithList(statement.rows, entries)).toMatchObject({ missing: [], unlisted: [] });
      }
    },
  );

  it('at least 40 of them are of all formats', () => {
    const formats = new Map<string, number>();
    for (const file of files)
      for (const { format } of listed(file).slice(0, 1)) formats.set(format, (formats.get(format) ?? 0) + 1);
    expect([...formats.keys()].toSorted()).toEqual(['CAMT', 'CSV', 'MT940', 'OFX', 'QIF']);
    expect(files.length).toBeGreaterThanOrEqual(40);
  });
});
