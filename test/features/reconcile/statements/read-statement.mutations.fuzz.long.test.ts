/**
 * Parts of files, and files with one other digit: each is read as its rows are, or refused, or asked about. With FUZZ_TIMES many more
 * of them are tried.
 */
import { expect, it } from 'vitest';
import { readDate } from '../../../../src/features/reconcile/statements/written-values.ts';
import { fuzzRuns } from '../../../fuzz.helper.ts';
import { type Altered, altered } from './altered-file.helper.ts';
import { dialects } from './bank-dialects.helper.ts';
import { type BankFile, bankFile, bytesOf, expectedOf, randomOf } from './bank-file.helper.ts';
import { isAsked, readFile, textRows } from './read-file.helper.ts';

const FILES = 3_000;

const plain = (statements: readonly (readonly (readonly unknown[])[])[]) =>
  JSON.stringify(statements.map((rows) => rows.map(([date, amount]) => [date, amount])));

/** The rows that the file says. Without names of columns, nothing says which of several columns of days is that of booking. */
function possibleRows({ file, isBare, before }: Altered): readonly string[] {
  const all = [plain(expectedOf(before ?? file))];
  if (!isBare) return all;
  const dayOf = (cell: string) =>
    readDate(cell, file.dialect.date.startsWith('Y') ? 'year first' : orderOf(file));
  for (const at of (file.rows[0] ?? []).keys()) {
    const days = file.rows.map((row) => dayOf(row[at] ?? '') ?? '');
    if (days.every((day) => day !== ''))
      all.push(
        plain(
          expectedOf({
            ...file,
            known: file.known.map((row, index) => ({ ...row, date: days[index] ?? '' })),
          }),
        ),
      );
  }
  return all;
}

const orderOf = ({ dialect }: BankFile) => (/^M/i.test(dialect.date) ? 'month first' : 'day first');

it('at most one of 5,000 parts and changed files is read otherwise than it says, without a question', () => {
  const all = Object.entries(dialects);
  const count = fuzzRuns(FILES);
  const outcomes = { right: 0, asked: 0, refused: 0, different: 0 };
  const different: unknown[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    const [name, dialect] = all[seed % all.length] ?? ['', undefined];
    if (!dialect) continue;
    const change = altered(bankFile(dialect, seed), randomOf(-seed));
    const read = readFile(dialect, bytesOf(change.file, change.isBare));
    if (typeof read === 'string') outcomes.refused += 1;
    // Of statements of several accounts, a person chooses one.
    else if (isAsked(read) || read.length > expectedOf(change.file).length) outcomes.asked += 1;
    else if (possibleRows(change).includes(plain(textRows(read)))) outcomes.right += 1;
    else {
      outcomes.different += 1;
      different.push([name, seed, change.how, change.file.rows, textRows(read)]);
    }
  }
  if (process.env['FUZZ_TIMES'] !== undefined) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  expect(outcomes.different, JSON.stringify(different.slice(0, 5))).toBeLessThanOrEqual(count / 5_000);
  expect(outcomes.right).toBeGreaterThan(count / 2);
});
