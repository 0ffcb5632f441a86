/**
 * Tables as banks of many countries export them: real names of columns, delimiters, lines around the rows, dates and signs, with
 * invented rows. What has to be read was written down by hand.
 */
import { expect, it } from 'vitest';
import { statementsIn } from '../../../../src/features/reconcile/statements/read-statement.ts';

type Row = readonly [date: string, amount: number, text: string];

/** With amounts in units of the currency. */
const dialects: readonly (readonly [
  country: string,
  bank: string,
  lines: readonly string[],
  rows: readonly Row[],
])[] = [
  [
    'Germany',
    'Sparkasse',
    [
      '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Glaeubiger ID";"Mandatsreferenz";"Kundenreferenz (End-to-End)";"Sammlerreferenz";"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"',
      '"DE02120300000000202051";"05.03.26";"05.03.26";"FOLGELASTSCHRIFT";"Vertrag 17";"DE98ZZZ09999999999";"M-1";"E2E-1";"";"";"";"Stadtwerke";"DE02500105170137075030";"INGDDEFFXXX";"-1.084,17";"EUR";"Umsatz gebucht"',
      '"DE02120300000000202051";"04.03.26";"04.03.26";"GUTSCHRIFT";"Lohn";"";"";"";"";"";"";"Firma";"DE02100100100006820101";"PBNKDEFFXXX";"3500,00";"EUR";"Umsatz gebucht"',
      '"DE02120300000000202051";"06.03.26";"06.03.26";"KARTENZAHLUNG";"Einkauf";"";"";"";"";"";"";"Markt";"";"";"-8,20";"EUR";"Umsatz vorgemerkt"',
    ],
    [
      ['2026-03-05', -1084.17, 'Stadtwerke'],
      ['2026-03-04', 3500, 'Firma'],
    ],
  ],
  [
    'Germany',
    'DKB',
    [
      '"Girokonto";"DE02120300000000202051"',
      '"Kontostand vom 30.10.2026:";"1.234,56 €"',
      '""',
      '"Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";"Gläubiger-ID";"Mandatsreferenz";"Kundenreferenz"',
      '"30.10.26";"30.10.26";"Gebucht";"Anna Muster";"Bäckerei";"Brot";"Ausgang";"DE02100100100006820101";"-4,30";"";"";""',
      '"29.10.26";"29.10.26";"Gebucht";"Firma";"Anna Muster";"Lohn";"Eingang";"DE02500105170137075030";"2.100,05";"";"";""',
    ],
    [
      ['2026-10-30', -4.3, 'Bäckerei'],
      ['2026-10-29', 2100.05, 'Firma'],
    ],
  ],
  [
    'Netherlands',
    'ING',
    [
      '"Datum";"Naam / Omschrijving";"Rekening";"Tegenrekening";"Code";"Af Bij";"Bedrag (EUR)";"Mutatiesoort";"Mededelingen";"Saldo na mutatie";"Tag"',
      '"20261014";"Bakker";"NL69INGB0123456789";"";"BA";"Af";"5,10";"Betaalautomaat";"Pasvolgnr: 001";"994,90";""',
      '"20261013";"Werkgever";"NL69INGB0123456789";"NL20INGB0001234567";"OV";"Bij";"1000,00";"Overschrijving";"Loon";"1000,00";""',
    ],
    [
      ['2026-10-14', -5.1, 'Bakker'],
      ['2026-10-13', 1000, 'Werkgever'],
    ],
  ],
  [
    'Netherlands',
    'ABN AMRO',
    [
      '123456789\tEUR\t20261013\t1000,00\t994,90\t20261013\t-5,10\tBEA   NR:XX1234   13.10.26/09.15 Bakker,PAS123',
      '123456789\tEUR\t20261014\t994,90\t1994,90\t20261014\t1000,00\tSEPA Overboeking  IBAN: NL20INGB0001234567',
      '123456789\tEUR\t20261015\t1994,90\t1992,40\t20261015\t-2,50\tBEA   NR:XX1234   15.10.26/10.02 Kiosk,PAS123',
    ],
    [
      ['2026-10-13', -5.1, 'BEA NR:XX1234 13.10.26/09.15 Bakker,PAS123'],
      ['2026-10-14', 1000, 'SEPA Overboeking IBAN: NL20INGB0001234567'],
      ['2026-10-15', -2.5, 'BEA NR:XX1234 15.10.26/10.02 Kiosk,PAS123'],
    ],
  ],
  [
    'France',
    'BoursoBank',
    [
      'dateOp;dateVal;label;category;categoryParent;supplierFound;amount;comment;accountNum;accountLabel;accountbalance',
      '2026-09-12;2026-09-12;"CARTE 11/09/26 MARCHE";"Alimentation";"Vie quotidienne";"marche";-31,75;;00012345678;BoursoBank;1234.56',
      '2026-09-10;2026-09-10;"VIR SALAIRE";"Virements reçus";"Virements reçus";;"2 391,60";;00012345678;BoursoBank;1234.56',
    ],
    [
      ['2026-09-12', -31.75, 'CARTE 11/09/26 MARCHE'],
      ['2026-09-10', 2391.6, 'VIR SALAIRE'],
    ],
  ],
  [
    'United Kingdom',
    'Lloyds',
    [
      'Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance,',
      "29/04/2026,DD,'30-99-50,12345678,MUSEUM FRIENDS,118.40,,6936.63,",
      "28/04/2026,FPI,'30-99-50,12345678,SALARY,,2500.00,7055.03,",
    ],
    [
      ['2026-04-29', -118.4, 'MUSEUM FRIENDS'],
      ['2026-04-28', 2500, 'SALARY'],
    ],
  ],
  [
    'United Kingdom',
    'Barclays',
    [
      'Number,Date,Account,Amount,Subcategory,Memo',
      '\t ,15/10/2026,20-00-00 12345678,-12.99,Card Purchase,"BOOKSHOP             ON 14 OCT BCC"',
      '\t ,14/10/2026,20-00-00 12345678,850.00,Counter Credit,"A LODGER             RENT"',
    ],
    [
      ['2026-10-15', -12.99, 'BOOKSHOP ON 14 OCT BCC'],
      ['2026-10-14', 850, 'A LODGER RENT'],
    ],
  ],
  [
    'United States',
    'Chase',
    [
      'Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #',
      'DEBIT,10/20/2026,"WATER UTILITY   WEB ID: 1",-87.15,MISC_DEBIT,7152.01,,',
      'CREDIT,10/17/2026,"Online Transfer from CHK",4000.00,ACCT_XFER,7239.16,,',
      'DEBIT,10/16/2026,"SHOE REPAIR",-30.00,MISC_DEBIT,3239.16,,',
    ],
    [
      ['2026-10-20', -87.15, 'WATER UTILITY WEB ID: 1'],
      ['2026-10-17', 4000, 'Online Transfer from CHK'],
      ['2026-10-16', -30, 'SHOE REPAIR'],
    ],
  ],
  [
    'United States',
    'Bank of America',
    [
      'Description,,Summary Amt.',
      'Beginning balance as of 10/01/2026,,"1,300.00"',
      'Total credits,,"1,000.00"',
      'Total debits,,"-150.00"',
      'Ending balance as of 10/31/2026,,"2,150.00"',
      '',
      'Date,Description,Amount,Running Bal.',
      '10/01/2026,Beginning balance as of 10/01/2026,,"1,300.00"',
      '10/27/2026,"ATM WITHDRWL","-150.00","1,150.00"',
      '10/28/2026,"ZELLE PAYMENT","1,000.00","2,150.00"',
    ],
    [
      ['2026-10-27', -150, 'ATM WITHDRWL'],
      ['2026-10-28', 1000, 'ZELLE PAYMENT'],
    ],
  ],
  [
    'United States',
    'Wells Fargo',
    ['"10/20/2026","-41.20","*","","GROCERY OUTLET 12"', '"10/17/2026","1500.00","*","","PAYROLL"'],
    [
      ['2026-10-20', -41.2, 'GROCERY OUTLET 12'],
      ['2026-10-17', 1500, 'PAYROLL'],
    ],
  ],
  [
    'Canada',
    'RBC',
    [
      '"Account Type","Account Number","Transaction Date","Cheque Number","Description 1","Description 2","CAD$","USD$"',
      'Chequing,01234-5678901,9/14/2026,,"Online Banking transfer","TRANSFER 1234",-200.00,,',
      'Chequing,01234-5678901,9/15/2026,,"Deposit","",1000.00,,',
    ],
    [
      ['2026-09-14', -200, 'Online Banking transfer'],
      ['2026-09-15', 1000, 'Deposit'],
    ],
  ],
  [
    'Canada',
    'TD',
    [
      '10/13/2026,GROCER,45.19,,954.81',
      '10/14/2026,PAYROLL,,500.00,1454.81',
      '10/15/2026,HYDRO,54.81,,1400.00',
    ],
    [
      ['2026-10-13', -45.19, 'GROCER'],
      ['2026-10-14', 500, 'PAYROLL'],
      ['2026-10-15', -54.81, 'HYDRO'],
    ],
  ],
  [
    'Australia',
    'CommBank',
    [
      '15/10/2026,"-4.50","COFFEE CART SYDNEY AU","+1295.50"',
      '14/10/2026,"+1000.00","Salary ACME","+1300.00"',
      '13/10/2026,"-20.00","Transfer to xx1234","+300.00"',
    ],
    [
      ['2026-10-15', -4.5, 'COFFEE CART SYDNEY AU'],
      ['2026-10-14', 1000, 'Salary ACME'],
      ['2026-10-13', -20, 'Transfer to xx1234'],
    ],
  ],
  [
    'Sweden',
    'SEB',
    [
      'Bokföringsdatum;Valutadatum;Verifikationsnummer;Text;Belopp;Saldo',
      '2026-07-17;2026-07-16;5480000001;KROGEN/26-07-16;-318.450;2697.790',
      '2026-07-13;2026-07-13;5490000002;46700000001;75.000;3016.240',
    ],
    [
      ['2026-07-17', -318.45, 'KROGEN/26-07-16'],
      ['2026-07-13', 75, '46700000001'],
    ],
  ],
  [
    'Sweden',
    'Nordea',
    [
      'Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta',
      'Reserverad;-55,00;1234 56 78901;;;Kortköp PRESSBYRÅN;;SEK',
      '2026/10/14;-1 234,50;1234 56 78901;;;Kortköp ICA;8765,50;SEK',
      '2026/10/13;10000,00;;1234 56 78901;;Lön;10000,00;SEK',
    ],
    [
      ['2026-10-14', -1234.5, 'Kortköp ICA'],
      ['2026-10-13', 10000, 'Lön'],
    ],
  ],
  [
    'Norway',
    'DNB',
    [
      '"Dato";"Forklaring";"Rentedato";"Ut fra konto";"Inn på konto"',
      '"14.10.2026";"Varekjøp Rema";"14.10.2026";"345,90";""',
      '"13.10.2026";"Lønn";"13.10.2026";"";"20000,00"',
    ],
    [
      ['2026-10-14', -345.9, 'Varekjøp Rema'],
      ['2026-10-13', 20000, 'Lønn'],
    ],
  ],
  [
    'Denmark',
    'Danske Bank',
    [
      '"Dato";"Kategori";"Underkategori";"Tekst";"Beløb";"Saldo";"Status";"Afstemt"',
      '"13.10.2026";"Mad";"Dagligvarer";"Netto";"-1.045,95";"8.954,05";"Udført";"Nej"',
      '"14.10.2026";"Indkomst";"Løn";"Løn";"20.000,00";"28.954,05";"Udført";"Nej"',
    ],
    [
      ['2026-10-13', -1045.95, 'Netto'],
      ['2026-10-14', 20000, 'Løn'],
    ],
  ],
  [
    'Finland',
    'OP',
    [
      'Kirjauspäivä;Arvopäivä;Määrä EUROA;Laji;Selitys;Saaja/Maksaja;Saajan tilinumero;Saajan pankin BIC;Viite;Viesti;Arkistointitunnus',
      '"2026-10-14";"2026-10-14";-12,80;"162";"KORTTIOSTO";"K-MARKET";"";"";"";"";"20261014/5"',
      '"2026-10-13";"2026-10-13";+2500,00;"700";"PALKKA";"YRITYS OY";"";"";"";"";"20261013/1"',
    ],
    [
      ['2026-10-14', -12.8, 'K-MARKET'],
      ['2026-10-13', 2500, 'YRITYS OY'],
    ],
  ],
  [
    'Poland',
    'mBank',
    [
      'mBank S.A. Bankowość Detaliczna;',
      '#Klient;',
      'JAN KOWALSKI;',
      '#Saldo początkowe;3 200,50 PLN;',
      '',
      '#Data operacji;#Data księgowania;#Opis operacji;#Tytuł;#Nadawca/Odbiorca;#Numer konta;#Kwota;#Saldo po operacji;',
      '2026-01-16;2026-01-17;ZAKUP PRZY UŻYCIU KARTY;"SKLEP/WARSZAWA";"  ";\'\';-91,20;3 109,30;',
      '2026-01-18;2026-01-18;PRZELEW PRZYCHODZĄCY;"WYPŁATA";"FIRMA SP Z O O";\'12345678901234567890123456\';1 230,00;4 339,30;',
      '2026-01-19;2026-01-20;ZAKUP PRZY UŻYCIU KARTY;"KIOSK/WARSZAWA";"  ";\'\';-9,00;4 330,30;',
      ';;;;;;#Saldo końcowe;4 330,30;',
    ],
    [
      ['2026-01-17', -91.2, 'SKLEP/WARSZAWA'],
      ['2026-01-18', 1230, 'FIRMA SP Z O O'],
      ['2026-01-20', -9, 'KIOSK/WARSZAWA'],
    ],
  ],
  [
    'Switzerland',
    'UBS',
    [
      'Kontonummer:;0000 00000000.00A;',
      'IBAN:;CH93 0076 2011 6238 5295 7;',
      'Von:;2026-09-01;',
      'Bis:;2026-09-30;',
      'Anfangssaldo:;1000.00;',
      'Schlusssaldo:;6026.60;',
      'Bewertet in:;CHF;',
      '',
      'Abschlussdatum;Abschlusszeit;Buchungsdatum;Valutadatum;Währung;Belastung;Gutschrift;Einzelbetrag;Saldo;Transaktions-Nr.;Beschreibung1;Beschreibung2;Beschreibung3;Fussnoten;',
      '2026-09-29;14:23:05;2026-09-30;2026-09-30;CHF;-23.40;;;6026.60;T01;Markt Zürich;Zahlung Debitkarte;Kartennummer: XXXX;;',
      ';;2026-09-28;2026-09-28;CHF;-150.00;;;6050.00;T02;Sammelauftrag;e-banking-Auftrag;;;',
      ';;2026-09-28;2026-09-28;CHF;;;-100.00;;T02;Versicherung A;;;;',
      ';;2026-09-28;2026-09-28;CHF;;;-50.00;;T02;Versicherung B;;;;',
      ";;2026-09-25;2026-09-25;CHF;;5'200.00;;6200.00;T03;Arbeitgeber AG;Gutschrift;Lohn;;",
    ],
    [
      ['2026-09-30', -23.4, 'Markt Zürich'],
      ['2026-09-28', -150, 'Sammelauftrag'],
      ['2026-09-25', 5200, 'Arbeitgeber AG'],
    ],
  ],
  [
    'Switzerland',
    'PostFinance',
    [
      'Datum von:;="2026-01-01"',
      'Datum bis:;="2026-01-31"',
      'Konto:;="CH9300762011623852957"',
      'Währung:;="CHF"',
      '',
      'Datum;Bewegungstyp;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Label;Kategorie',
      '31.01.2026;"Buchung";"KAUF VOM 29.01.2026 MARKT";;-45.3;;Lebensmittel',
      '25.01.2026;"Buchung";"GUTSCHRIFT VON FIRMA";5400;;;',
      '',
      'Disclaimer:',
      'Dies ist kein durch PostFinance AG erstelltes Dokument.',
    ],
    [
      ['2026-01-31', -45.3, 'KAUF VOM 29.01.2026 MARKT'],
      ['2026-01-25', 5400, 'GUTSCHRIFT VON FIRMA'],
    ],
  ],
  [
    'Italy',
    'Fineco',
    [
      'Data_Operazione;Data_Valuta;Entrate;Uscite;Descrizione;Descrizione_Completa;Stato;Moneymap',
      '14/10/2026;14/10/2026;;-25,40;PagoBancomat POS;Supermercato Milano;Contabilizzato;Spesa',
      '13/10/2026;13/10/2026;1500,00;;Bonifico SEPA;Stipendio;Contabilizzato;Entrate',
    ],
    [
      ['2026-10-14', -25.4, 'PagoBancomat POS'],
      ['2026-10-13', 1500, 'Bonifico SEPA'],
    ],
  ],
  [
    'Spain',
    'BBVA',
    [
      'Últimos movimientos;;;;;;;;',
      ';;;;;;;;',
      'F.Valor;Fecha;Concepto;Movimiento;Importe;Divisa;Disponible;Divisa;Observaciones',
      '14/10/2026;15/10/2026;Mercado;Pago con tarjeta;-45,30;EUR;1.234,56;EUR;4940 MERCADO MADRID',
      '13/10/2026;13/10/2026;Nómina;Transferencia recibida;1.850,00;EUR;1.279,86;EUR;NOMINA OCTUBRE',
    ],
    [
      ['2026-10-15', -45.3, 'Mercado'],
      ['2026-10-13', 1850, 'Nómina'],
    ],
  ],
  [
    'Austria',
    'Erste',
    [
      '"Buchungsdatum","Partnername","Partner IBAN","BIC/SWIFT","Partner Kontonummer","Bankleitzahl","Betrag","Währung","Buchungs-Details","Zahlungsreferenz"',
      '"14.10.2026","Billa","","","","","-1.030,90","EUR","POS 1234","123456789012"',
      '"13.10.2026","Firma","AT611904300234573201","BKAUATWW","","","2.000,00","EUR","Gehalt","123456789013"',
    ],
    [
      ['2026-10-14', -1030.9, 'Billa'],
      ['2026-10-13', 2000, 'Firma'],
    ],
  ],
  [
    'Belgium',
    'Belfius',
    [
      'Boekingsdatum vanaf;01/10/2026',
      'Laatste saldo;1.994,90 EUR',
      ';',
      'Rekening;Boekingsdatum;Rekeninguittrekselnummer;Transactienummer;Rekening tegenpartij;Naam tegenpartij bevat;Straat en nummer;Postcode en plaats;Transactie;Valutadatum;Bedrag;Devies;BIC;Landcode;Mededelingen',
      'BE68539007547034;14/10/2026;00010;00123;BE43068999999501;Bakkerij;;;AANKOOP BANCONTACT;14/10/2026;-5,10;EUR;;;',
      'BE68539007547034;13/10/2026;00010;00122;BE43068999999501;Werkgever;;;OVERSCHRIJVING;13/10/2026;2.000,00;EUR;;;Loon',
    ],
    [
      ['2026-10-14', -5.1, 'Bakkerij'],
      ['2026-10-13', 2000, 'Werkgever'],
    ],
  ],
  [
    'India',
    'HDFC',
    [
      'HDFC BANK LIMITED',
      'Statement of account',
      'Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance',
      '15/04/26,UPI-SHOP-shop@ybl-401234567890-Payment,0000401234567890,15/04/26,"1,23,150.00",,45320.00',
      '16/04/26,NEFT-SALARY-ACME CORP,NEFT0002,16/04/26,,50000.00,95320.00',
    ],
    [
      ['2026-04-15', -123150, 'UPI-SHOP-shop@ybl-401234567890-Payment'],
      ['2026-04-16', 50000, 'NEFT-SALARY-ACME CORP'],
    ],
  ],
  [
    'India',
    'State Bank of India',
    [
      'Account Name\t:\tMR A B',
      'Balance as on 1 Apr 2026\t:\t1,000.00',
      '',
      'Txn Date\tValue Date\tDescription\tRef No./Cheque No.\t        Debit\tCredit\tBalance',
      '13 Apr 2026\t13 Apr 2026\tTO TRANSFER-UPI/DR/SHOP--\tTRANSFER TO 1234 \t250.00\t \t750.00',
      '14 Apr 2026\t14 Apr 2026\tBY SALARY--\t \t \t40,000.00\t40,750.00',
    ],
    [
      ['2026-04-13', -250, 'TO TRANSFER-UPI/DR/SHOP--'],
      ['2026-04-14', 40000, 'BY SALARY--'],
    ],
  ],
  [
    'Brazil',
    'Nubank',
    [
      'Data,Valor,Identificador,Descrição',
      '13/02/2026,-64.20,00000000-0000-4000-8000-000000000001,Pagamento de fatura',
      '16/02/2026,3911.08,00000000-0000-4000-8000-000000000002,Transferência recebida pelo Pix',
    ],
    [
      ['2026-02-13', -64.2, 'Pagamento de fatura'],
      ['2026-02-16', 3911.08, 'Transferência recebida pelo Pix'],
    ],
  ],
  [
    'Brazil',
    'Bradesco',
    [
      'Extrato de: Ag: 1234 | Conta: 12345-6',
      'Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);',
      '13/10/2026;SALDO ANTERIOR;;;;1.000,00;',
      '14/10/2026;PIX ENVIADO;1234567;;-150,00;850,00;',
      '15/10/2026;DEPOSITO;1234568;2.500,00;;3.350,00;',
    ],
    [
      ['2026-10-14', -150, 'PIX ENVIADO'],
      ['2026-10-15', 2500, 'DEPOSITO'],
    ],
  ],
  [
    'Japan',
    'Rakuten',
    [
      '取引日,入出金(円),取引後残高(円),入出金内容',
      '20261013,-1200,48800,コンビニ',
      '20261014,280000,328800,給与',
      '20261015,-12800,316000,家賃',
    ],
    [
      ['2026-10-13', -1200, 'コンビニ'],
      ['2026-10-14', 280000, '給与'],
      ['2026-10-15', -12800, '家賃'],
    ],
  ],
  [
    'Japan',
    'MUFG',
    [
      '"日付","摘要","摘要内容","支払い金額","預かり金額","差引残高","メモ","未資金化区分","入払区分"',
      '"2026/10/13","カード","スーパー","3,200","","1,096,800","","","支払い"',
      '"2026/10/14","給料","カイシャ","","280,000","1,376,800","","","預かり"',
      '"2026/10/15","口座振替","デンキ","8,800","","1,368,000","","","支払い"',
    ],
    [
      ['2026-10-13', -3200, 'スーパー'],
      ['2026-10-14', 280000, 'カイシャ'],
      ['2026-10-15', -8800, 'デンキ'],
    ],
  ],
  [
    'Czechia',
    'Česká spořitelna',
    [
      'Vlastní účet;Datum zaúčtování;Částka;Měna;Název protiúčtu;Číslo protiúčtu;Zpráva pro příjemce;Variabilní symbol',
      'CZ6508000000192000145399;14.10.2026;-1 250,50;CZK;Obchod;;Nákup;',
      'CZ6508000000192000145399;13.10.2026;30 000,00;CZK;Firma;123/0100;Výplata;',
    ],
    [
      ['2026-10-14', -1250.5, 'Obchod'],
      ['2026-10-13', 30000, 'Firma'],
    ],
  ],
  [
    'South Africa',
    'Capitec',
    [
      'Nr,Account,Posting Date,Transaction Date,Description,Original Description,Parent Category,Category,Money In,Money Out,Fee,Balance',
      '1,1234567890,2026-10-13,2026-10-13,Salary,Salary,Income,Salary,10000.00,,,12000.00',
      '2,1234567890,2026-10-14,2026-10-14,Cash Withdrawal,Cash Withdrawal,Cash,Cash,,-500.00,-10.00,11490.00',
      '3,1234567890,2026-10-15,2026-10-15,Fuel,Fuel,Transport,Fuel,,-490.00,,11000.00',
    ],
    [
      ['2026-10-13', 10000, 'Salary'],
      ['2026-10-14', -510, 'Cash Withdrawal'],
      ['2026-10-15', -490, 'Fuel'],
    ],
  ],
  [
    'Lithuania',
    'Revolut',
    [
      'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance',
      'TOPUP,Current,2026-10-12 09:00:00,2026-10-12 09:00:01,Top-Up by *1234,500.00,0.00,EUR,COMPLETED,500.00',
      'CARD_PAYMENT,Current,2026-10-13 10:30:00,2026-10-14 10:35:00,Coffee,-4.50,0.00,EUR,COMPLETED,495.50',
      'ATM,Current,2026-10-14 10:30:00,2026-10-14 11:35:00,Cash at Bank,-100.00,2.00,EUR,COMPLETED,393.50',
      'CARD_PAYMENT,Current,2026-10-15 08:00:00,,Hotel,-80.00,0.00,EUR,PENDING,',
    ],
    [
      ['2026-10-12', 500, 'Top-Up by *1234'],
      ['2026-10-14', -4.5, 'Coffee'],
      ['2026-10-14', -102, 'Cash at Bank'],
    ],
  ],
];

it.each(dialects)('%s, %s', (_, bank, lines, rows) => {
  const statements = statementsIn(bank, Buffer.from(lines.join('\r\n')), '2026-11-21').flatMap((each) =>
    each.signs?.areGiven === false ? [each.signs.written, each.signs.turned] : [each],
  );
  const read = statements.map((each) =>
    each.rows.map(({ date, amount, text }) => [date, amount / 1_000, text]),
  );
  expect(read).toEqual([rows]);
});

it('the banks are of at least ten countries', () => {
  expect(new Set(dialects.map(([country]) => country)).size).toBeGreaterThanOrEqual(10);
});
