/** Whose name a row of a table has, and what it was for: never the owner's own name, and no number of an account. */
import { countsOf } from '../../../base/group-by.ts';
import { says } from './column-words.ts';
import type { Line } from './table-lines.ts';
import type { Column, TableShape } from './table-shape.ts';

export interface RowText {
  readonly payee?: string | undefined;
  readonly purpose?: string | undefined;
}

const ACCOUNT = /^'?([A-Z]{2}\d{2}[A-Z\d ]{0,32}|[A-Z]{2}\d\d[A-Z]{4}X+\d*|[\dX*./ -]{4,34})'?$/;
const TIME = /^\d{1,2}:\d\d(:\d\d)?$/;
/** Kinds, places and states of a payment, which are no names. */
const NO_NAME =
  /categor|kategor|type|\btyp\b|art\b|kind|status|state|time|city|country|location|mutatie|betaalwijze|method|currency|\bcode\b|branch|filiale|valut|waehrung|wahrung|munt/;

/** Returns a function for the texts of a row whose change is known. */
export function rowTexts(
  { columns, continued }: TableShape,
  taken: ReadonlySet<number | undefined>,
): (row: Line, index: number, change: number) => RowText {
  const texts = columns.filter(
    (each) => each.kind === 'text' && each.filled > 0 && !taken.has(each.at) && !isMostly(each, TIME),
  );
  const isSame = ({ distinct, filled, cells }: Column) =>
    distinct === 1 && filled === cells.length && filled > 1;
  const speaking = texts.filter((each) => !isMostly(each, ACCOUNT));
  const varying = speaking.filter((each) => !isSame(each));
  const names = varying.filter(({ name }) => says(name, 'name') && !says(name, 'code'));
  const purposes = texts
    .filter((each) => !isSame(each))
    .filter((each) => says(each.name, 'purpose') && !names.includes(each))
    .toSorted((one, other) => rankOf(other) - rankOf(one));
  const [purpose] = purposes;
  const rest = varying.filter((each) => !names.includes(each) && !purposes.includes(each));
  // Without a known word, the text that is there most often and differs most is better than none.
  const unknown = rest
    .filter(({ name }) => !NO_NAME.test(name))
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  const isBetter =
    unknown && (!purpose || (unknown.filled > purpose.filled && unknown.distinct >= purpose.distinct));
  const own = names.length === 0 && unknown && isBetter ? [unknown] : names;
  const payer = speaking.find(({ name }) => says(name, 'payer') && !says(name, 'payee'));
  const payee = speaking.find(({ name }) => says(name, 'payee') && !says(name, 'payer'));
  const bySign = payer && payee ? { payer, payee } : undefined;
  const others =
    purposes.length > 0
      ? purposes
      : rest
          .filter((each) => !own.includes(each) && !NO_NAME.test(each.name) && each.distinct > 2)
          .slice(0, 1);
  const ownName = bySign && ownNameIn(bySign.payer, bySign.payee);
  return (row, index, change) => {
    const at = (column: Column | undefined) => row[column?.at ?? -1] ?? '';
    const first = (all: readonly Column[]) => all.map(at).find((cell) => cell !== '' && cell !== ownName);
    const order = bySign && (change < 0 ? [bySign.payee, bySign.payer] : [bySign.payer, bySign.payee]);
    const named = order ? [...order, ...own.filter((each) => !order.includes(each))] : own;
    const name = first(named.filter((each) => !ACCOUNT.test(at(each))));
    const more = continued.get(index);
    const [one, two] = others.filter((each) => at(each) !== '' && at(each) !== name && at(each) !== ownName);
    // Without a name, two descriptions say more than one.
    const isPair = name === undefined && two && speaking.includes(two) && at(two) !== at(one);
    const written = [at(isPair ? two : one), more].filter(Boolean).join(' ');
    const text = written || (name === undefined ? first(rest) : '');
    return { payee: isPair ? at(one) : name, purpose: text === '' ? undefined : text };
  };
}

/** A column Details may have kinds of bookings, and one of references only numbers. */
const rankOf = ({ name, distinct }: Column) => (/reference/.test(name) ? 0 : distinct);

const lengthOf = ({ cells, distinct }: Column) =>
  distinct * cells.reduce((sum, { length }) => sum + Math.min(length, 60), 0);

const isMostly = ({ cells, filled }: Column, pattern: RegExp) =>
  cells.filter((cell) => cell !== '' && pattern.test(cell)).length * 2 > filled;

/** A name that is the payer of some rows and the payee of others is the owner's, if it is the most common of both. */
function ownNameIn(...columns: readonly [payer: Column, payee: Column]): string | undefined {
  const [payer, payee] = columns.map(({ cells }) => {
    const [most] = countsOf(cells.filter((cell) => cell !== '')).keys();
    return most;
  });
  return payer === payee ? payer : undefined;
}
