/** Takes files of banks apart, and changes one cell of them where a balance can tell. */
import type { BankFile, TableDialect } from './bank-file.helper.ts';

export interface Altered {
  readonly how: string;
  readonly file: BankFile;
  /** Without the lines around the rows. */
  readonly isBare: boolean;
  /** The rows before a cell was changed, so that no balance agrees with the rows that the file has now. */
  readonly before?: BankFile;
}

export function altered(file: BankFile, random: () => number): Altered {
  const { rows, dialect } = file;
  const table = 'columns' in dialect ? dialect : undefined;
  const isTold = table && rows.length >= MIN_ROWS && HAS_BALANCE.test(table.columns) && !table.accounts;
  if (isTold && random() < 0.3) return withOtherCell(file, table, random);
  const isWhole = random() < 0.2;
  const length = isWhole ? rows.length : 1 + Math.floor(random() * 3);
  const from = Math.floor(random() * (rows.length - length + 1));
  const part = {
    ...file,
    known: file.known.slice(from, from + length),
    rows: rows.slice(from, from + length),
  };
  const isReversed = random() < 0.5;
  const isBare = table !== undefined && random() < 0.5;
  return {
    how: [isWhole ? 'whole' : `${length} rows`, isReversed && 'reversed', isBare && 'headerless']
      .filter((each) => each !== false)
      .join(', '),
    file: {
      ...part,
      ...(isReversed && { known: part.known.toReversed(), rows: part.rows.toReversed() }),
      ...(isBare && { header: undefined }),
    },
    isBare,
  };
}

const MIN_ROWS = 6;
const HAS_BALANCE = /=balance(Before)?( |$)/;
const IS_NUMBER = /=(amount|size|spent|received|minus|spentOrZero|receivedOrZero|balance|balanceBefore)$/;

/** One digit of an amount or a balance of a row in the middle is another one. */
function withOtherCell(file: BankFile, { columns }: TableDialect, random: () => number): Altered {
  const row = 2 + Math.floor(random() * (file.rows.length - 4));
  const cells = file.rows[row] ?? [];
  const places = columns
    .split(' | ')
    .flatMap((each, at) => (IS_NUMBER.test(each) && /\d/.test(cells[at] ?? '') ? [at] : []));
  const place = places[Math.floor(random() * places.length)] ?? 0;
  const cell = cells[place] ?? '';
  const digits = [...cell.matchAll(/\d(?=\d*\D*\d?\d)/g)].map(({ index }) => index);
  const at = digits[Math.floor(random() * digits.length)] ?? cell.search(/\d/);
  const digit = (Number(cell[at]) + 1 + Math.floor(random() * 8)) % 10;
  const changed = cells.with(place, cell.slice(0, at) + digit + cell.slice(at + 1));
  return {
    how: `another digit in ${columns.split(' | ')[place]?.replace(/.*=/, '') ?? ''}`,
    file: { ...file, rows: file.rows.with(row, changed) },
    isBare: false,
    before: file,
  };
}
