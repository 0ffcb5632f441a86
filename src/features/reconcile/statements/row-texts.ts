/** Whose name a row of a table has, and what it was for: never the owner's own name, and no number of an account. */
import { countsOf } from '../../../base/group-by.ts';
import { says } from './column-words.ts';
import type { Line } from './table-lines.ts';
import { type Column, cellOf, type TableShape } from './table-shape.ts';

export interface RowText {
  readonly payee?: string | undefined;
  readonly purpose?: string | undefined;
}

const ACCOUNT = /^'?([A-Z]{2}\d{2}[A-Z\d ]{0,32}|[A-Z]{2}\d\d[A-Z]{4}X+\d*|[\dX*./ -]{4,34})'?$/;
const TIME = /^\d{1,2}:\d\d(:\d\d)?$/;
const WORD = /\p{L}{3}/u;
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
  const described = rest
    .filter(({ name }) => !NO_NAME.test(name))
    .toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const [unknown] = described;
  const isBetter =
    unknown && (!purpose || (unknown.filled > purpose.filled && unknown.distinct >= purpose.distinct));
  const own = names.length === 0 && unknown && isBetter ? [unknown] : names;
  const payer = speaking.find(({ name }) => says(name, 'payer') && !says(name, 'payee'));
  const payee = speaking.find(({ name }) => says(name, 'payee') && !says(name, 'payer'));
  const pair = payer && payee ? [payee, payer] : [];
  const ownName = commonName(pair);
  const [ofSpent = [], ofReceived = []] = [pair, pair.toReversed()].map((order) => [
    ...new Set([...order, ...own]),
  ]);
  const more = described.filter(
    (each) => !own.includes(each) && each.distinct > 2 && !says(each.name, 'code') && isMostly(each, WORD),
  );
  const others = own.length > 0 && purposes.length > 0 ? purposes : [...purposes, ...more.slice(0, 2)];
  return (row, index, change) => {
    const at = (column: Column | undefined) => {
      const cell = cellOf(row, column);
      return cell === ownName ? '' : cell;
    };
    const name = (change < 0 ? ofSpent : ofReceived)
      .map(at)
      .find((cell) => cell !== '' && !ACCOUNT.test(cell));
    const found = others.filter((each) => at(each) !== '' && at(each) !== name);
    const one = (name !== undefined && found.find((each) => !at(each).includes(name))) || found[0];
    // Without a name, several descriptions say more than one.
    const further =
      name === undefined && found.length > 1
        ? found.slice(1, 3).filter((each) => speaking.includes(each) && at(each) !== at(one))
        : [];
    const isPair = further.length > 0;
    const about = isPair ? further.map(at).join(' ') : at(one);
    const written = [about, continued.get(index)].filter(Boolean).join(' ');
    const text = written || (name === undefined ? rest.map(at).find(Boolean) : '');
    return { payee: isPair ? at(one) : name, purpose: text || undefined };
  };
}

/** A column Details may have kinds of bookings, and one of references only numbers. */
const rankOf = ({ name, distinct }: Column) => (/reference/.test(name) ? 0 : distinct);

const lengthOf = ({ cells, distinct }: Column) =>
  distinct * cells.reduce((sum, { length }) => sum + Math.min(length, 60), 0);

const isMostly = ({ cells, filled }: Column, pattern: RegExp) =>
  cells.filter((cell) => cell !== '' && pattern.test(cell)).length * 2 > filled;

/** A name that is the payer of some rows and the payee of others is the owner's, if it is the most common of both. */
function commonName(columns: readonly Column[]): string | undefined {
  const [one, other] = columns.map(({ cells }) => [...countsOf(cells.filter(Boolean)).keys()][0]);
  return one === other ? one : undefined;
}
