/**
 * Households with cases whose truth is known: what banks and people enter twice, money that moved and came in as two rows, charges
 * out of the ordinary, and what only looks like them. Most kinds are in public reports of users: a purchase that is sent again when
 * it is booked, a file imported over a bank link, an entry by hand that the import did not find, two people who enter the same.
 */
import { addDays, daysBetween } from '../../../src/base/calendar.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { household } from '../../../src/service/demo-data/household.ts';
import { Random } from '../../../src/service/demo-data/random.ts';
import { isOnBudget, type TransactionRecord } from '../../../src/service/ledger/records.ts';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import type { Ledger, LedgerState } from '../../../src/service/ledger.ts';
import { createTransactions } from '../../../src/service/writes/create-transactions.ts';
import { haushalt } from '../../evaluation/households/haushalt.ts';
import { directReader } from '../replica/service-reader.helper.ts';

const TODAY = '2026-11-18';
const NOW = Date.parse(`${TODAY}T12:00:00Z`);
/** What came in since then is not approved. */
const UNAPPROVED_DAYS = 45;

export interface PlantedHousehold {
  readonly replica: BudgetReplica;
  /** Keys of `pairKey`. */
  readonly duplicates: ReadonlySet<string>;
  readonly transfers: ReadonlySet<string>;
  /** Ids of transactions. */
  readonly unusual: ReadonlySet<string>;
}

export const pairKey = (one: string, other: string): string => [one, other].toSorted().join(' ');

type Row = Readonly<Record<string, unknown>> & { readonly date: string; readonly amount: number };

export async function plantedHousehold(seed: number): Promise<PlantedHousehold> {
  const random = new Random(seed);
  const ledger: Ledger = seed % 2 === 0 ? household(random, NOW, {}) : haushalt(random, NOW, { months: 18 });
  const planter = new Planter(random);
  ledger.commit((state) => planter.plant(state));
  const replica = BudgetReplica.load(await directReader(ledger).export(), TODAY);
  return { replica, ...planter };
}

