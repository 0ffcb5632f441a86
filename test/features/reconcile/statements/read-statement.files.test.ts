/**
 * Files of banks of many countries, in all formats. The dates and the first amounts below are what our readers gave when a
 * file was added, so they only show a change. The numbers of rows and the sums are counted once more here, by plain patterns and
 * numbers of columns, without our readers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../../src/answers/text.ts';
import { bankEntriesOf } from '../../../../src/features/reconcile/bank-entries.ts';
import { compareWithList, type ListedTransaction } from '../../../../src/features/reconcile/bank-list.ts';
import {
  type Statement,
  statementsIn,
} from '../../../../src/features/reconcile/statements/read-statement.ts';
import { sumOf } from '../../../../src/model/sums/sum.ts';

const folder = new URL('files/', import.meta.url);

const listed = (file: string): readonly Statement[] =>
  statementsIn(file.replace(/.*\//, ''), readFileSync(new URL(file, folder)), '2026-11-21').filter(
    ({ signs }) => !(signs?.isSigned && signs.isTurned),
  );

const sizeOf = ({ rows }: Statement) => sumOf(rows, ({ amount }) => amount) / 1_000;

/** The number of rows, their sum, the first of them, and how it is read where that is open. */
const summaryOf = (statement: Statement) => {
  const { rows, name, reading, signs } = statement;
  const [first] = rows;
  const isOpen = reading !== undefined || signs?.isSigned === false;
  const label = isOpen ? ` (${name.replace(/.*\(|, signs as written/g, '')}` : '';
  return `${counted(rows.length, 'row')}, sum ${sizeOf(statement)}, ${first?.date} ${(first?.amount ?? 0) / 1_000}${label}`;
};

