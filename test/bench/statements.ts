/** Measures how long reading a file of a bank takes, beside csv-parse alone on the same file. */
import { parse } from 'csv-parse/sync';
import { addDays } from '../../src/base/calendar.ts';
import { statementsIn } from '../../src/features/reconcile/statements/read-statement.ts';
import { inTurns } from './rounds.ts';
import { count, ms, type Row } from './table.ts';

const ROWS = 10_000;
const TODAY = '2026-11-21';
const MOST = 4;

/** With two columns of days, one for each direction, a balance after each row, and other names and purposes in each. */
function largeFile(): Buffer {
  let balance = 1_000_000;
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const cents = ((row * 7_919) % 90_000) + 1;
    const isSpent = row % 4 !== 0;
    balance += isSpent ? -cents : cents;
    const day = addDays('2024-01-01', Math.floor(row / 12));
    const size = (cents / 100).toFixed(2);
    return `${day},${addDays(day, 1)},Shop ${row % 300},"Card purchase, no. ${row}",${isSpent ? `${size},` : `,${size}`},${(balance / 100).toFixed(2)}`;
  });
  return Buffer.from(['Date,Value date,Payee,Description,Debit,Credit,Balance', ...rows].join('\n'));
}

export async function statements(): Promise<Row[]> {
  const file = largeFile();
  const timeOf = await inTurns(
    {
      read: () => {
        const [{ rows } = { rows: [] }] = statementsIn('bank.csv', file, TODAY);
        if (rows.length !== ROWS) throw new Error('The file was not read.');
      },
      parse: () => parse(file),
    },
    { rounds: 15, warmUp: 3 },
  );
  const [read, alone] = [timeOf('read').median, timeOf('parse').median];
  const ratio = read / alone;
  return [
    {
      what: `reading a bank's file of ${count(ROWS)} rows`,
      measured: ms(read),
      beside: `csv-parse alone: ${ms(alone)}; ratio ${ratio.toFixed(1)}`,
      target: `ratio of ${MOST}, under 1000 ms`,
      met: ratio <= MOST && read < 1_000,
    },
  ];
}