class Planter {
  readonly duplicates = new Set<string>();
  readonly transfers = new Set<string>();
  readonly unusual = new Set<string>();
  readonly #random: Random;
  #imports = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  plant(state: LedgerState): void {
    const random = this.#random;
    const all = [...state.transactions.values()];
    // The service would match what the bank sends to entries without an import id.
    for (const { id, date, transfer_account_id: other } of all)
      updateTransaction(state, id, {
        import_id: other === null ? `earlier-${id.slice(0, 8)}` : null,
        approved: other !== null || daysBetween(date, TODAY) > UNAPPROVED_DAYS,
      });
    const isPurchase = ({ transfer_account_id, legs, amount, payee_id, account_id }: TransactionRecord) =>
      transfer_account_id === null &&
      legs.length === 0 &&
      amount < 0 &&
      payee_id !== null &&
      accountsOf(state).some(({ id }) => id === account_id);
    const recent = all.filter((row) => isPurchase(row) && daysBetween(row.date, TODAY) < UNAPPROVED_DAYS);
    const take = () => {
      const at = random.integer(0, recent.length - 1);
      const [row] = recent.splice(at, 1);
      if (!row) throw new Error('The household has too few purchases.');
      return row;
    };
    for (let count = 0; count < 8; count += 1) this.#duplicate(state, take());
    this.#lookAlikes(state, take);
    for (let count = 0; count < 6; count += 1) this.#transfer(state);
    this.#noTransfers(state, take);
    this.#amounts(state, all.filter(isPurchase));
  }

  /** The same purchase a second time. */
  #duplicate(state: LedgerState, row: TransactionRecord): void {
    const random = this.#random;
    const { account_id, amount, date, payee_id, category_id } = row;
    const name = state.payees.get(payee_id ?? '')?.name ?? '';
    const how = random.next();
    const base = { account_id, amount };
    // Sent as reserved and again as booked, imported from a file over the bank link, or again after a new link.
    const second: Row =
      how < 0.35
        ? { ...base, date: later(date, random.integer(1, 3)), ...this.#fromBank(name), cleared: 'cleared' }
        : how < 0.5
          ? { ...base, date, ...this.#fromBank(name), cleared: 'cleared' }
          : how < 0.65
            ? { ...base, date: later(date, random.integer(0, 3)), ...this.#fromBank(name, payee_id) }
            : how < 0.8
              ? // By hand after the import, some days before it was booked.
                { ...base, date: later(date, -random.integer(0, 4)), payee_id, category_id, approved: true }
              : how < 0.93
                ? // Two people of one household.
                  {
                    ...base,
                    date: later(date, random.integer(0, 1)),
                    payee_name: shortened(name, random),
                    category_id,
                  }
                : // Very late.
                  { ...base, date: later(date, random.integer(5, 8)), ...this.#fromBank(name, payee_id) };
    const id = enter(state, second);
    this.duplicates.add(pairKey(row.id, id));
  }

  #fromBank(name: string, payee_id?: string | null) {
    this.#imports += 1;
    return {
      import_id: `bank-${this.#imports}`,
      payee_name: bankName(name, this.#random),
      ...(payee_id && { payee_id }),
    };
  }

  /** Purchases that are really different. */
  #lookAlikes(state: LedgerState, take: () => TransactionRecord): void {
    const random = this.#random;
    // Two tickets a day are a habit, in the past too.
    const [account_id] = [take()].map((row) => row.account_id);
    for (let day = random.integer(0, 6); day < 300; day += random.integer(4, 9))
      for (const import_id of [`tram-${day}-a`, `tram-${day}-b`])
        enter(state, {
          account_id,
          date: addDays(TODAY, -day),
          amount: -3_200,
          payee_name: 'Tramway',
          import_id,
          approved: day > UNAPPROVED_DAYS,
        });
    // The bank counts both as rows of one day.
    const seats = {
      account_id,
      date: addDays(TODAY, -random.integer(2, 30)),
      amount: -random.integer(80, 160) * 100,
    };
    for (const number of [1, 2])
      enter(state, {
        ...seats,
        payee_name: 'Lumen Cinema',
        import_id: `YNAB:${seats.amount}:${seats.date}:${number}`,
      });
    const [weekly, elsewhere, other, refunded] = [take(), take(), take(), take()];
    enter(state, { ...copyOf(weekly), date: later(weekly.date, -7), import_id: 'weekly' });
    enter(state, {
      ...copyOf(elsewhere),
      payee_id: null,
      payee_name: 'Quite Another Place',
      import_id: 'elsewhere',
    });
    const second = accountsOf(state).find(({ id }) => id !== other.account_id);
    enter(state, { ...copyOf(other), account_id: second?.id, import_id: 'other account' });
    enter(state, {
      ...copyOf(refunded),
      amount: -refunded.amount,
      date: later(refunded.date, 2),
      import_id: 'refund',
    });
    // Nobody but the person can know.
    if (random.chance(0.15)) enter(state, { ...copyOf(take()), import_id: 'one more coffee' });
  }

  /** Money that moved between two accounts, and came in on each. */
  #transfer(state: LedgerState): void {
    const random = this.#random;
    const own = accountsOf(state);
    const from = own[random.integer(0, own.length - 1)];
    const to = own[random.integer(0, own.length - 1)];
    if (!from || !to || from === to) {
      this.#transfer(state);
      return;
    }
    const amount = random.integer(20, 900) * random.pick([1_000, 5_000, 1_010]);
    const date = addDays(TODAY, -random.integer(4, 40));
    const after = later(date, random.pick([0, 0, 0, 1, 1, 2, 3, 4]));
    const [out, back] = random.pick([
      [
        `Online Transfer to ${to.name.toUpperCase()} 4471`,
        `Online Transfer from ${from.name.toUpperCase()} 1180`,
      ],
      ['Transfer', 'Transfer'],
      [`${to.name} via banking app`, 'Received from own account'],
      ['ACH WEBSINGLE 1180 CREDITCARD', 'Payment Received Thank You'],
      ['UMBUCHUNG', 'SEPA GUTSCHRIFT UMBUCHUNG'],
      ['Jana Weber', 'Jana Weber'],
      ['SEPA Überweisung Jana Weber', 'Gutschrift Jana Weber'],
      ['DAUERAUFTRAG SPAREN', 'GUTSCHRIFT'],
      ['ATM WITHDRAWAL 0042', 'Cash'],
      ['INTERNET 84411', 'INTERNET 84411'],
      ['E-BANKING 5512', 'EINGANG 77120'],
      // As public rules for statements of banks have them.
      ['CHASE CREDIT CRD AUTOPAY PPD ID: 4760039224', 'Payment Thank You-Mobile'],
      ['Online Transfer to CHK ...1605 transaction#: 8812', 'Online Transfer from CHK ...1604'],
      ['CAPITAL ONE MOBILE PYMT', 'CAPITAL ONE ONLINE PYMT'],
      ['Internet transfer to Interest account', 'Requested transfer'],
      ['BARCLAYCARD US', 'Payment Received'],
      ['Overføring til konto', 'Mellom egne konti'],
      ['Wealthfront', 'FID BKG SVC LLC MONEYLINE'],
      ['BARGELDAUSZAHLUNG', 'Einzahlung'],
    ] as [readonly [string, string], ...(readonly [string, string])[]]);
    this.#imports += 2;
    const one = enter(state, {
      account_id: from.id,
      date,
      amount: -amount,
      payee_name: out,
      import_id: `out-${this.#imports}`,
      cleared: 'cleared',
    });
    const other = enter(state, {
      account_id: to.id,
      date: after,
      amount,
      payee_name: back,
      import_id: `in-${this.#imports}`,
      cleared: 'cleared',
    });
    this.transfers.add(pairKey(one, other));
  }

  /** Opposite amounts on two accounts that are two different things. */
  #noTransfers(state: LedgerState, take: () => TransactionRecord): void {
    const random = this.#random;
    const others = (account: string) => accountsOf(state).filter(({ id }) => id !== account);
    const things = [
      'Ben Okafor',
      'Return desk',
      'Marketplace sale',
      'Health insurance refund',
      'Cashback bonus',
    ];
    for (const payee_name of things) {
      const row = take();
      const account_id = others(row.account_id)[random.integer(0, 1)]?.id;
      enter(state, {
        account_id,
        amount: -row.amount,
        date: later(row.date, random.integer(0, 3)),
        payee_name,
        import_id: payee_name,
      });
    }
    // A new shop, and a friend who pays the half of something else.
    const [first, second] = others('');
    const amount = random.integer(10, 90) * 1_000;
    const date = addDays(TODAY, -random.integer(3, 40));
    enter(state, {
      account_id: first?.id,
      date,
      amount: -amount,
      payee_name: 'Nordlicht Bikes',
      import_id: 'bikes',
    });
    enter(state, {
      account_id: second?.id,
      date: later(date, 1),
      amount,
      payee_name: 'Mara Lind',
      import_id: 'mara',
    });
  }

  #amounts(state: LedgerState, purchases: readonly TransactionRecord[]): void {
    const random = this.#random;
    const byPayee = new Map<string, TransactionRecord[]>();
    for (const row of purchases)
      byPayee.set(row.payee_id ?? '', [...(byPayee.get(row.payee_id ?? '') ?? []), row]);
    const known = [...byPayee.values()].filter((rows) => rows.length >= 8);
    for (let count = 0; count < 8; count += 1) {
      const rows = known.splice(random.integer(0, known.length - 1), 1)[0] ?? [];
      const sizes = rows.map(({ amount }) => -amount).toSorted((a, b) => a - b);
      const [middle = 0, largest = 0] = [sizes[sizes.length >> 1], sizes.at(-1)];
      const isOdd = count % 2 === 0;
      // A charge out of the ordinary, or one that is only as high as the highest so far.
      const size = isOdd
        ? Math.round(middle * (3 + 5 * random.next()))
        : Math.round(largest * (0.7 + 0.35 * random.next()));
      const [row] = rows;
      if (!row) continue;
      const id = enter(state, {
        account_id: row.account_id,
        payee_id: row.payee_id,
        category_id: row.category_id,
        date: addDays(TODAY, -random.integer(0, 12)),
        amount: -Math.ceil(size / 10) * 10,
        import_id: `amount-${count}`,
      });
      if (isOdd) this.unusual.add(id);
    }
  }
}

