/** A column of a table of a bank: what its name says in the languages of banks, and what its cells say. */
import { invalidInput } from '../../../base/errors.ts';

export interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

/** The names of columns in the languages of banks, without accents and in small letters. */
const named = {
  booked:
    /book|buch|post(ed|ing|date)|process|operac|operation|contabil|ksieg|zauct|uctov|provede|boek|bokf|bogf|kirjaus|tranza?[kc]|transaction ?date|transaktionsdat|islem|mouvement/,
  valued: /valu|valor|wert|effectiv|interest|rente|ertek|execution|settle|beleg|purchase|start/,
  amount:
    /amount|betrag|umsatz|montant|import[eo]\b|importe|valor|kwota|castka|bedrag|belob|belopp|summa|maara|tutar|osszeg|value|suma|gross|brutto|^money$/,
  notAmount:
    /balance|saldo|solde|stand|egyenleg|zustatek|bakiye|saldi|fee|gebuhr|commission|comision|entgelt|frais|tax|vat\b|rate|kurs|koers|exchange|foreign|original|fremd|local|oorspr|puvodni|number|nummer|numero|cislo|\bid\b|account|konto\b|check|cheque|reference|net\b|\b[vks]s$/,
  debit:
    /debit|debet|soll\b|belast|uscit|\but fra\b|cargo|\bdare\b|addebit|withdraw|paid ?out|money ?out|outflow|uitgaven|\bausgang|lastschrift|spent|obciaz|payments?$/,
  credit:
    /credit|kredit|haben\b|entrat|\binn pa\b|abono|avere|accredit|deposit|paid ?in|money ?in|inflow|eingang|gutschrift|received|uznan/,
  fee: /\bfees?\b|gebuhr|commission|comision|entgelt|frais/,
  /** Of an amount and its fee. */
  total: /\bnet(to)?\b|total|gesamt/,
  name: /payee|^name|naam|beneficiary|beguenstigt|beguns?tigt|empfanger|auftraggeber|zahlungspflicht|merchant|counter ?part|partner|nazev proti|odbiorc|kontrahent|nadawca|tegenpartij|ordenante|beneficiar|destinat|saaja|mottagare|modtager|vendor|alici/,
  purpose:
    /descri|purpose|verwendung|memo|detail|libelle|concept|omschr|opis|tytul|popis|zprava|poznamka|narrative|message|mededeling|buchungstext|te[kx]s?t|kozlem|causale|specification|selite|viesti|aciklama|transaction$|reference$|particulars|note|historic|kommunikat|communication|mitteilung/,
  account:
    /^(account|rekening|konto|compte|cuenta|conto|kontonummer|rekeningnummer|iban|account number|cislo uctu)$/,
  /** Never of the other side. */
  ownAccount:
    /^(own (account|iban)|((iban )?(auftrags|auftraggeber))konto|account name|szamlaszam|iban\/bban|accountnumber)$/,
  currency:
    /^(?!.*(original|exchange|foreign|fremd|local|oorspr|puvodni)).*(curr|wahrung|waehrung|devise|devisa|moneda|valuta|walut|mena|munt|deviz|monnaie)/,
  direction:
    /debit|debet|credit|kredit|soll|haben|\baf ?\/?bij|\b(d|dr|s|in)\s?\/\s?(c|cr|h|out)\b|\b(c|cr|h|out)\s?\/\s?(d|dr|s|in)\b|direction|sign|richt|segno|sens\b|\btype$/,
  status: /^(status|state|stato|estado|booking status|buchungsstatus)$/,
} as const;

/** No name is longer, and time grows with the square of the accents on one letter. */
const MAX_LENGTH = 200;

export const plain = (name: string) =>
  name
    .slice(0, MAX_LENGTH)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .trim();

/** How many cells of a line are names of columns of a bank. */
export const knownNames = (line: readonly string[]): number =>
  line.filter((cell) => Object.values(named).some((pattern) => pattern.test(plain(cell)))).length;

export const isNamed = ({ name }: Column, what: keyof typeof named) => named[what].test(plain(name));
export const filled = ({ cells }: Column) => cells.filter((cell) => cell.trim() !== '');
export const isComplete = (each: Column) => filled(each).length === each.cells.length;

export const OUTFLOW = /^(d|o|dr|db|deb(it|et)?|s|soll|af|out|outflow|uit|-|money out|ausgabe)$/;
export const INFLOW = /^(c|i|cr|cred(it)?|kredit|k|h|haben|bij|in|inflow|\+|money in|einnahme)$/;

export const isOutflow = (cell: string) => OUTFLOW.test(plain(cell));

/** Names no column: a line that is taken for the names may be a row. */
export const refusal = (what: string) =>
  invalidInput(
    `${what} Name the columns in the first line, such as Date, Payee, Amount, or export OFX, QIF, CAMT or MT940.`,
  );
