/**
 * The meaning of names of columns, and of words in cells, in the languages of banks, without accents and in small letters. They are hints:
 * what balances, signs and the kinds of cells say comes first.
 */

/** No name is longer, and time grows with the square of the accents on one letter. */
const MAX_LENGTH = 200;

export function plain(name: string): string {
  const text = name.slice(0, MAX_LENGTH).toLowerCase();
  const letters = /^[ -~]*$/.test(text)
    ? text
    : text
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replaceAll('ł', 'l')
        .replaceAll('ø', 'o')
        .replaceAll('ı', 'i');
  return letters.replaceAll('_', ' ').trim();
}

const words = {
  booked:
    /book|buch|\bpost|process|contabil|ksieg|zauct|uctov|boek|bokf|bogf|kirjaus|islem|clear|complet|kniz|tarih|проводк|обработ|проведен|knjiz/,
  valued:
    /valu|date ?val|valor|wert|effectiv|interest|rente|ertek|execution|settle|verreken|beleg|purchase|start|initial|period|от дата|валют|valut/,
  amount:
    /amount|betrag|umsatz|montant|import[eo]\b|importe|valor|kwota|castka|bedrag|belob|belopp|summa|maara|tutar|osszeg|value|suma|gross|brutto|^money$|сумм|iznos|znesek|ποσο/,
  notAmount:
    /balance|\bbal\b|saldo|solde|stand|egyenleg|zustatek|bakiye|saldi|остат|fee|gebuhr|commission|comision|комисс|entgelt|frais|tax|vat\b|rate|kurs|koers|exchange|foreign|original|fremd|local|oorspr|puvodni|split|francs|price|number|nummer|numero|cislo|номер|\bid\b|account|konto\b|check|cheque|reference|limit|\b[vks]s$/,
  balance:
    /balance|\bbal\b|saldo|solde|egyenleg|zustatek|bakiye|saldi|остат|salden|kontostand|stanje|υπολοιπο/,
  debit:
    /debit|debet|debito|soll\b|belast|uscit|\but\b|\but fra\b|cargo|\bdare\b|addebit|withdraw|paid ?out|money ?out|outflow|uitgaven|\bausgang|lastschrift|spent|obciaz|payments?$|расход|дебет|списан|terhel|izdat|duguje|χρεωση|cikis|borc/,
  credit:
    /credit|kredit|credito|haben\b|entrat|\binn\b|\binn pa\b|abono|avere|accredit|deposit|paid ?in|money ?in|inflow|eingang|gutschrift|received|uznan|приход|кредит|зачислен|поступлен|jovair|uplat|potrazuje|πιστωση|giris|alacak/,
  fee: /\bfees?\b|gebuhr|commission|comision|комисс|entgelt|frais/,
  /** The sum of an amount and its fee. */
  total: /\bnet(to)?\b|total|gesamt/,
  name: /payee|^name|naam|beneficiary|beguenstigt|beguns?tigt|empfanger|auftraggeber|zahlungspflicht|merchant|counter ?part|partner|nazev proti|odbiorc|kontrahent|nadawca|tegenpartij|handelaar|ordenante|beneficiar|destinat|saaja|mottagare|modtager|vendor|alici|контрагент|получател|отправител|gavejas|moketojas|sanemejs|\bsaaja|primatelj/,
  merchant: /merchant|handelaar|handler|comercio|commercant|esercente/,
  payer:
    /payer|zahlungspflicht|auftraggeber|debtor|ordenante|zleceniodawc|nadawca|remitter|ordering|moketojas|плательщик|отправител|donneur/,
  payee:
    /payee|zahlungsempf|empfanger|beneficiar|beguns?tigt|creditor|odbiorc|destinat|gavejas|получател|recipient/,
  purpose:
    /descri|purpose|verwendung|memo|detail|libelle|label|concept|omschr|opis|tytul|popis|zprava|poznamka|narrative|message|mededeling|buchungstext|te[kx]s?t|kozlem|causale|specification|selite|viesti|aciklama|transaction$|reference$|particulars|note|observ|historic|kommunikat|communication|mitteilung|описан|назначен|основани|paaiskin|paskirt|svrha/,
  account:
    /^(account|accounts?( name| number| no\.?)?|rekening|rekeningnummer|konto|kontonummer|compte|cuenta|conto|iban|cislo uctu|saskaita|konts|конто|счет|номер счета)$/,
  /** Never of the other side. */
  ownAccount:
    /^(own (account|iban)|((iban )?(auftrags|auftraggeber))konto|account name|szamlaszam|iban\/bban|accountnumber)$/,
  /** A number or a code of something that is not the name of a person or a company. */
  code: /iban|bic\b|swift|konto|account|rekening|cislo|number|nummer|numero|номер|\bid\b|code|currency|wahrung|glaubiger|mandat|referen/,
  currency:
    /^(?!.*(original|exchange|foreign|fremd|local|oorspr|puvodni|asset|invoice|source|target)).*(curr|wahrung|waehrung|devise|devisa|moneda|valuta|walut|mena|munt|deviz|monnaie|валют)/,
  direction:
    /debit|debet|credit|kredit|soll|haben|\baf ?\/?bij|\b(d|dr|s|in)\s?\/\s?(c|cr|k|h|out)\b|\b(c|cr|h|out)\s?\/\s?(d|dr|s|in)\b|direction|sign|richt|segno|sens\b|\btype$/,
  status:
    /^(status|state|stato|estado|statut|статус|состояние|durum|tila|stav|stan|allapot|booking status|buchungsstatus|state ?type)$/,
} as const;