const files: readonly (readonly [file: string, ...statements: readonly string[]])[] = [
  ['bank2ynab/20171001-20171106.csv', '1 row, sum -59.99, 2017-10-01 -59.99'],
  ['bank2ynab/20180226-1000594757-umsatz.CSV', '1 row, sum -36.99, 2018-02-22 -36.99'],
  ['bank2ynab/2019-03-02_11-50-46_bunq-statement.csv', '7 rows, sum -23.82, 2018-12-06 -8.78'],
  ['bank2ynab/MonzoDataExport_February2018_2018-02-26_174335.csv', '1 row, sum -10, 2018-02-25 -10'],
  ['bank2ynab/Movements_1234512345_201805271848.csv', '1 row, sum -1, 2018-05-27 -1'],
  ['bank2ynab/TransactionHistory_20180418043121.csv', '8 rows, sum -173.28, 2018-04-18 -6.66'],
  ['bank2ynab/Umsaetze_KtoNr538917600_EUR_02-03-2018_1503.CSV', '1 row, sum -17.22, 2018-03-02 -17.22'],
  ['bank2ynab/W80844_EBH_201945.202122.csv', '2 rows, sum 940, 2019-04-19 -350'],
  ['bank2ynab/export_BE11123456789012_20180304_1422.csv', '1 row, sum -3.4, 2018-02-28 -3.4'],
  ['bank2ynab/kta_ei.dat', '11 rows, sum -6152.22, 2019-03-11 -89.3'],
  ['bank2ynab/test_BOI_TransactionExport.csv', '27 rows, sum -419.61, 2017-09-01 428.03'],
  ['bank2ynab/test_raiffeisen_01.csv', '73 rows, sum -4580.7, 2017-09-18 -33.87'],
  ['bank2ynab/test_swedebank_statement.xls', '13 rows, sum 2578.93, 2014-10-01 -15.31'],
  ['bank2ynab/umsatz-1234________1234-20180227.CSV', '1 row, sum -5, 2018-02-20 -5'],
  ['camt/camt052.v1.xml', '1 row, sum -200000, 2007-10-18 -200000'],
  ['camt/camt052.v2.xml', '1 row, sum -200000, 2007-10-18 -200000'],
  ['camt/camt052.v8.xml', '1 row, sum -200000, 2007-10-18 -200000'],
  ['camt/camt053.v2.all-balance-types.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['camt/camt053.v2.five.decimals.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['camt/camt053.v2.minimal.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['camt/camt053.v2.multi.statement.xml', '2 rows, sum 1.85, 2014-12-31 8.85'],
  ['camt/camt053.v3.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['camt/camt053.v4.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['camt/camt053.v8.xml', '1 row, sum 8.85, 2014-12-31 8.85'],
  ['csv2ofx/capitalone.csv', '2 rows, sum 0, 2015-12-31 -1000'],
  ['csv2ofx/creditunion.qif', '8 rows, sum 465000, 2015-02-08 50000'],
  ['csv2ofx/default.qif', '2 rows, sum 95000, 2015-03-24 45000', '6 rows, sum 370000, 2015-02-08 50000'],
  ['csv2ofx/gls.csv', '1 row, sum -98.76, 2017-10-10 -98.76'],
  ['csv2ofx/ingesp.csv', '10 rows, sum 350.21, 2022-03-24 2.83'],
  ['csv2ofx/mint.csv', '1 row, sum -1000, 2015-06-12 -1000', '3 rows, sum -2000, 2015-06-12 -1500'],
  ['csv2ofx/mint.qif', '3 rows, sum -2000, 2015-06-12 -1500', '1 row, sum -1000, 2015-06-12 -1000'],
  ['csv2ofx/mint_headerless.csv', '4 rows, sum -3000, 2015-06-12 -1000'],
  ['csv2ofx/n26-fr.csv', '2 rows, sum 0, 2020-03-07 328'],
  ['csv2ofx/outbank.csv', '4 rows, sum -35.89, 2019-02-20 100'],
  [
    'csv2ofx/payoneer.csv',
    '2 rows, sum 20, 2021-03-05 -100 (day first)',
    '2 rows, sum 20, 2021-05-03 -100 (month first)',
  ],
  [
    'csv2ofx/pcmastercard.csv',
    '2 rows, sum 50.31, 2019-01-10 36.33 (received)',
    '2 rows, sum -50.31, 2019-01-10 -36.33 (spent)',
  ],
  ['csv2ofx/schwab-checking.csv', '4 rows, sum -215.27, 2022-08-17 20'],
  ['csv2ofx/stripe-all.qif', '5 rows, sum 112.5, 2021-02-03 25'],
  ['csv2ofx/ubs-ch-fr.qif', '3 rows, sum 30, 2019-03-31 -10'],
  ['csv2ofx/ubs-ch-fr_trimmed.csv', '3 rows, sum 30, 2019-03-31 -10'],
  [
    'csv2ofx/xero.qif',
    '1 row, sum 149000, 2015-01-23 149000',
    '3 rows, sum -173000, 2015-01-25 -113000',
    '1 row, sum -209000, 2015-02-14 -209000',
  ],
  ['mt940/0708271685_09022020_164516.940.txt', '8 rows, sum 56.94, 2020-01-01 -65'],
  ['mt940/171011_01234945.sta', '3 rows, sum -9437, 2017-10-11 -2402'],
  ['mt940/abnamro.sta', '10 rows, sum -345.93, 2011-05-24 -9'],
  ['mt940/ing.sta', '7 rows, sum -45.59, 2010-07-22 -25.03'],
  ['mt940/knab.sta', '3 rows, sum -6260, 2014-05-07 500'],
  ['mt940/mt940.sta', '3 rows, sum 0.03, 2017-01-19 0.01'],
  ['mt940/postfinance.sta', '4 rows, sum 159.4, 2013-12-09 79.7'],
  ['mt940/rabobank-iban.sta', '4 rows, sum -70, 2013-01-01 -25'],
  ['mt940/rabobank.sta', '3 rows, sum -1494.79, 2011-05-27 -1213.28', '2 rows, sum -94.3, 2012-08-29 -88.1'],
  ['mt940/raiffeisen-cmi.sta', '7 rows, sum -1012213.5, 2018-04-17 2066637'],
  ['mt940/sns.sta', '2 rows, sum -25, 2012-06-08 -20'],
  ['mt940/sparkassen.sta', '1 row, sum 30, 2018-11-26 30'],
  ['mt940/triodos.sta', '2 rows, sum -715.7, 2011-01-01 -15.7'],
  [
    'mt940/with_binary_character.sta',
    '3 rows, sum -180186.75, 2010-03-19 27',
    '1 row, sum 1120, 2010-03-19 1120',
  ],
  ['ofxparse/anzcc.ofx', '1 row, sum -5.5, 2017-05-08 -5.5'],
  ['ofxparse/bank_medium.ofx', '3 rows, sum -345.27, 2009-04-01 -6.6'],
  ['ofxparse/checking.ofx', '3 rows, sum -59.5, 2011-03-31 0.01'],
  ['ofxparse/fidelity.ofx', '3 rows, sum -0.57, 2012-07-31 0.24'],
  ['ofxparse/investment_medium.ofx', '3 rows, sum -3.95, 2009-12-15 -3.65'],
  ['ofxparse/ofx-v102-empty-tags.ofx', '1 row, sum 12.34, 2018-05-07 12.34'],
  ['ofxparse/suncorp.ofx', '1 row, sum -16.85, 2013-12-15 -16.85'],
];

/** Where a table has its amounts: one column, or one for each direction, or one whose direction another column says. */
interface Place {
  readonly by: string;
  readonly amount?: number;
  readonly debit?: number;
  readonly credit?: number;
  readonly outflow?: readonly [column: number, text: string];
  readonly decimal?: ',';
  /** What a line of a row has to match. */
  readonly row?: RegExp;
}

const tables: Readonly<Record<string, Place>> = {
  'bank2ynab/20171001-20171106.csv': { by: ',', amount: 6 },
  'bank2ynab/20180226-1000594757-umsatz.CSV': { by: ';', amount: 8, decimal: ',' },
  'bank2ynab/2019-03-02_11-50-46_bunq-statement.csv': { by: ',', amount: 1, decimal: ',' },
  'bank2ynab/MonzoDataExport_February2018_2018-02-26_174335.csv': { by: ',', amount: 2 },
  'bank2ynab/Movements_1234512345_201805271848.csv': { by: ';', amount: 13, decimal: ',' },
  'bank2ynab/TransactionHistory_20180418043121.csv': { by: ',', debit: 3, credit: 4, row: /^\d/ },
  'bank2ynab/Umsaetze_KtoNr538917600_EUR_02-03-2018_1503.CSV': { by: ';', amount: 4, decimal: ',' },
  'bank2ynab/W80844_EBH_201945.202122.csv': { by: ',', amount: 6 },
  'bank2ynab/export_BE11123456789012_20180304_1422.csv': { by: ';', amount: 8, decimal: ',' },
  'bank2ynab/kta_ei.dat': { by: '|', amount: 4 },
  'bank2ynab/test_BOI_TransactionExport.csv': { by: ',', debit: 2, credit: 3 },
  'bank2ynab/test_raiffeisen_01.csv': { by: ';', amount: 3, decimal: ',' },
  'bank2ynab/test_swedebank_statement.xls': { by: ',', amount: 5, outflow: [7, 'D'], row: /^"LT\d+","20"/ },
  'bank2ynab/umsatz-1234________1234-20180227.CSV': { by: ';', amount: 6, decimal: ',' },
  'csv2ofx/capitalone.csv': { by: ',', debit: 5, credit: 6 },
  'csv2ofx/gls.csv': { by: ';', amount: 19, decimal: ',' },
  'csv2ofx/ingesp.csv': { by: ',', amount: 6 },
  'csv2ofx/mint.csv': { by: ',', amount: 3, outflow: [4, 'debit'] },
  'csv2ofx/mint_headerless.csv': { by: ',', amount: 3, outflow: [4, 'debit'] },
  'csv2ofx/n26-fr.csv': { by: ',', amount: 7 },
  'csv2ofx/outbank.csv': { by: ';', amount: 4, decimal: ',' },
  'csv2ofx/payoneer.csv': { by: ',', credit: 5, debit: 6 },
  'csv2ofx/pcmastercard.csv': { by: ',', amount: 4 },
  'csv2ofx/schwab-checking.csv': { by: ',', debit: 5, credit: 6 },
  'csv2ofx/ubs-ch-fr_trimmed.csv': { by: ';', debit: 8, credit: 9 },
};

/** In thousandths. Undefined if it is no number. */
function plainAmount(cell = '', decimal = '.'): number | undefined {
  const text = cell
    .replace(/["$ ']/g, '')
    .replaceAll(decimal === '.' ? ',' : '.', '')
    .replace(',', '.');
  return /^[-+]?\d+(\.\d*)?$/.test(text) ? Math.round(Number(text) * 1_000) : undefined;
}

function amountsOfTable(text: string, { by, decimal, row = /./, ...place }: Place): number[] {
  const cells = new RegExp(`("[^"]*"|[^${by}]*)(?:\\${by}|$)`, 'g');
  return text.split(/\r\n|[\r\n]/).flatMap((line) => {
    if (!row.test(line)) return [];
    const parts = [...line.matchAll(cells)].map(([, cell = '']) => cell);
    const at = (column: number | undefined) => plainAmount(parts[column ?? -1], decimal);
    const [debit, credit, amount] = [at(place.debit), at(place.credit), at(place.amount)];
    const [column, word] = place.outflow ?? [];
    const isOutflow = column !== undefined && parts[column]?.replaceAll('"', '') === word;
    const one = debit || credit ? (credit ?? 0) - Math.abs(debit ?? 0) : amount;
    return one === undefined ? [] : [isOutflow ? -one : one];
  });
}

/** One match for each row: its amount, and the word or letter of an outflow. */
const patterns: Readonly<Record<string, readonly [row: RegExp, decimal?: string]>> = {
  ofx: [/<STMTTRN>(?:(?!<\/STMTTRN>)[\s\S])*?<TRNAMT>\s*(?<amount>[-+\d.]+)/gi],
  qif: [/^T(?<amount>[-+]?[\d.,]+)/gm],
  xml: [/<Ntry>[\s\S]*?<Amt[^>]*>(?<amount>[\d.]+)<[\s\S]*?<CdtDbtInd>(?:(?<out>DBIT)|CRDT)</g],
  mt940: [/^:61:\d{6}(?:\d{4})?(?:(?<out>D|RC)|C|RD)[A-Z]?\s*(?<amount>\d+,?\d*)/gm, ','],
};

function plainAmounts(file: string): number[] {
  const text = readFileSync(new URL(file, folder), 'latin1');
  const table = tables[file];
  if (table) return amountsOfTable(text, table);
  const [pattern = /(?!)/g, decimal] = patterns[file.startsWith('mt940') ? 'mt940' : file.slice(-3)] ?? [];
  return [...text.matchAll(pattern)].map(({ groups = {} }) => {
    const amount = plainAmount(groups['amount'], decimal) ?? Number.NaN;
    return groups['out'] === undefined ? amount : -amount;
  });
}

describe('the files of banks', () => {
  it.each(files)('%s has as many rows, and the sum, as plain patterns find in it', (file) => {
    const plain = plainAmounts(file).filter((amount) => amount !== 0);
    // Of two readings, the first one.
    const read = listed(file).filter(({ name }) => !/month first|\(spent/.test(name));
    expect(sumOf(read, ({ rows }) => rows.length)).toBe(plain.length);
    expect(sumOf(read, ({ rows }) => sumOf(rows, ({ amount }) => amount))).toBe(sumOf(plain, (each) => each));
  });

  it.each(files)('%s is read to the cent', (file, ...statements) => {
    expect(listed(file).map(summaryOf)).toEqual(statements);
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
        expect(sumOf(entries, ({ amount }) => amount) / 1_000).toBe(sizeOf(statement));
        expect(compareWithList(statement.rows, entries)).toMatchObject({ missing: [], unlisted: [] });
      }
    },
  );

  it('at least 40 of them are of all formats', () => {
    const formats = new Map<string, number>();
    for (const [file] of files)
      for (const { format } of listed(file).slice(0, 1)) formats.set(format, (formats.get(format) ?? 0) + 1);
    expect([...formats.keys()].toSorted()).toEqual(['CAMT', 'CSV', 'MT940', 'OFX', 'QIF']);
    expect(files.length).toBeGreaterThanOrEqual(40);
  });

  it('no file is left out', () => {
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.includes('/') && !file.includes('LICENSE'),
    );
    expect(files.map(([file]) => file).toSorted()).toEqual(all.toSorted());
  });
});
