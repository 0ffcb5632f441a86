/** How banks write their files: names of columns as they are in real ones, in many languages, and some that no list of words has. */
import type { BlockDialect, TableDialect } from './bank-file.helper.ts';

/** Lists of banks that write English. */
const english = { language: 'English', number: '1234.56', newestFirst: true, by: ',' } as const;

const tables: Readonly<Record<string, TableDialect>> = {
  'Germany, savings bank': {
    language: 'German',
    date: 'D.M.y',
    number: '1234,56',
    encoding: 'windows-1252',
    newestFirst: true,
    by: ';',
    quoted: 'all',
    columns:
      'Auftragskonto=own | Buchungstag=date | Valutadatum=valued | Buchungstext=letter | Verwendungszweck=memo | Glaeubiger ID=empty | Mandatsreferenz=code | Kundenreferenz (End-to-End)=empty | Beguenstigter/Zahlungspflichtiger=payee | Kontonummer/IBAN=other | BIC (SWIFT-Code)=:PBNKDEFFXXX | Betrag=amount | Waehrung=currency | Info=:Umsatz gebucht',
    letters: ['FOLGELASTSCHRIFT', 'GUTSCHRIFT'],
    top: [
      '"DE02120300000000202051";"20.11.26";"20.11.26";"KARTENZAHLUNG";"Einkauf";"";"";"";"Markt";"";"";"-8,20";"EUR";"Umsatz vorgemerkt"',
    ],
  },
  'Germany, payer and payee': {
    language: 'German',
    date: 'D.M.y',
    number: '1.234,56',
    newestFirst: true,
    encoding: 'utf-8 with a mark',
    by: ';',
    quoted: 'all',
    before: ['"Girokonto";"DE02120300000000202051"', '"Kontostand vom {last}:";"{closing} €"', '""'],
    columns:
      'Buchungsdatum=date | Wertstellung=valued | Status=:Gebucht | Zahlungspflichtige*r=payer | Zahlungsempfänger*in=paid | Verwendungszweck=memo | Umsatztyp=letter | IBAN=other | Betrag (€)=amount | Gläubiger-ID=empty | Mandatsreferenz=code',
    letters: ['Ausgang', 'Eingang'],
  },
  'Germany, letters and ends': {
    language: 'German',
    date: 'D.M.Y',
    number: '1.234,56',
    by: ';',
    before: ['Konto {own};;', 'Anfangssaldo;{opening};EUR'],
    columns:
      'Buchung=date | Valuta=valued | Auftraggeber/Empfänger=payee | Zweck=memo | Währung=currency | Umsatz=size | S/H=letter',
    letters: ['S', 'H'],
    bottom: ['', 'Endsaldo;{closing};EUR'],
  },
  'Netherlands, words for directions': {
    language: 'Dutch',
    date: 'YMD',
    number: '1234,56',
    newestFirst: true,
    by: ';',
    quoted: 'all',
    columns:
      'Datum=date | Naam / Omschrijving=payee | Rekening=own | Tegenrekening=other | Code=:BA | Af Bij=letter | Bedrag (EUR)=size | Mutatiesoort=:Betaalautomaat | Mededelingen=memo | Saldo na mutatie=balance | Tag=empty',
    letters: ['Af', 'Bij'],
  },
  'Netherlands, both balances and no names': {
    language: 'Dutch',
    date: 'YMD',
    number: '1234,56',
    by: '\t',
    isHeaderless: true,
    columns: '=:123456789 | =currency | =date | =balanceBefore | =balance | =valued | =amount | =narrative',
  },
  'France, two dates of a card': {
    language: 'French',
    date: 'Y-M-D',
    number: '1 234,56',
    newestFirst: true,
    by: ';',
    quoted: 'texts',
    columns:
      'dateOp=date | dateVal=valued | label=narrative | category=:Alimentation | amount=amount | comment=empty | accountNum=:00012345678 | accountLabel=:Banque | accountbalance=:1234.56',
  },
  'France, old code page': {
    language: 'French',
    date: 'D/M/Y',
    number: '1 234,56',
    encoding: 'windows-1252',
    by: ';',
    before: ['Téléchargement du {last};', 'Solde au {last};{closing};EUR', ''],
    columns: 'Date=date | Libellé=narrative | Débit euros=spent | Crédit euros=received',
  },
  'United Kingdom, a column for each direction': {
    ...english,
    date: 'D/M/Y',
    columns:
      "Transaction Date=date | Transaction Type=:DD | Sort Code=:'30-99-50 | Account Number=:12345678 | Transaction Description=narrative | Debit Amount=spent | Credit Amount=received | Balance=balance",
  },
  'United States, totals before': {
    language: 'English',
    date: 'M/D/Y',
    number: '1,234.56',
    by: ',',
    quoted: 'texts',
    before: [
      'Description,,Summary Amt.',
      'Beginning balance as of {first},,"{opening}"',
      'Total credits,,"{totalReceived}"',
      'Total debits,,"{totalSpent}"',
      'Ending balance as of {last},,"{closing}"',
      '',
    ],
    columns: 'Date=date | Description=narrative | Amount=amount | Running Bal.=balance',
    top: ['{first},Beginning balance as of {first},,"{opening}"'],
  },
  'United States, signs beside words': {
    ...english,
    date: 'M/D/Y',
    columns:
      'Details=letter | Posting Date=date | Description=narrative | Amount=amount | Type=:MISC | Balance=balance | Check or Slip #=empty',
    letters: ['DEBIT', 'CREDIT'],
  },
  'United States, brackets': {
    language: 'English',
    date: 'm/d/Y',
    number: '1,234.56',
    minus: '($#)',
    plus: '$#',
    newestFirst: true,
    by: ',',
    columns: 'Date=date | Description=narrative | Category=:Other | Amount=amount',
  },
  'Canada, no names': {
    language: 'English',
    date: 'M/D/Y',
    number: '1234.56',
    by: ',',
    isHeaderless: true,
    columns: '=date | =narrative | =spent | =received | =balance',
  },
  'Australia, no names': {
    ...english,
    date: 'D/M/Y',
    plus: '+#',
    quoted: 'texts',
    isHeaderless: true,
    columns: '=date | =amount | =narrative | =balance',
  },
  'Sweden, three decimals': {
    language: 'Swedish',
    date: 'Y-M-D',
    number: '1234.560',
    newestFirst: true,
    by: ';',
    columns:
      'Bokföringsdatum=date | Valutadatum=valued | Verifikationsnummer=number | Text=narrative | Belopp=amount | Saldo=balance',
  },
  'Poland, lines around the rows': {
    language: 'Polish',
    date: 'Y-M-D',
    number: '1 234,56',
    encoding: 'windows-1250',
    by: ';',
    quoted: 'texts',
    before: ['Bank S.A.;', '#Klient;', '{owner};', '#Saldo początkowe;{opening} PLN;', ''],
    columns:
      '#Data operacji=bought | #Data księgowania=date | #Opis operacji=:ZAKUP | #Tytuł=memo | #Nadawca/Odbiorca=payee | #Numer konta=other | #Kwota=amount | #Saldo po operacji=balance',
    bottom: [';;;;;;#Saldo końcowe;{closing};'],
  },
  'Switzerland, formulas around texts': {
    language: 'German',
    date: 'D.M.Y',
    number: "1'234.56",
    currency: 'CHF',
    newestFirst: true,
    by: ';',
    before: ['Datum von:;="{iso}"', 'Konto:;="CH9300762011623852957"', 'Währung:;="CHF"', ''],
    columns:
      'Datum=date | Bewegungstyp=:Buchung | Avisierungstext=narrative | Gutschrift in CHF=received | Lastschrift in CHF=minus | Label=empty | Kategorie=:Diverses',
    bottom: ['', 'Disclaimer:', 'Dies ist kein Dokument der Bank.'],
  },
  'Italy, two columns with signs': {
    language: 'Italian',
    date: 'D/M/Y',
    number: '1.234,56',
    newestFirst: true,
    by: ';',
    columns:
      'Data_Operazione=date | Data_Valuta=valued | Entrate=received | Uscite=minus | Descrizione=:Bonifico SEPA | Descrizione_Completa=narrative | Stato=:Contabilizzato',
  },
  'Spain, the day of value first': {
    language: 'Spanish',
    date: 'D/M/Y',
    number: '1.234,56',
    newestFirst: true,
    by: ';',
    texts: ['memo', 'payee'],
    before: ['Últimos movimientos;;;;;;', ';;;;;;'],
    columns:
      'F.Valor=valued | Fecha=date | Concepto=memo | Movimiento=:Pago | Importe=amount | Divisa=currency | Disponible=balance | Divisa=currency | Observaciones=payee',
  },
  'India, groups of two digits': {
    language: 'English',
    date: 'D/M/y',
    number: '1,23,456.78',
    currency: 'INR',
    by: ',',
    before: ['BANK LIMITED', 'Statement of account'],
    columns:
      'Date=date | Narration=narrative | Chq./Ref.No.=number | Value Dt=valued | Withdrawal Amt.=spent | Deposit Amt.=received | Closing Balance=balance',
  },
  'Brazil, balances as rows': {
    language: 'Portuguese',
    date: 'D/M/Y',
    number: '1.234,56',
    encoding: 'windows-1252',
    by: ';',
    before: ['Extrato de: Ag: 1234 | Conta: 12345-6'],
    columns:
      'Data=date | Histórico=narrative | Docto.=number | Crédito (R$)=received | Débito (R$)=minus | Saldo (R$)=balance',
    top: ['{first};SALDO ANTERIOR;;;;{opening};'],
  },
  'Japan, a column for each direction': {
    language: 'Japanese',
    date: 'Y/M/D',
    number: '1,234',
    digits: 0,
    currency: 'JPY',
    encoding: 'shift_jis',
    by: ',',
    quoted: 'all',
    columns:
      '日付=date | 摘要=:振込 | 摘要内容=narrative | 支払い金額=spent | 預かり金額=received | 差引残高=balance | メモ=empty | 入払区分=letter',
    letters: ['支払い', '預かり'],
  },
  'Korea, names that no list has': {
    language: 'Korean',
    date: 'Y.M.D',
    number: '1,234',
    digits: 0,
    currency: 'KRW',
    encoding: 'euc-kr',
    newestFirst: true,
    by: ',',
    quoted: 'all',
    columns:
      '거래일시=date | 적요=:전자금융 | 보낸분/받는분=narrative | 송금메모=empty | 출금액=spentOrZero | 입금액=receivedOrZero | 잔액=balance | 거래점=:국민은행',
  },
  'Russia, old code page': {
    language: 'Russian',
    date: 'D.M.Y',
    number: '1 234,56',
    encoding: 'windows-1251',
    currency: 'RUB',
    newestFirst: true,
    by: ';',
    columns:
      'Дата операции=bought | Дата проводки=date | Статус=:OK | Контрагент=payee | Назначение платежа=memo | Сумма операции=amount | Валюта=currency | Сумма с округлением=size | Остаток=balance',
  },
  'Greece, brackets after': {
    language: 'Greek',
    date: 'D/M/Y',
    number: '1.234,56',
    minus: '#-',
    encoding: 'windows-1253',
    by: ';',
    columns: 'Ημερομηνία=date | Περιγραφή=narrative | Ποσό=amount | Υπόλοιπο=balance',
  },
  'Lithuania, balances and turnover as rows': {
    language: 'Lithuanian',
    date: 'Y-M-D',
    number: '1234.56',
    by: ',',
    quoted: 'all',
    columns:
      'Sąskaitos Nr.=own | =:20 | Data=date | Gavėjas=payee | Paaiškinimai=memo | Suma=size | Valiuta=currency | D/K=letter | Įrašo Nr.=code | Kodas=:MK',
    letters: ['D', 'K'],
    top: ['"{own}","10","{first}","","Likutis pradžiai","{opening}","EUR","K","","LS"'],
    bottom: [
      '"{own}","82","{last}","","Apyvarta","{sizeSpent}","EUR","D","","K2"',
      '"{own}","82","{last}","","Apyvarta","{totalReceived}","EUR","K","","K2"',
      '"{own}","86","{last}","","likutis pabaigai","{closing}","EUR","K","","LS"',
    ],
  },
  'Turkey, the balance before each row': {
    language: 'Turkish',
    date: 'D.M.Y',
    number: '1.234,56',
    encoding: 'windows-1254',
    currency: 'TRY',
    by: '\t',
    columns: 'Tarih=date | Önceki bakiye=balanceBefore | Açıklama=narrative | Tutar=amount',
  },
  'Hungary, several own accounts': {
    language: 'Hungarian',
    date: 'Y.M.D.',
    number: '1234,56',
    accounts: 3,
    encoding: 'utf-16le with a mark',
    currency: 'HUF',
    by: ';',
    columns:
      'Számlaszám=own | Könyvelés dátuma=date | Partner neve=payee | Közlemény=memo | Összeg=amount | Devizanem=currency',
  },
  'Czechia, UTF-16 without a mark': {
    language: 'Czech',
    date: 'D.M.Y',
    number: '1 234,56',
    encoding: 'utf-16le',
    currency: 'CZK',
    newestFirst: true,
    by: ';',
    columns:
      'Vlastní účet=own | Datum zaúčtování=date | Částka=amount | Měna=currency | Název protiúčtu=payee | Číslo protiúčtu=other | Zpráva pro příjemce=memo | Variabilní symbol=number',
  },
  'Georgia, words that no list has': {
    language: 'Georgian',
    date: 'D.M.Y',
    number: '1234.56',
    currency: 'GEL',
    newestFirst: true,
    by: ',',
    columns: 'თარიღი=date | აღწერა=narrative | გასული=spent | შემოსული=received | ნაშთი=balance',
  },
  'Iceland, words that no list has': {
    language: 'Icelandic',
    date: 'D.M.Y',
    number: '1.234,56',
    currency: 'ISK',
    by: ';',
    columns:
      'Dagur=date | Vaxtadagur=valued | Skýring=narrative | Númer=number | Upphæð=amount | Staða=balance',
  },
  'United Kingdom, a number that is blank': {
    ...english,
    date: 'D/M/Y',
    columns:
      'Number=:\t  | Date=date | Account=:20-00-00 12345678 | Amount=amount | Subcategory=:Card Purchase | Memo=narrative',
  },
  'United States, stars and no names': {
    ...english,
    date: 'M/D/Y',
    quoted: 'all',
    isHeaderless: true,
    columns: '=date | =amount | =:* | =empty | =narrative',
  },
  'Canada, an amount for each currency': {
    language: 'English',
    date: 'm/d/Y',
    number: '1234.56',
    by: ',',
    columns:
      'Account Type=:Chequing | Account Number=:01234-5678901 | Transaction Date=date | Cheque Number=empty | Description 1=memo | Description 2=payee | CAD$=amount | USD$=empty',
    texts: ['memo', 'payee'],
  },
  'Sweden, a row that is reserved': {
    language: 'Swedish',
    date: 'Y/M/D',
    number: '1 234,56',
    currency: 'SEK',
    newestFirst: true,
    by: ';',
    columns:
      'Bokföringsdag=date | Belopp=amount | Avsändare=:1234 56 78901 | Mottagare=empty | Namn=empty | Rubrik=narrative | Saldo=balance | Valuta=currency',
    top: ['Reserverad;-55,00;1234 56 78901;;;Kortköp PRESSBYRÅN;;SEK'],
  },
  'Norway, from and to the account': {
    language: 'Swedish',
    date: 'D.M.Y',
    number: '1234,56',
    newestFirst: true,
    by: ';',
    quoted: 'all',
    columns:
      'Dato=date | Forklaring=narrative | Rentedato=valued | Ut fra konto=spent | Inn på konto=received',
  },
  'Finland, words for kinds': {
    language: 'Swedish',
    date: 'Y-M-D',
    number: '1234,56',
    plus: '+#',
    newestFirst: true,
    by: ';',
    columns:
      'Kirjauspäivä=date | Arvopäivä=valued | Määrä EUROA=amount | Laji=:162 | Selitys=:KORTTIOSTO | Saaja/Maksaja=payee | Saajan tilinumero=empty | Saajan pankin BIC=empty | Viite=empty | Viesti=memo | Arkistointitunnus=code',
  },
  'Belgium, a period before the rows': {
    language: 'Dutch',
    date: 'D/M/Y',
    number: '1.234,56',
    newestFirst: true,
    by: ';',
    before: ['Boekingsdatum vanaf;{first}', 'Laatste saldo;{closing} EUR', ';'],
    columns:
      'Rekening=own | Boekingsdatum=date | Rekeninguittrekselnummer=:00010 | Transactienummer=number | Rekening tegenpartij=other | Naam tegenpartij bevat=payee | Postcode en plaats=empty | Transactie=:BANCONTACT | Valutadatum=valued | Bedrag=amount | Devies=currency | Mededelingen=memo',
  },
  'India, blanks for what is missing': {
    language: 'English',
    date: 'D N Y',
    number: '1,234.56',
    currency: 'INR',
    by: '\t',
    before: ['Account Name\t:\tMR A B', 'Balance as on {first}\t:\t{opening}', ''],
    columns:
      'Txn Date=date | Value Date=valued | Description=narrative | Ref No./Cheque No.=:  |         Debit=spent | Credit=received | Balance=balance',
  },
  'A company, zeros and named months': {
    language: 'English',
    date: 'D N Y',
    number: '1234.56',
    by: '|',
    columns:
      'Date=date | Particulars=narrative | Paid out=spentOrZero | Paid in=receivedOrZero | Balance=balance',
    end: '\n',
  },
  'Ukraine, the balance of the day': {
    language: 'Russian',
    date: 'D.M.Y',
    number: '1234.56',
    plus: '+#',
    currency: 'UAH',
    by: '\t',
    before: ['Период: {first} - {last}', 'Всего: {net}'],
    columns: 'Дата=date | Описание=narrative | Сумма=amount | Остаток на конец дня=dayBalance',
    end: '\n',
  },
  'A period in each row': {
    language: 'Dutch',
    date: 'D-M-Y',
    number: '1234,56',
    accounts: 2,
    by: ';',
    columns:
      'IBAN/BBAN=own | Periode vanaf=first | Periode tot=last | Datum=date | Volgnr=number | Bedrag=amount | Saldo na trn=balance | Naam tegenpartij=payee | Omschrijving=memo',
  },
};

