/**
 * Which column of a table of a bank has what. The contents decide, and the names of columns where several have the same kind of
 * content. What is still open is not guessed: the file is refused.
 */
import { BudgetError } from '../../../base/errors.ts';
import { decimalSigns, looksLikeAmount, looksLikeDate, readAmount } from './written-values.ts';

export interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

export interface Columns {
  readonly date: Column;
  /** One column with signs, or two with sizes. */
  readonly amount?: Column;
  readonly debit?: Column;
  readonly credit?: Column;
  /** Says whether an amount is an outflow. */
  readonly direction?: Column;
  /** The name of the other side, and then what it was for. */
  readonly texts: readonly Column[];
  readonly account?: Column;
  readonly currency?: Column;
  readonly status?: Column;
}

/** The names of columns in the languages of banks, without accents and in small letters. */
const named = {
  booked:
    /book|buch|post(ed|ing|date)|process|operac|operation|contabil|ksieg|zauct|uctov|provede|boek|bokf|bogf|kirjaus|tranza?[kc]|transaction ?date|transaktionsdat|islem|mouvement/,
  valued: /valu|wert|effectiv|interest|rente|ertek|execution|settle|beleg|purchase|start/,
  amount:
    /amount|betrag|umsatz|montant|import[eo]\b|importe|valor|kwota|castka|bedrag|belob|belopp|summa|maara|tutar|osszeg|value|suma|gross|brutto|^money$/,
  notAmount:
    /balance|saldo|solde|stand|egyenleg|zustatek|bakiye|saldi|fee|gebuhr|commission|tax|vat\b|rate|kurs|koers|exchange|foreign|original|fremd|local|oorspr|puvodni|number|nummer|numero|cislo|\bid\b|account|konto\b|check|cheque|reference|net\b|vs$|ks$|ss$/,
  debit:
    /debit|debet|soll\b|cargo|\bdare\b|addebit|withdraw|paid ?out|money ?out|outflow|uitgaven|\bausgang|lastschrift|spent|obciaz|payments?$/,
  credit:
    /credit|kredit|haben\b|abono|avere|accredit|deposit|paid ?in|money ?in|inflow|eingang|gutschrift|received|uznan/,
  name: /payee|^name|naam|beneficiary|beguenstigt|beguns?tigt|empfanger|auftraggeber|zahlungspflicht|merchant|counterpart|partner|nazev proti|odbiorc|kontrahent|nadawca|tegenpartij|ordenante|beneficiar|destinat|saaja|mottagare|modtager|vendor|alici/,
  purpose:
    /descri|purpose|verwendung|memo|detail|libelle|concept|omschr|opis|tytul|popis|zprava|poznamka|narrative|message|mededeling|buchungstext|text|kozlem|causale|specification|selite|viesti|aciklama|transaction$|reference$|particulars|note|historic|kommunikat|communication|mitteilung/,
  account:
    /^(account|rekening|konto|compte|cuenta|conto|kontonummer|rekeningnummer|iban|account number|cislo uctu)$/,
  /** Never of the other side. */
  ownAccount:
    /^(own (account|iban)|((iban )?(auftrags|auftraggeber))konto|account name|szamlaszam|iban\/bban|accountnumber)$/,
  currency: /curr|wahrung|waehrung|devise|devisa|moneda|valuta|walut|mena|munt|deviz|monnaie/,
  direction:
    /debit|debet|credit|kredit|soll|haben|\baf ?\/?bij|\b(d|dr|s|in)\s?\/\s?(c|cr|h|out)\b|\b(c|cr|h|out)\s?\/\s?(d|dr|s|in)\b|direction|sign|richt|segno|sens\b|\btype$/,
  status: /^(status|state|stato|estado|booking status|buchungsstatus)$/,
} as const;

/** Each is compared with each other one. */
const MAX_SEARCHED = 6;

const plain = (name: string) =>
  name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l').replaceAll('ø', 'o').trim();

/** How many cells of a line are names of columns of a bank. */
export const knownNames = (line: readonly string[]): number =>
  line.filter((cell) => Object.values(named).some((pattern) => pattern.test(plain(cell)))).length;

const isNamed = ({ name }: Column, what: keyof typeof named) => named[what].test(plain(name));
const filled = ({ cells }: Column) => cells.filter((cell) => cell.trim() !== '');
const isComplete = (each: Column) => filled(each).length === each.cells.length;

/** Throws `invalid_input` if a column cannot be told. */
export function columnsOf(all: readonly Column[]): Columns {
  const dates = all.filter((each) => filled(each).length > 0 && filled(each).every(looksLikeDate));
  const date =
    dates.find((each) => isNamed(each, 'booked') && !isNamed(each, 'valued')) ??
    dates.find((each) => !isNamed(each, 'valued')) ??
    dates[0];
  if (!date) throw refusal('the date');
  const numbers = all.filter(
    (each) => !dates.includes(each) && filled(each).every(looksLikeAmount) && /\d/.test(each.cells.join('')),
  );
  const others = all.filter(
    (each) => !dates.includes(each) && !numbers.includes(each) && filled(each).length > 0,
  );
  const currency = all.find(
    (each) =>
      isNamed(each, 'currency') &&
      filled(each).length > 0 &&
      filled(each).every((cell) => /^[A-Z]{3}$/.test(cell.trim())),
  );
  // A column that differs by rows may have the accounts of the other side.
  const account = all.find(
    (each) =>
      isComplete(each) &&
      (isNamed(each, 'ownAccount') ||
        (isNamed(each, 'account') && each.cells.length > 1 && new Set(each.cells).size === 1)),
  );
  const status = others.find((each) => isNamed(each, 'status'));
  const amounts = amountColumns(numbers, all);
  const rest = others.filter((each) => ![currency, account, status].includes(each));
  const direction = amounts.amount && directionOf(amounts.amount, rest);
  return {
    date,
    ...amounts,
    ...(direction && { direction }),
    texts: textColumns(rest.filter((each) => each !== direction)),
    ...(account && { account }),
    ...(currency && { currency }),
    ...(status && { status }),
  };
}

