/** Names as people type them and as English, German and French banks write them. Data only, for invented households. */

export type AccountKey = 'checking' | 'savings' | 'cash' | 'card' | 'second';

/** What a payee is paid for. The categories have the same keys. `income` is not a category of expenses. */
export const categoryOf = {
  rent: 'rent',
  energy: 'bills',
  phone: 'bills',
  family: 'subscriptions',
  music: 'subscriptions',
  salary: 'income',
  sideJob: 'income',
  grocer: 'groceries',
  market: 'groceries',
  bakery: 'groceries',
  cafe: 'eating',
  restaurant: 'eating',
  bistro: 'eating',
  transit: 'transport',
  fuel: 'transport',
  course: 'leisure',
  newShop: 'leisure',
  hotel: 'travel',
  clothes: 'shopping',
  online: 'shopping',
  pharmacy: 'health',
  gifts: 'gifts',
  friend: 'shared',
  otherFriend: 'shared',
} as const;

export type PayeeKey = keyof typeof categoryOf;
export type CategoryKey = (typeof categoryOf)[PayeeKey];
export type TransferKey =
  | 'saving'
  | 'fromSavings'
  | 'cardPayment'
  | 'withdrawal'
  | 'payIn'
  | 'other'
  | 'back';

export interface Names {
  readonly accounts: Readonly<Record<AccountKey, string>>;
  readonly categories: Readonly<Record<CategoryKey, string>>;
  /** The name in the budget, and the bank's. */
  readonly payees: Readonly<Record<PayeeKey, readonly [name: string, bank: string]>>;
  /** The bank's text on the account that pays, and on the one that is paid. For cash, what a person types. */
  readonly transfers: Readonly<Record<TransferKey, readonly [out: string, into: string]>>;
  /** Payees typed by a person who does not look at the name on the receipt. */
  readonly ownWords: readonly string[];
  /** A purchase with a card, a payment from account to account, and a purchase that is still pending. */
  readonly written: Readonly<
    Record<'card' | 'account' | 'pending', (bank: string, date: string, number: number) => string>
  >;
}

const dayAndMonth = (date: string) => `${date.slice(8)}/${date.slice(5, 7)}`;

const english: Names = {
  accounts: {
    checking: 'Current account',
    savings: 'Rainy day',
    cash: 'Wallet',
    card: 'Amex',
    second: 'Monzo',
  },
  categories: {
    rent: 'Rent',
    bills: 'Utilities',
    subscriptions: 'Subscriptions',
    income: 'Inflow: Ready to Assign',
    groceries: 'Groceries',
    eating: 'Eating out',
    transport: 'Transport',
    leisure: 'Hobbies',
    travel: 'Holidays',
    shopping: 'Shopping',
    health: 'Health',
    gifts: 'Presents',
    shared: 'Shared with friends',
  },
  payees: {
    rent: ['Hughes Lettings', 'HUGHES LETTINGS LTD'],
    energy: ['Octopus Energy', 'OCTOPUS ENERGY LTD'],
    phone: ['O2', 'O2 UK PAY MONTHLY'],
    family: ['Duolingo', 'DUOLINGO INC'],
    music: ['Spotify', 'SPOTIFY UK'],
    salary: ['Marlow & Finch', 'MARLOW FINCH LLP SALARY'],
    sideJob: ['Evening College', 'CITY EVENING COLLEGE PAYROLL'],
    grocer: ['Tesco', 'TESCO STORES'],
    market: ["Sainsbury's", 'SAINSBURYS S/MKTS'],
    bakery: ['Gail’s', 'GAILS BAKERY'],
    cafe: ['Costa', 'COSTA COFFEE'],
    restaurant: ['Dishoom', 'DISHOOM KINGS X'],
    bistro: ['Franco Manca', 'SUMUP *FRANCO MANCA'],
    transit: ['TfL', 'TFL TRAVEL CH'],
    fuel: ['Shell', 'SHELL SOUTHGATE'],
    course: ['Yoga with Priya', 'P SHARMA YOGA'],
    newShop: ['The Bike Shed', 'ZETTLE_*THE BIKE SHED'],
    hotel: ['Booking.com', 'BOOKING.COM HOTEL RES'],
    clothes: ['Uniqlo', 'UNIQLO EUROPE LTD'],
    online: ['Amazon', 'AMZNMKTPLACE AMAZON.CO.UK'],
    pharmacy: ['Boots', 'BOOTS'],
    gifts: ['John Lewis', 'JOHN LEWIS PLC'],
    friend: ['Tom', 'T BAKER'],
    otherFriend: ['Aisha', 'MISS A KHAN'],
  },
  transfers: {
    saving: ['STO 441 RAINY DAY SAVER', 'STANDING ORDER CREDIT J WHITFIELD'],
    fromSavings: ['MOBILE WITHDRAWAL TO 20-44-11', 'FROM A/C 55310042 ONLINE'],
    cardPayment: ['DD AMERICAN EXPRESS 3742', 'PAYMENT RECEIVED - THANK YOU'],
    withdrawal: ['ATM WITHDRAWAL LINK HIGH ST', 'cash machine'],
    payIn: ['paid into bank', 'CASH DEPOSIT BRANCH 204411'],
    other: ['FPO JAMES WHITFIELD MONZO', 'Whitfield J faster payment'],
    back: ['James Whitfield - sent from app', 'FPI WHITFIELD JAMES REF TOPUP'],
  },
  ownWords: ['lunch', 'dinner with Tom', 'birthday stuff', 'card payment'],
  written: {
    card: (bank, date, number) => `CARD PURCHASE ${dayAndMonth(date)} ${bank} ${number} LONDON GB`,
    account: (bank, _date, number) => `${bank} REF ${number}`,
    pending: (bank) => `PENDING - ${bank}`,
  },
};