function enter(state: LedgerState, row: Row): string {
  const [id] = createTransactions(state, [row]).transaction_ids;
  if (id === undefined) throw new Error('The service has this import already.');
  return id;
}

const accountsOf = (state: LedgerState) =>
  [...state.accounts.values()].filter((account) => isOnBudget(account) && !account.closed);

const copyOf = ({ account_id, date, amount, payee_id, category_id }: TransactionRecord) => ({
  account_id,
  date,
  amount,
  payee_id,
  category_id,
});

function later(date: string, days: number): string {
  const moved = addDays(date, days);
  return moved > TODAY ? TODAY : moved;
}

/** How a bank writes a name. */
function bankName(name: string, random: Random): string {
  const upper = name.toUpperCase();
  return random.pick([
    name,
    upper,
    `${upper} 0423 BERLIN`,
    `CARD 4412 ${upper}`,
    `${upper}*ORDER 99213`,
    `SumUp  *${upper}`,
    upper.slice(0, 18),
    `POS 18.11 ${upper} DE`,
    `${upper.replaceAll(/(?<=.)[AEIOUÄÖÜ]/g, '')} 21`,
  ]);
}

/** How another person of the household writes a name. */
const shortened = (name: string, random: Random): string =>
  random.pick([name, name.toLowerCase(), name.split(' ')[0] ?? name, `${name} Berlin`]);
