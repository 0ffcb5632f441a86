/** The demo household with German names, in Swiss francs. Renamed by the ledger's own change functions. */

import { household } from '../../../src/service/demo-data/household.ts';
import type { HouseholdSize } from '../../../src/service/demo-data/household-size.ts';
import type { Random } from '../../../src/service/demo-data/random.ts';
import { updateAccount } from '../../../src/service/ledger/accounts.ts';
import { updateCategory, updateCategoryGroup } from '../../../src/service/ledger/categories.ts';
import { renamePayee } from '../../../src/service/ledger/payees.ts';
import { updateScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { accounts, categories, groups, payees, texts } from './german-names.ts';

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
  const months = ledger.months();
  ledger.commit((state) => {
    for (const { id, name } of [...state.groups.values()])
      updateCategoryGroup(state, id, { name: groups[name] ?? name });
    for (const { id, name, note } of [...state.categories.values()])
      updateCategory(state, id, { name: categories[name] ?? name, note: inGerman(note) });
    for (const { id, name } of [...state.payees.values()]) renamePayee(state, id, payees[name] ?? name);
    for (const { id, name, note } of [...state.accounts.values()])
      updateAccount(state, id, { name: accounts[name] ?? name, note: inGerman(note) });
    for (const pending of [...state.pending.values()])
      state.putPending({ ...pending, payee_name: payees[pending.payee_name] ?? pending.payee_name });
    for (const { id, memo, legs } of [...state.transactions.values()])
      updateTransaction(state, id, { memo: inGerman(memo), legs: linesInGerman(legs) });
    for (const { id, memo, legs } of [...state.scheduled.values()])
      updateScheduled(state, id, { memo: inGerman(memo), legs: linesInGerman(legs) });
    for (const { month, note } of months) state.setNote(month, inGerman(note));
    state.setFlagName('red', 'Zu prüfen');
    state.setFlagName('green', 'Kommt zurück');
    state.setFlagName('blue', 'Ferien');
  });
  return ledger;
}

const inGerman = (text: string | null) => (text === null ? null : (texts[text] ?? text));

const linesInGerman = <Leg extends { memo: string | null }>(legs: readonly Leg[]) =>
  legs.map((leg) => ({ ...leg, memo: inGerman(leg.memo) }));
