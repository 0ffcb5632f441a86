/**
 * Reads tables with any delimiter, with or without names of columns, and with lines before and after them. A reading is a hypothesis:
 * which column has the date, and in which way which columns have the changes. Kinds of cells narrow them, balances strike out, and
 * among those that are left the words of columns decide (docs/statements.md).
 */
import { createHash } from 'node:crypto';
import { BudgetError, invalidInput } from '../../../base/errors.ts';
import { groupBy } from '../../../base/group-by.ts';
import { memo } from '../../../base/memo.ts';
import {
  type AmountWay,
  amountWays,
  changesOf,
  decimalsOf,
  isSigned,
  type Numbers,
  numbersIn,
} from './amount-ways.ts';
import { judgeBalance, type Verdict } from './balance-judge.ts';
import { isNotBooked, says } from './column-words.ts';
import {
  accountColumn,
  currencyColumn,
  dateColumn,
  isOldestFirst,
  refusal,
  statusColumn,
} from './role-columns.ts';
import { rowTexts } from './row-texts.ts';
import { rowsThatAreNone } from './summary-rows.ts';
import { type Line, tableLines } from './table-lines.ts';
import { type Column, cellOf, shapeOf, type TableShape } from './table-shape.ts';
import { StatementRows, type WrittenFile } from './written-statement.ts';
import { type DecimalSign, decimalSigns, readAmount } from './written-values.ts';

/** So many rows are not all refunds. */
const MIN_PURCHASES = 3;
/** Each is compared with each column of numbers. Files of banks have fewer than 50. */
const MAX_WAYS = 150;

/** Several if nothing says which mark is that of decimals. Throws `invalid_input` if no reading is right, or two are. */
export function readTable(source: string): readonly WrittenFile[] {
  const shape = shapeOf(tableLines(source));
  const readings: Reading[] = [];
  let problem: unknown;
  for (const decimals of decimalsOf(shape.columns))
    try {
      readings.push(readWith(shape, decimals));
    } catch (error) {
      problem ??= error;
    }
  const files = readings
    .filter(({ isProven }) => isProven || !(problem instanceof Contradicted))
    .map(({ file }) => file);
  const [first, second] = files;
  if (!first) throw problem;
  return second && amountsOf(first) === amountsOf(second) ? [first] : files;
}

interface Reading {
  readonly file: WrittenFile;
  readonly isProven: boolean;
}

/** Most balances follow from the amounts and one does not, so that amounts with another mark have to be proven. */
class Contradicted extends BudgetError {}

function refuseContradicted({ lineOf }: TableShape, { contradicted }: Partial<Judged> = {}): void {
  if (contradicted)
    throw new Contradicted(
      'invalid_input',
      `Line ${lineOf(contradicted.row)}: the balance does not follow from the amounts. Is a row missing or changed? Export the file again.`,
    );
}

const amountsOf = ({ statements }: WrittenFile) =>
  JSON.stringify(statements.map(({ rows }) => rows.map(({ amount }) => amount)));

const isEqual = (one: readonly number[], other: readonly number[]) =>
  one.every((each, row) => each === other[row]);

interface Judged extends Verdict {
  readonly way: AmountWay;
  readonly changes: readonly number[];
}

