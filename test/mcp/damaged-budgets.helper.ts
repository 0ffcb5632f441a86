/** Ways in which one part of a budget can be damaged on its way from the service. */
import { expect } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../src/base/json.ts';

export type Row = Record<string, unknown>;

/** A budget as the service sends it, to be damaged. */
export class Sent {
  readonly budget: Row;
  readonly #asked: ReadonlySet<string>;
  /** The ids of what was damaged. */
  readonly damaged: string[] = [];

  /** `asked` are the ids that questions name. */
  constructor(budget: Row, asked: ReadonlySet<string>) {
    this.budget = budget;
    this.#asked = asked;
  }

  list(name: string): Row[] {
    return z.array(z.custom<Row>(isJsonObject)).parse(this.budget[name]);
  }

  /** A row that no question of the test asks for. */
  row(name: string, isWanted: (each: Row) => boolean = () => true): Row {
    const found = this.list(name).find((each) => isWanted(each) && !this.#asked.has(String(each['id'])));
    return this.#damage(found ?? expect.unreachable());
  }

  remove(name: string, removed: Row): void {
    this.budget[name] = this.list(name).filter((each) => each !== removed);
  }

  get plain(): Row {
    const splits = new Set(this.list('subtransactions').map((leg) => leg['transaction_id']));
    return this.row(
      'transactions',
      (each) =>
        each['transfer_account_id'] === null &&
        ['payee_id', 'category_id', 'account_id'].every((name) => !this.#asked.has(String(each[name]))) &&
        each['category_id'] !== null &&
        each['payee_id'] !== null &&
        !splits.has(each['id']),
    );
  }

  get transfer(): Row {
    return this.row('transactions', (each) => each['transfer_account_id'] !== null);
  }

  used(field: string, name: string): Row {
    const used = new Set(this.list('transactions').map((each) => each[field]));
    return this.row(name, (each) => used.has(each['id']) && each['internal'] !== true);
  }

  get ofMonth(): Row {
    const month = this.list('months').at(-1) ?? expect.unreachable();
    const rows = z.array(z.custom<Row>(isJsonObject)).parse(month['categories']);
    return this.#damage(
      rows.find((each) => each['internal'] !== true && !this.#asked.has(String(each['id']))) ??
        expect.unreachable(),
    );
  }

  #damage(found: Row): Row {
    this.damaged.push(String(found['id']));
    return found;
  }
}

const NOTHING = '11111111-2222-4333-8444-555555555555';

const set = (field: string, value: unknown, of: (sent: Sent) => Row) => (sent: Sent) => {
  of(sent)[field] = value;
};
const list = (name: string, value: unknown) => (sent: Sent) => {
  if (value === undefined) delete sent.budget[name];
  else sent.budget[name] = value;
};

export interface Damage {
  readonly what: string;
  readonly damage: (sent: Sent) => void;
  /** The tools whose figures may differ. */
  readonly rests: RegExp;
  /** Those for which it is another budget, and nothing is missing. */
  readonly isOther?: RegExp | undefined;
  /** Those that ask for what is damaged itself. */
  readonly refused?: RegExp | undefined;
}

const table: readonly (readonly [what: string, damage: Damage['damage'], rests: RegExp, isOther?: RegExp])[] =
  [
    // References to what is not there.
    [
      'a transaction of an unknown payee',
      set('payee_id', NOTHING, (sent) => sent.plain),
      /payee|recurring|forecast|find|review/,
      /"by":"payee"/,
    ],
    [
      'a payee that is deleted and used',
      (sent) => {
        sent.used('payee_id', 'payees')['deleted'] = true;
      },
      /payee|recurring|forecast|find|review|budget/,
      /^(list_payees|get_budget) /,
    ],
    [
      'a payee that is used and not listed',
      (sent) => sent.remove('payees', sent.used('payee_id', 'payees')),
      /payee|recurring|forecast|find|review|budget/,
      /^(list_payees|get_budget) /,
    ],
    [
      'a transaction in an unknown category',
      set('category_id', NOTHING, (sent) => sent.plain),
      /report|categor|forecast|find|review/,
    ],
    [
      'a category that is used and not listed',
      (sent) => sent.remove('categories', sent.used('category_id', 'categories')),
      /report|categor|forecast|find|review|month|budget/,
      /^(list_categories|get_budget) /,
    ],
    [
      'a category that is deleted and used',
      (sent) => {
        sent.used('category_id', 'categories')['deleted'] = true;
      },
      /report|categor|forecast|find|review|month|budget/,
      /^(list_categories|get_budget) /,
    ],
    [
      'a transaction of an unknown account',
      set('account_id', NOTHING, (sent) => sent.plain),
      /report|account|forecast|find|review|reconcile|recurring/,
    ],
    [
      'a transfer to an unknown account',
      set('transfer_account_id', NOTHING, (sent) => sent.transfer),
      /report|forecast|check_month|recurring|review|find/,
    ],
    [
      'a transfer to an unknown transaction',
      set('transfer_transaction_id', NOTHING, (sent) => sent.transfer),
      /^$/,
    ],
    [
      'a match with an unknown transaction',
      set('matched_transaction_id', NOTHING, (sent) => sent.plain),
      /^$/,
    ],
    [
      'a category in an unknown group',
      set('category_group_id', NOTHING, (sent) => sent.used('category_id', 'categories')),
      /categor|report/,
      /list_categories|"by":"group"/,
    ],
    [
      'a leg of an unknown transaction',
      set('transaction_id', NOTHING, (sent) => sent.row('subtransactions')),
      /report|transaction|categor|forecast|review|recurring|budget|payee|suggest/,
      /get_transaction/,
    ],
    [
      'a leg in an unknown category',
      set('category_id', NOTHING, (sent) => sent.row('subtransactions')),
      /report|categor|forecast|find|review/,
      /list_category_transactions/,
    ],
    [
      'a month with an unknown category',
      set('id', NOTHING, (sent) => sent.ofMonth),
      /month|report|forecast|budget/,
    ],
    [
      'a scheduled transaction of an unknown payee',
      set('payee_id', NOTHING, (sent) => sent.row('scheduled_transactions')),
      /recurring|forecast|scheduled/,
    ],
    [
      'a scheduled transaction of an unknown account',
      set('account_id', NOTHING, (sent) => sent.row('scheduled_transactions')),
      /forecast|check_month|recurring/,
    ],
    [
      'a scheduled transaction in an unknown category',
      set('category_id', NOTHING, (sent) => sent.row('scheduled_transactions')),
      /forecast/,
    ],
    [
      'a location of an unknown payee',
      set('payee_id', NOTHING, (sent) => sent.row('payee_locations')),
      /location/,
    ],
    [
      'a payee of a transfer to an unknown account',
      set('transfer_account_id', NOTHING, (sent) =>
        sent.row('payees', (each) => each['transfer_account_id'] !== null),
      ),
      /^$/,
    ],
    // Values that no question needs, or that only some do.
    [
      'a decimal rate',
      set('debt_interest_rates', { '2026-01-01': 3250.5 }, (sent) => sent.row('accounts')),
      /list_accounts/,
      /./,
    ],
    ['rates that are a list', set('debt_interest_rates', [3250], (sent) => sent.row('accounts')), /^$/],
    ['an account without a name', set('name', null, (sent) => sent.row('accounts')), /^$/],
    [
      'an account of an unknown balance',
      set('balance', null, (sent) => sent.row('accounts')),
      /account|net|report|forecast|check_month/,
    ],
    [
      'an account that does not say whether it is closed',
      set('closed', null, (sent) => sent.row('accounts')),
      /^$/,
    ],
    [
      'an account that does not say whether it belongs to the budget',
      set('on_budget', 'maybe', (sent) => sent.row('accounts', (each) => each['on_budget'] === true)),
      /^$/,
    ],
    [
      'a payee without a name',
      set('name', 7, (sent) => sent.row('payees')),
      /recurring|review|find|forecast/,
    ],
    ['a memo that is a number', set('memo', 12, (sent) => sent.plain), /find/],
    [
      'a transaction without an amount',
      set('amount', null, (sent) => sent.plain),
      /report|transaction|account|categor|payee|forecast|review|recurring|reconcile|check_month|budget|month/,
    ],
    [
      'a transaction with a fraction of a milliunit',
      set('amount', -1234.5, (sent) => sent.plain),
      /report|transaction|account|categor|payee|forecast|review|recurring|reconcile|check_month|budget|month/,
    ],
    [
      'a transaction of another form of date',
      set('date', '3 November', (sent) => sent.plain),
      /report|transaction|account|categor|payee|forecast|review|recurring|reconcile|check_month|budget|month/,
    ],
    [
      'a transaction that does not say whether it is approved',
      set('approved', null, (sent) => sent.plain),
      /review|check_month|report|transaction/,
    ],
    ['a new state of being cleared', set('cleared', 'pending', (sent) => sent.plain), /reconcile/],
    [
      'a transaction of an unreadable category',
      set('category_id', 5, (sent) => sent.plain),
      /report|categor|forecast|review|check_month|transaction|find/,
    ],
    ['a new colour of a flag', set('flag_color', 'pink', (sent) => sent.plain), /^$/],
    ['a new type of accounts', set('type', 'crypto', (sent) => sent.row('accounts')), /forecast/],
    [
      'a new frequency',
      set('frequency', 'fortnightly', (sent) => sent.row('scheduled_transactions')),
      /forecast|check_month|recurring/,
    ],
    [
      'a new kind of goal',
      set('goal_type', 'MAGIC', (sent) => sent.used('category_id', 'categories')),
      /month|categor|report/,
    ],
    [
      'a category in a month without what is left',
      set('balance', null, (sent) => sent.ofMonth),
      /month|report|forecast|budget/,
    ],
    [
      'a category without a balance',
      set('balance', 'much', (sent) => sent.used('category_id', 'categories')),
      /categor|forecast|month/,
    ],
    [
      'a month without what is to be budgeted',
      (sent) => {
        (sent.list('months').at(-1) ?? {})['to_be_budgeted'] = null;
      },
      /month|categor|forecast|report/,
    ],
    [
      'a scheduled transaction without a date',
      set('date_next', null, (sent) => sent.row('scheduled_transactions')),
      /forecast|check_month|recurring|scheduled|budget/,
    ],
    [
      'a row that is no object',
      (sent) => {
        sent.budget['payees'] = [...sent.list('payees'), 'nobody'];
      },
      /^$/,
    ],
    [
      'a currency without its decimals',
      (sent) => {
        sent.budget['currency_format'] = { iso_code: 'EUR' };
      },
      /./,
    ],
    ['no date format', list('date_format', {}), /^$/],
    // Lists that are missing or null.
    ['no list of locations', list('payee_locations', undefined), /location|budget/],
    ['null as the list of locations', list('payee_locations', null), /location|budget/],
    ['null as the list of legs', list('subtransactions', null), /./],
    ['null as the list of scheduled transactions', list('scheduled_transactions', null), /./],
    ['null as the list of transactions', list('transactions', null), /./],
    ['null as the list of months', list('months', null), /./],
    ['no list of payees', list('payees', undefined), /./],
    ['null as the list of groups', list('category_groups', null), /./],
  ];

const SINGLE = /^(get_|list_\w+_(by_payee|transactions) )/;

export const damages: readonly Damage[] = table.map(([what, damage, rests, isOther]) => ({
  what,
  damage,
  rests,
  isOther: isOther ?? (what.startsWith('a new ') ? /./ : undefined),
  refused: /^(no|null as the) list/.test(what) ? SINGLE : undefined,
}));
