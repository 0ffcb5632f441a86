import { describe, expect, it } from 'vitest';
import { bothSigns, statementsIn } from '../../../../src/features/reconcile/statements/read-statement.ts';
import { sumOf } from '../../../../src/model/sums/sum.ts';

const TODAY = '2026-11-21';

const read = (text: string | Uint8Array) =>
  statementsIn('bank', typeof text === 'string' ? new TextEncoder().encode(text) : text, TODAY).flatMap(
    (each) => ((each.openSigns ?? 'signed') === 'signed' ? [each] : bothSigns(each)),
  );
const rowsOf = (text: string | Uint8Array) => {
  const [statement, ...others] = read(text);
  expect(others).toEqual([]);
  return statement?.rows.map(({ date, amount, text }) => [date, amount, text]);
};

describe('dates that can be read in two ways', () => {
  const file = (...dates: string[]) =>
    ['Date,Payee,Amount', ...dates.map((date) => `${date},Shop,-1.00`)].join('\n');

  it('are two statements, whose names and readings say so', () => {
    expect(read(file('03/04/2026')).map(({ name, reading }) => [name, reading])).toEqual([
      ['bank (day first)', '"03/04/2026" is 2026-04-03'],
      ['bank (month first)', '"03/04/2026" is 2026-03-04'],
    ]);
  });

  it('with a year of two digits may have it first, unless dots or a day to come decide', () => {
    const ordersOf = (...dates: string[]) => read(file(...dates)).map(({ rows: [row] }) => row?.date);
    expect(ordersOf('21/11/20')).toEqual(['2020-11-21', '2021-11-20']);
    expect(ordersOf('21/11/20', '20/11/28')).toEqual(['2021-11-20']);
    expect(ordersOf('13/04/26', '30/04/26')).toEqual(['2026-04-13']);
    expect(ordersOf('21.11.20')).toEqual(['2020-11-21']);
  });

  it.each([
    ['a day above 12 in any row', ['03/04/2026', '13/04/2026'], '2026-04-03'],
    ['a second number above 12 in any row', ['03/04/2026', '03/14/2026'], '2026-03-04'],
    ['a day that would be in the future', ['12/10/2026'], '2026-10-12'],
    ['dots', ['03.04.2026'], '2026-04-03'],
    ['a year of four digits at the beginning', ['2026/04/03'], '2026-04-03'],
    ['a month with a name', ['3 Apr 2026'], '2026-04-03'],
    ['that both readings are the same', ['04/04/2026'], '2026-04-04'],
  ])('are decided by %s', (_, dates, first) => {
    expect(rowsOf(file(...dates))?.[0]?.[0]).toBe(first);
  });
});

describe('amounts that can be read in two ways', () => {
  it.each([
    ['1.234', 2, -1_234_000],
    ['1.234', 3, -1_234],
    ['1,234', 3, -1_234],
    ['5.000', 0, -5_000_000],
  ])('%s is read as a currency with %d decimals can have it', (written, digits, amount) => {
    const file = Buffer.from(`Date;Payee;Amount\n2026-10-01;Shop;-${written}`);
    expect(statementsIn('bank', file, TODAY, digits)).toMatchObject([{ name: 'bank', rows: [{ amount }] }]);
  });

  it('are refused if each amount has three digits after its mark, and the last is 0', () => {
    expect(() => read('Date;Payee;Amount\n2026-10-01;Shop;-1.230')).toThrow(/three digits after its mark/);
  });

  it('are decided by any other row', () => {
    expect(rowsOf('Date;Payee;Amount\n2026-10-01;Shop;-1.234\n2026-10-02;Shop;-5,50')?.[0]?.[1]).toBe(
      -1_234_000,
    );
  });

  it('are two statements if nothing says which of them were spent', () => {
    const statements = read('Date,Payee,Amount\n2026-10-01,Shop,5.00\n2026-10-02,Shop,6.00');
    expect(statements.map(({ name, rows }) => [name, rows[0]?.amount])).toEqual([
      ['bank (received)', 5_000],
      ['bank (spent)', -5_000],
    ]);
  });

  it.each([
    ['-1.234,56', -1_234_560],
    ["-1'234.56", -1_234_560],
    ['-1 234,56', -1_234_560],
    ['(1,234.56)', -1_234_560],
    ['1,234.56-', -1_234_560],
    ['1,23,456.78 DR', -123_456_780],
    ['\u221212,30 €', -12_300],
    ['-£12.30', -12_300],
    ['12.30 CR', 12_300],
  ])('"%s" is read', (written, amount) => {
    expect(
      rowsOf(
        `Date;Payee;Amount\n2026-10-01;Shop;"${written}"\n2026-10-02;Shop;-0,10`.replace('-0,10', written),
      )?.[0]?.[1],
    ).toBe(amount);
  });
});