export type ColumnWord = keyof typeof words;

export const says = (name: string, what: ColumnWord): boolean => words[what].test(name);

/** How many cells of a line are names of columns of a bank. */
export const knownNames = (line: readonly string[]): number =>
  line.filter((cell) => {
    const name = cell.length < 60 ? plain(cell) : '';
    return name !== '' && Object.values(words).some((word) => word.test(name));
  }).length;

const OUTFLOW = /^(d|o|dr|db|deb(it|et)?|s|soll|af|out|outflow|uit|-|money out|ausgabe|расход|дебет)$/;
const INFLOW = /^(c|i|cr|cred(it)?|kredit|k|h|haben|bij|in|inflow|\+|money in|einnahme|приход|кредит)$/;

/** -1 for a word that means that money goes out, 1 for one that it comes in, and nothing else. */
export function exactDirection(cell: string): number {
  const word = plain(cell);
  return Number(INFLOW.test(word)) - Number(OUTFLOW.test(word));
}

/** The same for a word that only contains one. 0 if it says neither. */
export function directionOf(cell: string): number {
  const word = plain(cell);
  const isLong = word.length > 20;
  return (
    exactDirection(cell) || (isLong ? 0 : Number(words.credit.test(word)) - Number(words.debit.test(word)))
  );
}

const NOT_BOOKED =
  /pend|revert|declin|fail|cancel|reserv|vorgemerkt|unbooked|nicht gebucht|denied|reject|refus|annul|storniert|autori[sz]|authori[sz]|attes[ae]|attente|venter|vantar|varaus|odota|oczekuj|cekaj|pozastav|ожида|обработке|отмен|bekle|fuggo/;

/** For a cell of a column of states. */
export const isNotBooked = (cell: string) => NOT_BOOKED.test(plain(cell));

/** Some lists have balances as rows. No payee has such a name. */
const BALANCE =
  /^(opening|closing|start(ing)?|end(ing)?|previous|current|available|ledger|beginning) balance$|^(alter|neuer) (konto)?(saldo|stand)$|^(konto|anfangs|end|begin|eind)[ -]?(saldo|stand)$|^saldo (inicial|final|iniziale|finale|anterior)$|^solde (initial|final)$|^balance (brought|carried) forward$|^likutis /;
/** May be a payee, unless the list has balances. */
const PERHAPS_BALANCE = /^(turnover|saldo|stand|apyvarta)$/;

/** In a row that lacks a cell of the others. "New Balance" is a payee. */
const ROW_OF_BALANCE = /saldo|\bsolde\b|saldi\b|egyenleg|zustatek|bakiye|остат|stanje|υπολοιπο|so du|likutis/;

export const isRowOfBalance = (text: string) => text.length < 60 && ROW_OF_BALANCE.test(plain(text));
export const isBalance = (text: string) => text.length < 60 && BALANCE.test(plain(text));
export const isPerhapsBalance = (text: string) => text.length < 60 && PERHAPS_BALANCE.test(plain(text));