function amountColumns(
  numbers: readonly Column[],
  all: readonly Column[],
): Pick<Columns, 'amount' | 'debit' | 'credit'> {
  const debit = numbers.find((each) => isNamed(each, 'debit') && !isNamed(each, 'credit'));
  const credit = numbers.find((each) => isNamed(each, 'credit') && !isNamed(each, 'debit'));
  const named = numbers.filter((each) => isNamed(each, 'amount') && !isNamed(each, 'notAmount'));
  const complete = named.filter(isComplete);
  const [one, other] = complete.length > 0 ? complete : named;
  const exact = named.find((each) =>
    /^(amount|betrag|umsatz|montant|importe|importo|valor|kwota|castka|bedrag|belob|belopp|summa)$/.test(
      plain(each.name),
    ),
  );
  if (one && (!other || sameCells(one, other) || exact)) return { amount: exact ?? one };
  if (debit && credit && isExclusive(debit, credit)) return { debit, credit };
  const lone = debit ?? credit;
  const empty = all.some((each) => filled(each).length === 0 && isNamed(each, debit ? 'credit' : 'debit'));
  if (lone && empty) return debit ? { debit } : { credit: lone };
  const possible = numbers.filter((each) => isComplete(each) && !isNamed(each, 'notAmount'));
  if (possible.length > MAX_SEARCHED) throw refusal('the amount');
  const unbalanced = possible.filter(
    (each) => !possible.some((amount) => amount !== each && isBalanceOf(each, amount.cells)),
  );
  const [only, second] = unbalanced;
  if (only && !second) return { amount: only };
  const [left, right, more] = numbers.filter((each) => !isComplete(each) && !isNamed(each, 'notAmount'));
  const [balance] = possible;
  // Without names, the balance says which of two columns is which. Without a balance nothing does.
  if (left && right && !more && balance && isExclusive(left, right)) {
    const amounts = (debit: Column, credit: Column) =>
      debit.cells.map((cell, index) =>
        cell.trim() === '' ? (credit.cells[index] ?? '') : `-${cell.trim()}`,
      );
    if (isBalanceOf(balance, amounts(left, right))) return { debit: left, credit: right };
    if (isBalanceOf(balance, amounts(right, left))) return { debit: right, credit: left };
  }
  throw refusal('the amount');
}

const sameCells = (one: Column, other: Column) =>
  one.cells.every((cell, index) => cell === other.cells[index]);

/** Whether each row has an amount in one of them only. An amount of 0 is none. */
const isExclusive = (one: Column, other: Column) =>
  one.cells.every((cell, index) => !/[1-9]/.test(cell) || !/[1-9]/.test(other.cells[index] ?? ''));

/** Whether a column has the balance after each amount, in either order of the rows. The first row that does not fit ends it. */
function isBalanceOf({ cells }: Column, amounts: readonly string[]): boolean {
  if (amounts.length < 3) return false;
  return decimalSigns.some((sign) => {
    const read = (cell = '') => readAmount(cell, sign) ?? Number.NaN;
    const fits = (step: 1 | -1) =>
      cells.every((cell, index) => {
        const before = cells[index - step];
        const change = read(cell) - (before === undefined ? 0 : read(before));
        return before === undefined ? !Number.isNaN(change) : change === read(amounts[index]);
      });
    return fits(1) || fits(-1);
  });
}

const OUTFLOW = /^(d|o|dr|db|deb(it|et)?|s|soll|af|out|outflow|uit|-|money out|ausgabe)$/;
const INFLOW = /^(c|i|cr|cred(it)?|kredit|k|h|haben|bij|in|inflow|\+|money in|einnahme)$/;

export const isOutflow = (cell: string) => OUTFLOW.test(plain(cell));

/** Only where the amounts have no signs of their own. A column of one letter only needs a name that says so. */
const directionOf = (amount: Column, others: readonly Column[]) =>
  filled(amount).some((cell) => /[-\u2212(]/.test(cell))
    ? undefined
    : others.find((each) => {
        const cells = each.cells.map(plain);
        const isMixed = cells.some((cell) => OUTFLOW.test(cell)) && cells.some((cell) => INFLOW.test(cell));
        return (
          cells.every((cell) => OUTFLOW.test(cell) || INFLOW.test(cell)) &&
          (isMixed || isNamed(each, 'direction'))
        );
      });

/** Without a name that says so, the column with the longest texts has the purpose. */
function textColumns(others: readonly Column[]): readonly Column[] {
  const names = others.filter(
    (each) => isNamed(each, 'name') && !/iban|bic|konto|account|rekening|cislo/.test(plain(each.name)),
  );
  const purposes = others.filter((each) => isNamed(each, 'purpose') && !names.includes(each));
  if (names.length + purposes.length > 0) return [...names, ...purposes];
  const length = ({ cells }: Column) => cells.reduce((sum, cell) => sum + cell.length, 0);
  return others.toSorted((one, other) => length(other) - length(one)).slice(0, 1);
}

/** Names no column: a line that is taken for the names may be a row. */
const refusal = (what: string) =>
  new BudgetError(
    'invalid_input',
    `It is not clear which column has ${what}. Name the columns in the first line, such as Date, Payee, Amount, or export OFX, QIF, CAMT or MT940.`,
  );