describe('tables', () => {
  it('lines before the names of columns and after the rows are left out, and counted', () => {
    const [statement] = read(
      'Account;DE02120300000000202051\nBalance;1.000,00\n\nBuchungstag;Empfänger;Betrag;Saldo\n01.10.2026;Bäcker;-3,50;996,50\n02.10.2026;Lohn;2.000,00;2.996,50\nSumme;;1.996,50;',
    );
    expect(statement).toMatchObject({ account: 'DE02120300000000202051', skipped: 1 });
    expect(statement?.rows.map(({ amount }) => amount)).toEqual([-3_500, 2_000_000]);
  });

  it.each([
    ['only some rows have', 'Kind', ['C', '']],
    ['all rows have one letter without a name that says so', 'Class', ['S', 'S']],
  ])('letters decide nothing if %s', (_, name, [first, second]) => {
    const text = `Date,Payee,${name},Amount\n2026-10-13,Shop,${first},5.00\n2026-10-14,Bus,${second},6.00`;
    expect(read(text).map(({ name }) => name)).toEqual(['bank (received)', 'bank (spent)']);
    expect(rowsOf(text.replace(name, 'Debit/Credit').replaceAll(/,[CS]?,(?=\d)/g, ',D,'))?.[0]?.[1]).toBe(
      -5_000,
    );
  });

  it('a file is refused if nothing says which column has the amounts', () => {
    expect(() => read('2026-10-13,Shop,5.00,7.00\n2026-10-14,Pay,20.00,3.00')).toThrow(
      /not clear which column has the amount/,
    );
  });

  it('the only complete column is not taken for the amounts while others may have them', () => {
    const rows = '2026-10-13,Shop,5.00,,95.00\n2026-10-14,Pay,,20.00,115.00';
    expect(() => read(rows)).toThrow(/not clear which column has the amount/);
    expect(rowsOf(`${rows}\n2026-10-15,Bus,1.00,,114.00`)).toEqual([
      ['2026-10-13', -5_000, 'Shop'],
      ['2026-10-14', 20_000, 'Pay'],
      ['2026-10-15', -1_000, 'Bus'],
    ]);
  });

  it('of two columns that are named as amounts the balance decides, and without one neither is taken', () => {
    const rows = ['-10.00,-9.00,91.00', '-20.00,-18.00,73.00', '5.00,4.50,77.50'];
    const file = (names: string, ...cells: readonly string[]) =>
      [`Date,Payee,${names}`, ...cells.map((each, day) => `2026-10-1${day},Shop,${each}`)].join('\n');
    const amounts = rowsOf(file('Amount,Amount EUR,Balance', ...rows))?.map(([, amount]) => amount);
    expect(amounts).toEqual([-9_000, -18_000, 4_500]);
    const without = rows.map((row) => row.replace(/,[^,]*$/, ''));
    expect(() => read(file('Amount,Amount EUR', ...without))).toThrow(
      /not clear which column has the amount/,
    );
  });

  it.each(['日付,摘要,支払,残り\n', ''])(
    'a column that most changes agree with is no amount: %j',
    (names) => {
      const sizes = [45_160, 94, 94, 140, 94, 3_168, 500, 60, 94, 33, 77, 51];
      const rows = sizes.map((size, row) => {
        const balance = 45_500 - sumOf(sizes.slice(0, row + 1), (each) => each);
        return `2026/02/${10 + row},Shop ${row},${size},${balance}`;
      });
      expect(rowsOf(names + rows.join('\n'))?.[0]).toEqual(['2026-02-10', -45_160_000, 'Shop 0']);
      const changed = rows.with(5, rows[5]?.replace(/\d$/, '9') ?? '');
      expect(() => read(names + changed.join('\n'))).toThrow(/^Line [67]: the balance does not follow/);
    },
  );

  it('the balance says whether a point is a decimal sign', () => {
    const rows = (balance: string) => `Date;Payee;Amount;Balance\n2026-10-13;Shop;-5.500;${balance}`;
    expect(() => read(rows('995.500'))).toThrow(/three digits/);
    expect(rowsOf(rows('9950.500'))?.[0]?.[1]).toBe(-5_500);
    expect(rowsOf(rows('9950,50'))?.[0]?.[1]).toBe(-5_500_000);
  });

  describe('fees', () => {
    const table = (names: string, ...rows: readonly string[]) =>
      [`Date,Payee,${names}`, ...rows.map((each) => `2026-10-13,Shop,${each}`)].join('\n');
    const amountsOf = (text: string) => rowsOf(text)?.map(([, amount]) => amount);

    it.each([
      [
        'are subtracted',
        ['-10.00,0.50,89.50', '-20.00,0.00,69.50', '5.00,1.00,73.50'],
        [-10_500, -20_000, 4_000],
      ],
      [
        'with their signs are added',
        ['-10.00,0.00,90.00', '-20.00,-0.50,69.50', '5.00,,74.50'],
        [-10_000, -20_500, 5_000],
      ],
      ['are contained in the amounts', ['-10.00,0.00,90.00', '-20.00,0.50,70.00'], [-10_000, -20_000]],
      [
        'are subtracted in a list with the newest first',
        ['-20.00,0.50,69.50', '-10.00,0.00,90.00'],
        [-20_500, -10_000],
      ],
    ])('%s if the balance says so', (_, rows, amounts) => {
      expect(amountsOf(table('Amount,Fee,Balance', ...rows))).toEqual(amounts);
    });

    it('without an amount are rows, too', () => {
      const rows = ['100.00,,,100.00', ',-20.00,,80.00', ',,-5.00,75.00'];
      expect(amountsOf(table('Money In,Money Out,Fee,Balance', ...rows))).toEqual([100_000, -20_000, -5_000]);
    });

    it('are added if a column has the sum', () => {
      expect(amountsOf(table('Gross,Fee,Net', '100.00,-3.20,96.80', '-5.00,0.00,-5.00'))).toEqual([
        96_800, -5_000,
      ]);
    });

    it('of 0 change nothing', () => {
      expect(amountsOf(table('Amount,Fee', '-10.00,0.00', '-20.00,'))).toEqual([-10_000, -20_000]);
    });

    it.each([
      ['no balance', 'Amount,Fee', ['-10.00,0.50', '-20.00,0.00']],
      ['a balance that fits neither', 'Amount,Fee,Balance', ['-10.00,0.00,90.00', '-20.00,0.50,60.00']],
      ['a balance of the row with the fee only', 'Amount,Fee,Balance', ['-20.00,0.50,69.50']],
    ])('refuse a file with %s', (_, names, rows) => {
      expect(() => read(table(names, ...rows))).toThrow(/not clear whether the amounts contain the fees/);
    });
  });

  it('the account of the other side is not that of the statement in a file of one row', () => {
    expect(read('Date;Payee;IBAN;Amount\n2026-10-13;Shop;DE02120300000000202051;-5,00')).toMatchObject([
      { account: undefined },
    ]);
  });

  it('an account that all rows have is that of the statement, and own accounts are one statement each', () => {
    const rows = (name: string, ...accounts: string[]) =>
      `Date;Payee;${name};Amount\n${accounts.map((each) => `2026-10-13;Shop;${each};-5,00`).join('\n')}`;
    const accountsOf = (text: string) => read(text).map(({ account }) => account);
    expect(accountsOf(rows('IBAN', 'DE1', 'DE1'))).toEqual(['DE1']);
    expect(accountsOf(rows('IBAN Auftragskonto', 'DE1', 'DE2'))).toEqual(['DE1', 'DE2']);
    const [one, other] = ['DE02120300000000202051', 'DE89370400440532013000'];
    expect(accountsOf(rows('Konto', one, one, other, one, other, other))).toEqual([one, other]);
    expect(accountsOf(rows('Konto', one, other))).toEqual([one, other]);
    // The number before the table is that of the owner, and the others are of the same bank.
    const others = rows('Kontonummer', one, one.replace('2051', '9999'));
    expect(accountsOf(`Konto:;DE12120300000000909090\n${others}`)).toEqual(['DE12120300000000909090']);
  });

  it('a column of the sizes of another one has no amounts', () => {
    const rows = ['2026-10-13,Shop,-5.00,5.00', '2026-10-14,Pay,7.00,7.00'];
    expect(rowsOf(`Date,Payee,Amount,Amount rounded\n${rows.join('\n')}`)?.[0]?.[1]).toBe(-5_000);
  });

  it('two letters that no word and no balance explain are a reason to refuse', () => {
    const rows = ['2026-10-13,Shop,5.00,X', '2026-10-14,Pay,7.00,P', '2026-10-15,Bus,1.00,X'];
    expect(() => read(`Date,Payee,Amount,Mark\n${rows.join('\n')}`)).toThrow(
      /which letter or word in column 4/,
    );
  });

  it('two letters are explained by a balance that does not reach the first row', () => {
    const rows = ['13,9.00,P,9.00', '14,1.00,X,8.00', '15,2.00,X,6.00', '16,3.00,X,3.00'].map(
      (each) => `2026-10-${each}`,
    );
    const file = (...lines: readonly string[]) => ['Date,Amount,Mark,Balance', ...lines].join('\n');
    expect(rowsOf(file(...rows))?.map(([, amount]) => amount)).toEqual([9_000, -1_000, -2_000, -3_000]);
    expect(() => read(file(...rows.slice(0, 3)))).toThrow(/which letter or word in column 3/);
  });

  it('a row at an end that lacks a name and says a balance in any language is none', () => {
    const rows = '2026-10-13,Shop,Food,-5.00\n2026-10-14,Pay,Work,7.00';
    expect(rowsOf(`Date,Payee,Memo,Amount\n2026-10-12,,Algsaldo,90.00\n${rows}`)).toHaveLength(2);
  });

  it('a pending row without a date is neither the names of columns nor the account, and no refusal has a cell', () => {
    const pending = ';Secret Tailor;Paid to DE02120300000000202051;-5,00';
    const rows = '13.10.2026;Shop;Food;-5,00\n14.10.2026;Pay;November;9,00';
    const [statement] = read(`Buchungstag;Empfänger;Verwendungszweck;Betrag\n${pending}\n${rows}`);
    expect(statement).toMatchObject({ account: undefined, rows: [{ text: 'Shop' }, { text: 'Pay' }] });
    const unclear = `A;B;C;D;E\n${pending};7,00\n${rows.replace(/[,]00/, ',00;8,00').replace(/00$/, '00;6,00')}`;
    expect(() => read(unclear)).toThrow(/^(?!.*(Secret|DE02))It is not clear which column has the amount/);
  });

  it('a column Info has texts, and no states', () => {
    expect(rowsOf('Date,Info,Amount\n2026-10-13,Spending at a shop,-5.00')).toHaveLength(1);
  });

  it('rows that are not booked, and balances, are left out', () => {
    expect(
      rowsOf(
        'Date,State,Description,Amount\n2026-10-13,PENDING,Shop,-5.00\n2026-10-14,COMPLETED,Pay,-2.00\n2026-10-14,COMPLETED,Closing balance,9.00',
      ),
    ).toEqual([['2026-10-14', -2_000, 'Pay']]);
  });

  it.each([
    ['Status', 'Autorizzato'],
    ['Status', 'Venter'],
    ['Status', 'Väntar'],
    ['Status', 'En attente'],
    ['Статус', 'FAILED'],
    ['Word', 'Rejected'],
  ])('a row of the state %s %s is left out', (name, state) => {
    const rows = ['2026-10-14,Pay,-2.00,Done', '2026-10-15,Bus,-3.00,Done'];
    const [statement] = read(`Date,Payee,Amount,${name}\n2026-10-13,Shop,-5.00,${state}\n${rows.join('\n')}`);
    expect(statement).toMatchObject({ skipped: 1, rows: [{ text: 'Pay' }, { text: 'Bus' }] });
  });

  it.each([
    ['names of columns', 'Date,Payee,Amount\n'],
    ['none', ''],
  ])('a line before the first row that cannot be read is counted, with %s', (_, header) => {
    const [statement] = read(`${header}Reserved,Shop,-5.00\n2026-10-13,Pay,-2.00\n2026-10-14,Bus,-1.00`);
    expect(statement).toMatchObject({ skipped: 1, rows: [{ text: 'Pay' }, { text: 'Bus' }] });
  });

  it('a text may have several lines', () => {
    expect(rowsOf('Date,Payee,Amount\n2026-10-13,"Shop\n2026-10-12",-5.00')).toEqual([
      ['2026-10-13', -5_000, 'Shop 2026-10-12'],
    ]);
  });

  it.each(['Saldo', 'Stand', 'Turnover'])(
    'a row of the payee %s is left out only if the list has rows with balances',
    (name) => {
      const rows = `Date,Payee,Amount\n2026-10-13,${name},-5.00\n2026-10-14,Shop,-2.00`;
      expect(rowsOf(rows)).toHaveLength(2);
      expect(rowsOf(`${rows}\n2026-10-14,Endsaldo,9.00`)).toEqual([['2026-10-14', -2_000, 'Shop']]);
    },
  );

  it.each(['\n', '\r\n', '\r'])('lines may end in %j', (end) => {
    expect(rowsOf(`Date,Payee,Amount${end}2026-10-01,Shop,-1.00${end}`)).toEqual([
      ['2026-10-01', -1_000, 'Shop'],
    ]);
  });
});