function readWith(shape: TableShape, decimals: DecimalSign): Reading {
  const { columns, rows, sample, title, header } = shape;
  const { date, others } = dateColumn(columns);
  const currency = currencyColumn(columns);
  const [iban] = title.flat().flatMap((cell) => IBAN.exec(cell.slice(0, 200))?.[0] ?? []);
  const account = accountColumn(columns, iban);
  const isAscending = isOldestFirst(date.cells);
  const judge = (way: AmountWay, numbers: Numbers, groups: Groups): Judged => {
    const changes = changesOf(way, numbers);
    const own = new Set(way.parts.map(({ at }) => at));
    return { way, changes, ...judgeBalance(changes, own, columns, numbers, groups, isAscending) };
  };
  const tried = numbersIn(sample, decimals);
  const ways = amountWays(columns, tried, isAscending !== undefined).filter((way) => {
    const changes = changesOf(way, tried).filter((change) => !Number.isNaN(change));
    return changes.length * 2 > sample.length && changes.some((change) => change !== 0);
  });
  if (ways.length > MAX_WAYS)
    throw invalidInput(
      'Too many columns may have the amounts. Export fewer of them, or OFX, QIF, CAMT or MT940.',
    );
  const { possible, areFeesOpen } = withFees(ways, columns, tried);
  const judgeBy = (...by: readonly (Column | undefined)[]) => {
    const groups = groupsOf(sample, by);
    return possible.map((way) => judge(way, tried, groups));
  };
  const judged = judgeBy(account, currency);
  // A balance over rows of several currencies shows that the column has another one.
  const across =
    currency && !judged.some(({ isProven }) => isProven)
      ? judgeBy(account).filter(({ isProven }) => isProven)
      : [];
  const isAcross = across.length > 0;
  // What most changes of another way explain is a balance, and no amount.
  const balances = new Set(judged.map(({ contradicted }) => contradicted?.at));
  const left = judged.filter(({ way }) => !way.parts.some(({ at }) => balances.has(at)));
  const usable = isAcross ? across : left.filter(({ isProven, way }) => isProven || way.rank >= 0);
  if (!usable.some(({ isProven }) => isProven))
    refuseContradicted(
      shape,
      judged.find((each) => each.contradicted),
    );
  const chosen = choose(usable, areFeesOpen);
  const all = numbersIn(rows, decimals);
  const groups = groupsOf(rows, isAcross ? [account] : [account, currency]);
  const final = judge(chosen.way, all, groups);
  refuseContradicted(shape, left.find((each) => isContradiction(chosen, each)) ?? final);
  const status = statusColumn(columns);
  const roles = [date, currency, account, status, chosen.way.direction];
  const textsOf = rowTexts(shape, new Set(roles.map((each) => each?.at)));
  const texts = rows.map((row, index) => textsOf(row, index, final.changes[index] ?? 0));
  const none = rowsThatAreNone(rows, columns, final.changes, texts, groups, final.isProven);
  const statements = new StatementRows();
  const [ofColumn] = chosen.way.parts.flatMap(({ at }) => currencyIn(header?.[at] ?? '') ?? []);
  const currencyOf = (row: Line) =>
    chosen.way.parts.reduce<string | undefined>(
      (found, { at }) => found ?? currencyIn(row[at] ?? ''),
      undefined,
    );
  const isUnbooked = memo(isNotBooked);
  let skipped = shape.left;
  for (const [index, row] of rows.entries()) {
    const amount = final.changes[index] ?? 0;
    const isOpen = !/\d/.test(cellOf(row, date)) || isUnbooked(cellOf(row, status));
    if (isOpen || none.has(index) || final.unbooked.has(index) || amount === 0) skipped += 1;
    else if (Number.isNaN(amount))
      throw invalidInput(
        `Line ${shape.lineOf(index)}: its amount, or the word for its direction, cannot be read in the way of the other rows.`,
      );
    else
      statements.add(
        { date: cellOf(row, date), amount, ...texts[index] },
        cellOf(row, account).replaceAll('"', '') || iban,
        (isAcross ? '' : cellOf(row, currency)) || currencyOf(row) || ofColumn,
      );
  }
  const names = header ?? columns.map(({ kind }) => kind);
  const file: WrittenFile = {
    format: 'CSV',
    kind: createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16),
    decimals: isDecided(all, chosen.way, decimals) ? decimals : undefined,
    statements: statements.all,
    otherDates: others.flatMap(({ at }) => rows.map((row) => row[at] ?? '')),
    openSigns: openSignsOf(shape, chosen, judged),
    skipped,
  };
  return { file, isProven: chosen.isProven };
}

function openSignsOf(
  { columns, rows, sample }: TableShape,
  { way, changes, isProven }: Judged,
  judged: readonly Judged[],
): WrittenFile['openSigns'] {
  const hasSigns = columns[way.parts[0]?.at ?? 0]?.cells.some(isSigned);
  const complete = columns.filter(({ filled }) => filled === sample.length);
  // A balance does not reach the first row, and one of two letters or words may say what was spent.
  const letters = complete.find(
    ({ kind, distinct, cells }) =>
      kind === 'text' &&
      distinct === 2 &&
      (cells.every(({ length }) => length <= 2) || (way.rank < 0 && cells.length < MIN_PURCHASES + 1)),
  );
  if (letters && !hasSigns && (!way.isDirected || way.rank < 0) && !way.direction && way.parts.length === 1)
    throw refusal(`It is not clear which letter or word in column ${letters.at + 1} means what was spent.`);
  if (way.isDirected) return undefined;
  // Equal amounts of one day agree with a balance in both directions.
  const turned = changes.map((change) => 0 - change);
  const isEither = judged.some((each) => each.isProven && isEqual(each.changes, turned));
  if (hasSigns || (isProven && !isEither)) return 'signed';
  const isPurchase = rows.length >= MIN_PURCHASES && complete.some(({ name }) => says(name, 'merchant'));
  return isPurchase ? 'purchases' : 'unsigned';
}

type Groups = readonly (readonly number[])[];