const OFX = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n';

const blocks: Readonly<Record<string, BlockDialect>> = {
  'MT940 of Germany': {
    language: 'German',
    date: 'yMD',
    number: '1234,56',
    letters: ['D', 'C'],
    encoding: 'windows-1252',
    before: [':20:STARTUMS', ':25:12030000/1234567890', ':28C:00001/001', ':60F:C260101EUR{opening}'],
    block:
      ':61:{yymmdd}{mmdd}{letter}{size}NMSCNONREF\r\n:86:105?00LASTSCHRIFT?20{memo}?30PBNKDEFFXXX?31{other}?32{payee}',
    bottom: [':62F:C{yymmdd}EUR{closing}', '-'],
  },
  'MT940 of the Netherlands, blanks for the entry date': {
    language: 'English',
    date: 'yMD',
    number: '1234,56',
    before: [':940:', ':20:940S{yymmdd}', ':25:NL69INGB0123456789EUR', ':28:1/1', ':60F:C260101EUR{opening}'],
    block:
      ':61:{yymmdd}    {letter}{size}NTRFNONREF\r\n:86:/CNTP/{other}/INGBNL2A/{payee}///REMI/USTD//{memo}/',
    bottom: [':62F:C{yymmdd}EUR{closing}', '-'],
  },
  'MT940 with other subfields': {
    language: 'Spanish',
    date: 'yMD',
    number: '1234,56',
    encoding: 'windows-1252',
    before: ['{1:F01X}{2:I940X}{4:', ':20:1', ':25:ES123', ':28C:1', ':60F:C260101EUR{opening}'],
    block: ':61:{yymmdd}{mmdd}{letter}R{size}N{number}\r\n:86:020~00X~20{memo}~32{payee}',
    bottom: [':62F:C{yymmdd}EUR{closing}', '-}'],
  },
  CAMT: {
    language: 'German',
    date: 'Y-M-D',
    number: '1234.56',
    letters: ['DBIT', 'CRDT'],
    before: [
      '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>{own}</IBAN></Id></Acct><Bal><Amt Ccy="EUR">{closing}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>',
    ],
    block:
      '<Ntry><Amt Ccy="EUR">{size}</Amt><CdtDbtInd>{letter}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>{date}</Dt></BookgDt><ValDt><Dt>{valued}</Dt></ValDt><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>{payer}</Nm></Dbtr><Cdtr><Nm>{paid}</Nm></Cdtr></RltdPties><RmtInf><Ustrd>{memo}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>',
    bottom: ['</Stmt></BkToCstmrStmt></Document>'],
  },
  'CAMT with one text': {
    language: 'Italian',
    date: 'Y-M-D',
    number: '1234.56',
    letters: ['DBIT', 'CRDT'],
    newestFirst: true,
    before: [
      '<ns2:Document><ns2:BkToCstmrAcctRpt><ns2:Rpt><ns2:Acct><ns2:Id><ns2:Othr><ns2:Id>{own}</ns2:Id></ns2:Othr></ns2:Id></ns2:Acct>',
    ],
    block:
      '<ns2:Ntry><ns2:Amt Ccy="EUR">{size}</ns2:Amt><ns2:CdtDbtInd>{letter}</ns2:CdtDbtInd><ns2:Sts><ns2:Cd>BOOK</ns2:Cd></ns2:Sts><ns2:BookgDt><ns2:DtTm>{date}T08:00:00</ns2:DtTm></ns2:BookgDt><ns2:NtryDtls><ns2:TxDtls><ns2:AddtlTxInf>{narrative}</ns2:AddtlTxInf></ns2:TxDtls></ns2:NtryDtls></ns2:Ntry>',
    bottom: ['</ns2:Rpt></ns2:BkToCstmrAcctRpt></ns2:Document>'],
  },
  'OFX without end tags': {
    language: 'English',
    date: 'YMD',
    number: '1234.56',
    before: [`${OFX}\n<OFX><STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>{own}</BANKACCTFROM><BANKTRANLIST>`],
    block:
      '<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{date}120000[-5:EST]<TRNAMT>{amount}<FITID>{code}<NAME>{payee}<MEMO>{memo}</STMTTRN>',
    bottom: ['</BANKTRANLIST><LEDGERBAL><BALAMT>{closing}<DTASOF>{compact}</LEDGERBAL></STMTRS></OFX>'],
  },
  'OFX as XML': {
    language: 'Portuguese',
    date: 'YMD',
    number: '1234,56',
    before: [
      '<?xml version="1.0"?><OFX><STMTRS><CURDEF>BRL</CURDEF><BANKACCTFROM><ACCTID>{own}</ACCTID></BANKACCTFROM>',
    ],
    block:
      '<STMTTRN><DTPOSTED>{date}</DTPOSTED><TRNAMT>{amount}</TRNAMT><FITID>{number}</FITID><MEMO>{memo}</MEMO></STMTTRN>',
    bottom: ['</STMTRS></OFX>'],
  },
  'QIF of the United States': {
    language: 'English',
    date: "M/D'y",
    number: '1,234.56',
    before: ['!Type:Bank'],
    block: 'D{date}\nT{amount}\nP{payee}\nM{memo}\n^',
    end: '\n',
  },
  'QIF without its type': {
    language: 'French',
    date: 'D/M/Y',
    number: '1234,56',
    encoding: 'windows-1252',
    block: 'D{date}\r\nT{amount}\r\nP{narrative}\r\n^',
  },
};

export const dialects = { ...tables, ...blocks };