it('the day of OFX is the one that is written, whatever time zone it has', () => {
  expect(
    rowsOf(
      'OFXHEADER:100\n<OFX><STMTTRN><DTPOSTED>20261001233000[+13:NZDT]<TRNAMT>-1,50<NAME>A &amp; B</STMTTRN></OFX>',
    ),
  ).toEqual([['2026-10-01', -1_500, 'A & B']]);
});

it.each([
  ['QIF without its end', '!Type:Bank\nD2026-10-01\nT-1.00\n^\nD2026-10-02\nT-12'],
  ['QIF before another list', '!Type:Bank\nD2026-10-01\nT-1.00\n^\nD2026-10-02\nT-12\n!Type:Cat\nNFood\n^'],
  [
    'QIF with the balance before',
    '!Type:Bank\nD2026-10-01\nT-1.00\n^\nD2026-10-01\nT500.00\nPOpening Balance\nL[Giro]\n^',
  ],
  ['MT940 that is cut off within its amount', ':20:A\n:25:1\n:61:261001D1,NTRF\n:61:261002D12'],
])('a row of %s is left out, and counted', (_, file) => {
  expect(read(file)).toMatchObject([{ skipped: 1, rows: [{ date: '2026-10-01', amount: -1_000 }] }]);
});

it.each(['', '<CdtDbtInd>OTHER</CdtDbtInd>'])(
  'an entry of CAMT without a direction is refused: %j',
  (direction) => {
    const entry = (inner: string) =>
      `<Ntry><Amt Ccy="EUR">5.00</Amt>${inner}<Sts>BOOK</Sts><BookgDt><Dt>2026-10-13</Dt></BookgDt></Ntry>`;
    const file = (inner: string) =>
      `<Document><BkToCstmrStmt><Stmt>${entry('<CdtDbtInd>DBIT</CdtDbtInd>')}${entry(inner)}</Stmt></BkToCstmrStmt></Document>`;
    expect(() => read(file(direction))).toThrow('An entry of the file says neither CRDT nor DBIT');
    expect(rowsOf(file('<CdtDbtInd>CRDT</CdtDbtInd>'))).toHaveLength(2);
  },
);