/** The indexes of the rows that have the same cells in some columns. */
function groupsOf(lines: readonly Line[], columns: readonly (Column | undefined)[]): Groups {
  const given = columns.filter((each) => each !== undefined);
  const keyOf = (index: number) => given.map((each) => cellOf(lines[index], each)).join('\n');
  return [...groupBy(lines.keys(), keyOf).values()];
}

/** True if most changes of another way that has the first column agree with a balance, unless a balance proves more columns. */
const isContradiction = ({ way: { parts }, isProven }: Judged, other: Judged) =>
  other.contradicted !== undefined &&
  other.way.parts.some(({ at }) => at === parts[0]?.at) &&
  (!isProven || (parts.length === 1 && other.way.parts.length > 1 && !other.way.direction));

/** True if an amount has a mark that is one of decimals. */
const isDecided = ({ rows }: Numbers, { parts }: AmountWay, decimals: DecimalSign) =>
  parts.some(({ at }) =>
    rows.some(({ [at]: cell = '' }) =>
      decimalSigns.some((each) => each !== decimals && cell !== '' && readAmount(cell, each) === undefined),
    ),
  );

/** By a balance that proves it, and else by the words of its columns. Throws `invalid_input` if several are as good. */
function choose(judged: readonly Judged[], areFeesOpen: boolean): Judged {
  const proven = judged.filter(({ isProven }) => isProven);
  if (areFeesOpen && proven.length === 0)
    throw refusal(
      'It is not clear whether the amounts contain the fees. Export the balance after each row too, or remove the fees if the amounts contain them.',
    );
  const left = proven.length > 0 ? proven : judged;
  const best = Math.max(...left.map(({ way }) => way.rank));
  const bests = left.filter(({ way }) => way.rank === best);
  // A column of the sizes of another one says less.
  const [first, ...others] = bests.filter(
    ({ changes }) =>
      !bests.some((each) => !isEqual(each.changes, changes) && isEqual(each.changes.map(Math.abs), changes)),
  );
  if (!first) throw refusal('It is not clear which column has the amount.');
  const other = others.find(({ changes }) => !isEqual(first.changes, changes));
  if (other)
    throw refusal(
      `It is not clear which column has the amount, and in which direction: ${columnsOf(first)}, or ${columnsOf(other)}.`,
    );
  // One that says more about the same changes is as good.
  const directed = left.find(
    ({ way, changes }) =>
      way.isDirected && isEqual(first.changes, changes) && (proven.length === 0 || way.rank >= 0),
  );
  return first.way.isDirected ? first : (directed ?? first);
}

const columnsOf = ({ way }: Judged) => `column ${way.parts.map(({ at }) => at + 1).join(' with ')}`;

/** With the fees that amounts do not contain. They are open if only a balance can say whether they do. */
function withFees(ways: readonly AmountWay[], columns: readonly Column[], numbers: Numbers) {
  const fees = columns.filter(
    ({ at, kind, name }) =>
      kind === 'number' &&
      says(name, 'fee') &&
      !says(name, 'total') &&
      numbers.of(at).some((each) => each !== 0),
  );
  const [fee] = fees;
  if (!fee) return { possible: ways, areFeesOpen: false };
  const feeAt = new Set(fees.map(({ at }) => at));
  const main = ways.filter(({ rank, parts }) => rank >= 0 && !parts.some(({ at }) => feeAt.has(at)));
  // As sizes, or with the sign of their change.
  const added = main.flatMap((way) =>
    ([-1, 1] as const).map((by) => ({
      ...way,
      parts: [...way.parts, { at: fee.at, by }],
      rank: way.rank - 500,
    })),
  );
  // A column with the total has the change of the account.
  const totals = main
    .filter(({ parts }) => parts.some(({ at }) => says(columns[at]?.name ?? '', 'total')))
    .map((way) => changesOf(way, numbers));
  const total = added.find((way) => totals.some((each) => isEqual(each, changesOf(way, numbers))));
  if (total) return { possible: [{ ...total, rank: 120 }], areFeesOpen: false };
  return { possible: [...main, ...added], areFeesOpen: true };
}

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?\b/;
const currencies = new Set(Intl.supportedValuesOf('currency'));
/** ¥ is of Japan or of China. */
const symbols = new Map(Object.entries({ '€': 'EUR', '£': 'GBP', '¥': '¥' }));

/** For an amount, or the name of its column. */
function currencyIn(text: string): string | undefined {
  const found = /[€£¥]|(?<!\p{L})[A-Z]{3}(?!\p{L})/u.exec(text)?.[0] ?? '';
  return symbols.get(found) ?? (currencies.has(found) ? found : undefined);
}
