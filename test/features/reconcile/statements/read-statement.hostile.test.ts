/** Files that were made to do harm: each is refused with a reason, or read as text, in bounded time and memory. */
import { describe, expect, it } from 'vitest';
import { statementsIn } from '../../../../src/features/reconcile/statements/read-statement.ts';

const MB = 2 ** 20;
const read = (text: string | Uint8Array) =>
  statementsIn('bank', typeof text === 'string' ? Buffer.from(text) : text, '2026-11-21');

const filled = (length: number, part: string) => part.repeat(Math.floor(length / part.length));
const camt = (content: string) =>
  `<?xml version="1.0"?><Document><BkToCstmrStmt>${content}</BkToCstmrStmt></Document>`;

describe('hostile files', () => {
  it.each([
    [
      'entities',
      camt('').replace('<Document>', '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document>'),
      /document type/,
    ],
    ['a million rows', filled(10 * MB, '2026-10-01,-1\n'), /more than 10000 rows/],
    [
      'a million rows of OFX',
      `<OFX>${filled(9 * MB, '<STMTTRN><DTPOSTED>20261001<TRNAMT>-1</STMTTRN>')}`,
      /more than 10000 rows/,
    ],
    ['one line of ten megabytes', filled(10 * MB, '2026-10-01,-1,'), /longer than 20000/],
    ['a quote that never ends', `Date,Amount\n"${filled(9 * MB, 'x\n')}`, /No line has a date/],
    ['levels without an end', camt(filled(9 * MB, '<a>')), /more levels/],
    ['tags without an end', camt(filled(9 * MB, '<')), /no transactions/],
    ['comments without an end', camt(filled(9 * MB, '<!--')), /within a comment/],
    ['texts without an end', camt(filled(9 * MB, '<![CDATA[')), /within a comment or a text/],
    ['MT940 without an end', `:20:x\n${filled(9 * MB, ':61:')}`, /no transactions/],
    ['more than ten megabytes', filled(10 * MB + 1, ' '), /larger than 10 MB/],
    ['a spreadsheet', 'PK\u0003\u0004', /a spreadsheet/],
    ['a PDF', '%PDF-1.7', /a PDF/],
    ['bytes that are no text', Uint8Array.from({ length: 1_000 }, (_, index) => index % 7), /no text/],
    ['190 columns', filled(500_000, `2026-10-01${',1.50'.repeat(189)}\n`), /more than 120 columns/],
    [
      '10,000 rows of 40 columns of numbers',
      `2026-10-01${',1.50,2.50,3.70'.repeat(13)}\n`.repeat(10_000),
      /which column has the amount/,
    ],
    [
      'columns of which each may have the amount of some rows',
      Array.from(
        { length: 200 },
        (_, row) => `2026-10-01,${Array.from({ length: 80 }, (_, at) => (row % 80 === at ? row + 1 : 0))}`,
      ).join('\n'),
      /Too many columns may have the amounts/,
    ],
    ['a row with millions of empty cells', `2026-10-01,-1${filled(9 * MB, ',')}`, /longer than 20000/],
    ['nothing', '', /No line has a date/],
    ['a date of QIF that never ends', `!Type:Bank\nD${filled(9 * MB, ' ')}x\nT-1\n^\n`, /Not all dates/],
    ['a day that does not exist', 'Date,Payee,Amount\n31/02/2026,Shop,-1.00', /No line has a date/],
    [
      'an amount with parts of a thousandth',
      'OFXHEADER:100\n<OFX><STMTTRN><DTPOSTED>20261001<TRNAMT>1.0001</STMTTRN></OFX>',
      /transaction 1 .* more decimals/,
    ],
    [
      'a download that was cut off within an amount',
      '<OFX><STMTRS><STMTTRN><DTPOSTED>20261001<TRNAMT>-1.00</STMTTRN><STMTTRN><DTPOSTED>20261002<TRNAMT>-12',
      /a part of it is missing/,
    ],
    [
      'a quotation mark that is missing',
      'Date,Payee,Amount\n2026-10-01,"Shop,-1.00\n2026-10-02,"Pay",2.00\n',
      /quotation mark is missing/,
    ],
  ])('%s: refused', (_, file, reason) => {
    const before = process.memoryUsage().rss;
    expect(() => read(file)).toThrow(reason);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MB);
  });

  it('a formula is a text, and only a number is an amount', () => {
    const [statement] = read(
      'Date,Payee,Amount\n2026-10-01,"=HYPERLINK(""http://x"",""y"")",-1.00\n2026-10-02,=1+1,-2.00',
    );
    expect(statement?.rows.map(({ text }) => text)).toEqual(['=HYPERLINK("http://x","y")', '=1+1']);
    expect(() => read('Date,Payee,Amount\n2026-10-01,Shop,=1+1')).toThrow(/No line has a date and an amount/);
  });

  it('a text is cut, so that many of them can be remembered', () => {
    expect(read(`Date,Payee,Amount\n2026-10-01,${filled(5_000, 'x')},-1.00`)[0]?.rows[0]?.text).toHaveLength(
      200,
    );
  });
});
