/** The demo household with German names, in Swiss francs. It is renamed by the ledger's own change functions. */

import { household } from '../../../src/service/demo-data/household.ts';
import type { HouseholdSize } from '../../../src/service/demo-data/household-size.ts';
import type { Random } from '../../../src/service/demo-data/random.ts';
import { updateAccount } from '../../../src/service/ledger/accounts.ts';
import { updateCategory, updateCategoryGroup } from '../../../src/service/ledger/categories.ts';
import { renamePayee } from '../../../src/service/ledger/payees.ts';
import { updateScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { accounts, categories, groups, memos, payees } from './german-names.ts';

const FRANC = {
  iso_code: 'CHF',
  example_format: '123’456.78',
  decimal_digits: 2,
  decimal_separator: '.',
  symbol_first: true,
  group_separator: '’',
  currency_symbol: 'CHF',
  display_symbol: true,
};

export function haushalt(random: Random, now: number, size: HouseholdSize): Ledger {
  const ledger = household(random, now, size, { name: 'Haushalt', currency_format: FRANC });
  ledger.commit((state) => {
    for (const { id, name } of renamed(state.groups, groups)) updateCategoryGroup(state, id, { name });
    for (const { id, name } of renamed(state.categories, categories)) updateCategory(state, id, { name });
    for (const { id, name } of renamed(state.payees, payees)) renamePayee(state, id, name);
    for (const { id, name } of renamed(state.accounts, accounts)) updateAccount(state, id, { name });
    for (const pending of [...state.pending.values()])
      state.putPending({ ...pending, payee_name: payees[pending.payee_name] ?? pending.payee_name });
    for (const { id, memo, legs } of [...state.transactions.values()])
      updateTransaction(state, id, inGerman(memo, legs));
    for (const { id, memo, legs } of [...state.scheduled.values()])
      updateScheduled(state, id, inGerman(memo, legs));
  });
  return ledger;
}

function renamed(
  records: ReadonlyMap<string, { name: string }>,
  names: Readonly<Record<string, string>>,
): { id: string; name: string }[] {
  return [...records].flatMap(([id, { name }]) => {
    const german = names[name];
    return german === undefined ? [] : [{ id, name: german }];
  });
}

/** The notes of accounts and months stay in English, as do the names of the service's own categories. */
function inGerman<Leg extends { memo: string | null }>(memo: string | null, legs: readonly Leg[]) {
  const translated = (text: string | null) => (text === null ? null : (memos[text] ?? text));
  return { memo: translated(memo), legs: legs.map((leg) => ({ ...leg, memo: translated(leg.memo) })) };
}