const german: Names = {
  accounts: {
    checking: 'Girokonto',
    savings: 'Tagesgeld',
    cash: 'Bargeld',
    card: 'Kreditkarte',
    second: 'DKB',
  },
  categories: {
    rent: 'Miete',
    bills: 'Strom und Telefon',
    subscriptions: 'Abos',
    income: 'Inflow: Ready to Assign',
    groceries: 'Lebensmittel',
    eating: 'Auswärts essen',
    transport: 'Mobilität',
    leisure: 'Freizeit',
    travel: 'Urlaub',
    shopping: 'Einkäufe',
    health: 'Gesundheit',
    gifts: 'Geschenke',
    shared: 'Auslagen',
  },
  payees: {
    rent: ['Hausverwaltung Krüger', 'KRUEGER IMMOBILIEN VERWALTUNGS GMBH'],
    energy: ['Stadtwerke', 'SWM VERSORGUNGS GMBH'],
    phone: ['Telekom', 'TELEKOM DEUTSCHLAND GMBH'],
    family: ['Urban Sports', 'URBAN SPORTS GMBH'],
    music: ['Spotify', 'PAYPAL EUROPE S.A.R.L. /. SPOTIFY'],
    salary: ['Gehalt Brandt AG', 'BRANDT MASCHINENBAU AG LOHN/GEHALT'],
    sideJob: ['Volkshochschule', 'VHS HONORARKASSE'],
    grocer: ['Rewe', 'REWE SAGT DANKE. 45718'],
    market: ['Edeka', 'EDEKA NEUKAUF BERGER'],
    bakery: ['Bäcker Huber', 'BAECKEREI HUBER GMBH'],
    cafe: ['Café Glück', 'SUMUP .CAFE GLUECK'],
    restaurant: ['Osteria', 'OSTERIA DA MARIO'],
    bistro: ['Asia Wok', 'NGUYEN GASTRO UG'],
    transit: ['MVG', 'MVG AUTOMATEN'],
    fuel: ['Aral', 'ARAL STATION 112'],
    course: ['Töpferkurs', 'KERAMIKWERKSTATT LINDNER'],
    newShop: ['Radladen', 'ZWEIRAD STADLER'],
    hotel: ['Booking.com', 'BOOKING.COM AMSTERDAM'],
    clothes: ['C&A', 'C U. A MODE GMBH'],
    online: ['Amazon', 'AMAZON EU S.A R.L., NIEDERLASSUNG DEUTSCHLAND'],
    pharmacy: ['Apotheke', 'MARIEN-APOTHEKE'],
    gifts: ['Thalia', 'THALIA BUECHER GMBH'],
    friend: ['Jonas', 'JONAS WEBER'],
    otherFriend: ['Steffi', 'STEFANIE MAYER'],
  },
  transfers: {
    saving: ['DAUERAUFTRAG SPAREN', 'GUTSCHRIFT LENA HOFFMANN'],
    fromSavings: ['UEBERTRAG AUF REFERENZKONTO', 'ING-DIBA TAGESGELD AUSZAHLUNG'],
    cardPayment: ['KREDITKARTENABRECHNUNG 4871XXXXXXXX', 'EINZUG DES RECHNUNGSBETRAGES'],
    withdrawal: ['BARGELDAUSZAHLUNG GA NR00231', 'Geld abgehoben'],
    payIn: ['eingezahlt', 'BAREINZAHLUNG AUTOMAT'],
    other: ['ONLINE-UEBERWEISUNG LENA HOFFMANN DKB', 'Hoffmann, Lena'],
    back: ['Ueberweisung Hoffmann Lena', 'GUTSCHR. UEBERW. HOFFMANN LENA RUECKBUCHUNG'],
  },
  ownWords: ['Mittagessen', 'mit Jonas', 'Krimskrams', 'Geburtstag Oma'],
  written: {
    card: (bank, date, number) =>
      `${bank}//MUENCHEN/DE ${date}T${12 + (number % 9)}:${10 + (number % 49)} KFN 4`,
    account: (bank, _date, number) => `SEPA ${bank} EREF: ${number} MREF: M-${number % 97}`,
    pending: (bank) => `VORGEMERKT ${bank}`,
  },
};