describe('the currency', () => {
  it.each([
    ['the name of a column', 'Date,Payee,Amount (CHF)\n2026-10-01,Shop,-1.00', ['CHF']],
    ['both columns', 'Date,Payee,Paid out,Paid in\n2026-10-01,Shop,£1.00,\n2026-10-02,Pay,,£2.00', ['GBP']],
    ['amounts', 'Date,Payee,Amount\n2026-10-01,Shop,-1.00 USD\n2026-10-02,Shop,-£2.00', ['USD', 'GBP']],
    [
      'the column that has the amount',
      'Date,Payee,Debit €,Credit €\n2026-10-01,Shop,1.00,\n2026-10-02,Pay,,2.00',
      ['EUR'],
    ],
    [
      'the account, and not the original one',
      'Date,Payee,Amount (EUR),Original Amount,Original Currency\n2026-10-01,Shop,-1.00,-1.10,USD\n2026-10-02,Pay,2.00,,',
      ['EUR'],
    ],
    ['none', 'Date,Payee,SUM\n2026-10-01,Shop,-1.00', [undefined]],
    [
      'the row of OFX',
      '<OFX><STMTRS><CURDEF>EUR<STMTTRN><DTPOSTED>20261001<TRNAMT>-1<CURRENCY><CURRATE>1.1<CURSYM>USD</CURRENCY></STMTTRN><STMTTRN><DTPOSTED>20261001<TRNAMT>-1<ORIGCURRENCY><CURRATE>1.1<CURSYM>USD</ORIGCURRENCY></STMTTRN></STMTRS></OFX>',
      ['USD', 'EUR'],
    ],
  ])('is that of %s', (_, text, expected) => {
    expect(read(text).map(({ currency }) => currency)).toEqual(expected);
  });
});

it('parts of a payment for several invoices are no rows', () => {
  expect(
    rowsOf(
      [
        'Buchungsdatum;Währung;Belastung;Gutschrift;Einzelbetrag;Saldo;Beschreibung1;Beschreibung2',
        '2026-09-30;CHF;-23.40;;;6026.60;Markt Zürich;Zahlung Debitkarte',
        '2026-09-28;CHF;-150.00;;;6050.00;Sammelauftrag;e-banking-Auftrag',
        '2026-09-28;CHF;;;-100.00;;Versicherung A;',
        '2026-09-28;CHF;;;-50.00;;Versicherung B;',
        "2026-09-25;CHF;;5'200.00;;6200.00;Arbeitgeber AG;Gutschrift",
      ].join('\n'),
    ),
  ).toEqual([
    ['2026-09-30', -23_400, 'Markt Zürich'],
    ['2026-09-28', -150_000, 'Sammelauftrag'],
    ['2026-09-25', 5_200_000, 'Arbeitgeber AG'],
  ]);
});
