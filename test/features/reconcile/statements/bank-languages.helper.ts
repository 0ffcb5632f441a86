/** Invented people and what they pay for, in the languages of the dialects. */
export const languages = {
  English: {
    owner: 'Ann Example',
    names:
      'CORNER BAKERY|Hill & Sons Ltd|ACME PAYROLL|City Water|Book Shop 21|O’Neil Garage|Green Market|Tram Line 4',
    purposes: 'Card purchase|Direct debit|Invoice|Rent for flat|Salary month|Ticket',
  },
  German: {
    owner: 'Anna Muster',
    names:
      'Bäckerei Müller|Stadtwerke|Firma Groß GmbH|Vermieter Weiß|Bücherei|Apotheke am Markt|Kino|Getränke Höß',
    purposes: 'Rechnung|Vertrag Nr.|Lohn für Monat|Miete und Nebenkosten|Einkauf|Kundennummer',
  },
  Dutch: {
    owner: 'J. de Voorbeeld',
    names:
      'Bakkerij Jansen|Werkgever BV|Gemeente|Waterschap|Albert Winkel|Café ’t Hoekje|Fietsenmaker|Huisbaas',
    purposes: 'Pasvolgnr|Factuur|Loon maand|Huur|Contributie|Betaalkenmerk',
  },
  French: {
    owner: 'Marie Exemple',
    names:
      'Boulangerie Léa|Marché du centre|Société Générique|Électricité|École de musique|Garage Noël|Librairie',
    purposes: 'Facture|Salaire du mois|Loyer|Abonnement|Carte du|Référence client',
  },
  Spanish: {
    owner: 'Ana Ejemplo',
    names:
      'Mercado Central|Panadería Núñez|Nómina Empresa SL|Compañía de aguas|Farmacia|Librería Sol|Alquiler piso',
    purposes: 'Pago con tarjeta|Recibo|Transferencia recibida|Factura|Cuota',
  },
  Italian: {
    owner: 'Anna Esempio',
    names:
      'Supermercato Nord|Panificio Caffè|Datore di lavoro Srl|Acquedotto|Libreria|Farmacia Comunale|Trattoria',
    purposes: 'Bonifico|Pagamento carta|Stipendio|Affitto|Bolletta',
  },
  Portuguese: {
    owner: 'Joana Exemplo',
    names: 'Padaria São João|Mercado Bom|Empregador Ltda|Água e Luz|Farmácia|Livraria|Aluguel Casa',
    purposes: 'Pagamento de fatura|Transferência recebida|Compra no cartão|Boleto|Mensalidade',
  },
  Polish: {
    owner: 'Jan Kowalski',
    names: 'Sklep Żabka|Piekarnia Łąka|Firma Sp. z o.o.|Wodociągi|Księgarnia|Apteka Zdrowie|Kino Muza',
    purposes: 'Faktura|Zakup kartą nr|Wypłata za miesiąc|Czynsz|Opłata',
  },
  Czech: {
    owner: 'Jan Vzor',
    names: 'Pekařství Růže|Obchod Žlutý|Zaměstnavatel s.r.o.|Vodárna|Knihkupectví|Lékárna|Kavárna',
    purposes: 'Faktura|Nákup|Výplata|Nájem|Poplatek',
  },
  Swedish: {
    owner: 'Anna Exempel',
    names: 'ICA Nära|Bageri Åkerö|Arbetsgivare AB|Vattenverk|Bokhandel|Apotek Hjärtat|Krog Älgen',
    purposes: 'Kortköp|Faktura|Lön|Hyra|Avgift',
  },
  Lithuanian: {
    owner: 'Vardenis Pavardenis',
    names: 'Kepykla Žiedas|Maisto prekės|UAB Darbdavys|Vandenys|Knygynas|Vaistinė Ąžuolas|Kavinė',
    purposes: 'Sąskaita|Pirkinys|Atlyginimas už mėnesį|Nuoma|Įmoka',
  },
  Hungarian: {
    owner: 'Minta Anna',
    names: 'Pékség Őz|Élelmiszer Bolt|Munkáltató Kft.|Vízművek|Könyvesbolt|Gyógyszertár|Kávézó',
    purposes: 'Számla|Vásárlás|Munkabér|Lakbér|Díj',
  },
  Turkish: {
    owner: 'Ayşe Örnek',
    names: 'Fırın Güneş|Market Işık|İşveren A.Ş.|Su İdaresi|Kitapçı|Eczane Şifa|Kahve Dükkanı',
    purposes: 'Fatura|Kart ile alışveriş|Maaş ödemesi|Kira|Aidat',
  },
  Russian: {
    owner: 'Анна Примерова',
    names: 'Пекарня Ромашка|Магазин Продукты|ООО Работодатель|Водоканал|Книжный дом|Аптека|Кофейня',
    purposes: 'Оплата счета|Покупка|Зарплата за месяц|Аренда|Взнос',
  },
  Greek: {
    owner: 'Άννα Παράδειγμα',
    names: 'Φούρνος Ήλιος|Αγορά Κέντρο|Εργοδότης ΑΕ|Ύδρευση|Βιβλιοπωλείο|Φαρμακείο|Καφενείο',
    purposes: 'Λογαριασμός|Αγορά με κάρτα|Μισθός|Ενοίκιο|Συνδρομή',
  },
  Japanese: {
    owner: 'ヤマダ ハナコ',
    names: 'コンビニ|スーパー|カイシャ|デンキ|スイドウ|ホンヤ|クスリ',
    purposes: 'カード|給料|口座振替|家賃|振込',
  },
  Korean: {
    owner: '김철수',
    names: '제과점|한국전력|주식회사 급여|신문|김영희|아파트|약국',
    purposes: '청구서|카드|급여|집세|이체',
  },
  Georgian: {
    owner: 'ანა მაგალითი',
    names: 'პურის სახლი|მაღაზია|დამსაქმებელი|წყალი|წიგნები|აფთიაქი|კაფე',
    purposes: 'ანგარიში|შეძენა|ხელფასი|ქირა|გადასახადი',
  },
  Icelandic: {
    owner: 'Anna Dæmi',
    names: 'Bakarí Þór|Verslun Höfn|Vinnuveitandi ehf|Vatnsveita|Bókabúð|Apótek|Kaffihús Æsa',
    purposes: 'Reikningur|Kaup|Laun|Leiga|Gjald',
  },
} as const;