const french: Names = {
  accounts: {
    checking: 'Compte courant',
    savings: 'Livret A',
    cash: 'Espèces',
    card: 'Carte Gold',
    second: 'Boursorama',
  },
  categories: {
    rent: 'Loyer',
    bills: 'Factures',
    subscriptions: 'Abonnements',
    income: 'Inflow: Ready to Assign',
    groceries: 'Courses',
    eating: 'Restaurants',
    transport: 'Transports',
    leisure: 'Loisirs',
    travel: 'Vacances',
    shopping: 'Achats',
    health: 'Santé',
    gifts: 'Cadeaux',
    shared: 'Entre amis',
  },
  payees: {
    rent: ['Agence Foncia', 'FONCIA LYON GERANCE'],
    energy: ['EDF', 'EDF CLIENTS PARTICULIERS'],
    phone: ['Free Mobile', 'FREE MOBILE'],
    family: ['Basic-Fit', 'BASIC FIT FRANCE'],
    music: ['Deezer', 'DEEZER SA'],
    salary: ['Salaire Vernet', 'VERNET ET ASSOCIES SALAIRE'],
    sideJob: ['Cours du soir', 'ASSOC COURS DU SOIR'],
    grocer: ['Carrefour', 'CARREFOUR CITY'],
    market: ['Monoprix', 'MONOPRIX 0412'],
    bakery: ['Boulangerie', 'SARL LE FOURNIL'],
    cafe: ['Café de la Place', 'CAFE DE LA PLACE'],
    restaurant: ['Chez Paul', 'SAS CHEZ PAUL'],
    bistro: ['Le Petit Thaï', 'SUMUP *LE PETIT THAI'],
    transit: ['TCL', 'TCL KEOLIS DISTRIB'],
    fuel: ['Total', 'TOTALENERGIES RELAIS'],
    course: ['Cours de piano', 'MME ROUX CLAIRE'],
    newShop: ['Cycles Laurent', 'CYCLES LAURENT EURL'],
    hotel: ['Booking', 'BOOKING.COM NL'],
    clothes: ['Kiabi', 'KIABI EUROPE'],
    online: ['Amazon', 'AMAZON PAYMENTS'],
    pharmacy: ['Pharmacie', 'PHIE DES TERREAUX'],
    gifts: ['Fnac', 'FNAC PART DIEU'],
    friend: ['Julien', 'M JULIEN MOREAU'],
    otherFriend: ['Camille', 'MLLE CAMILLE PETIT'],
  },
  transfers: {
    saving: ['VIR PERMANENT EPARGNE', 'VIREMENT RECU MME DUBOIS MARIE'],
    fromSavings: ['RETRAIT LIVRET', 'VIR INTERNE DEPUIS LIVRET A'],
    cardPayment: ['PRLV CARTE GOLD DEBIT DIFFERE', 'REGLEMENT RECU MERCI'],
    withdrawal: ['RETRAIT DAB LYON 2', 'distributeur'],
    payIn: ['remis à la banque', 'VERSEMENT ESPECES AUTOMATE'],
    other: ['VIR INST MARIE DUBOIS BOURSORAMA', 'VIR SEPA RECU DUBOIS MARIE'],
    back: ['Virement vers Marie Dubois', 'VIR RECU BOURSO DUBOIS M'],
  },
  ownWords: ['déjeuner', 'soirée avec Julien', 'divers', 'anniversaire Lou'],
  written: {
    card: (bank, date, number) => `CARTE ${dayAndMonth(date)} ${bank} ${number} LYON CB*4821`,
    account: (bank, _date, number) => `PRLV SEPA ${bank} ID ${number}`,
    pending: (bank) => `EN COURS ${bank}`,
  },
};

export const countries: readonly Names[] = [english, german, french];
