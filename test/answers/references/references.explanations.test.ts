import { expect, it } from 'vitest';
import { References } from '../../../src/answers/references/references.ts';
import {
  accountRow,
  accountsNamed,
  categoryRow,
  groupRow,
  idAt,
  payeeRow,
  tables,
  uuid,
} from '../../features/reference-rows.helper.ts';
import * as a from '../samples.helper.ts';

it('an unknown name lists at most three similar ones with what distinguishes them, and none that is not similar', () => {
  const groups = [groupRow({ id: uuid('a'), name: 'Everyday' })];
  const names = ['Gifts', 'Groceries', 'Grocery delivery', 'Rent', 'Travel', 'Clothes', 'Fuel'];
  const categories = names.map((name, at) =>
    categoryRow({ id: idAt(at), name, category_group_id: uuid('a'), hidden: name === 'Grocery delivery' }),
  );
  const text = new References(tables({ groups, categories })).explain('category', 'Grocerys');
  expect(text).toContain(
    'there is no category "Grocerys", nearest: "Groceries" (group "Everyday", 1abcde), "Grocery delivery" (group "Everyday", hidden, 2abcde)',
  );
  expect(text.match(/group "Everyday"/g)).toHaveLength(2);
  const many = accountsNamed('Savings 1', 'Savings 2', 'Savings 3', 'Savings 4');
  expect(many.explain('account', 'Saving').match(/checking/g)).toHaveLength(3);
  expect(many.explain('account', 'Purse')).toBe('there is no account "Purse"');
});

it.each([
  ['that contains the text', 'car', ['Cat', 'Motorcar insurance']],
  ['that the text contains', 'groceries at the shop', ['Groceries of the chop', 'Shop']],
  ['that has little more than the text', 'insurance', ['Insurance of the house', 'Car insurance']],
])('a name %s is nearest', (_, text, names) => {
  expect(accountsNamed(...names).explain('account', text)).toContain(`nearest: "${names[1]}"`);
});

it('of equal names, the one in the group that the text begins with is nearest', () => {
  const groups = ['Home', 'Car'].map((name, at) => groupRow({ id: idAt(at), name }));
  const categories = groups.map(({ id }, at) =>
    categoryRow({ id: uuid(`f${at}`), name: 'Insurance', category_group_id: id }),
  );
  const references = new References(tables({ groups, categories }));
  expect(references.explain('category', 'Car: Insurence')).toContain('nearest: "Insurance" (group "Car", f1');
});

const [one, two] = [uuid('0abcdef0'), uuid('0abcdef1')];
const place = { id: one, payee_id: uuid('a'), latitude: '52.5', longitude: '13.4', deleted: false };

it.each([
  [
    'account',
    {
      accounts: [
        accountRow({ id: one, name: 'Cash' }),
        accountRow({ id: two, name: 'Purse', type: 'cash', closed: true }),
      ],
    },
    '"Cash" (checking, 0abcdef0-0), "Purse" (cash, closed, 0abcdef1-0)',
  ],
  [
    'category_group',
    { groups: [groupRow({ id: one, name: 'Bills' }), groupRow({ id: two, name: 'Old', hidden: true })] },
    '"Bills" (0abcdef0-0), "Old" (hidden, 0abcdef1-0)',
  ],
  [
    'payee',
    {
      accounts: [accountRow({ id: uuid('a'), name: 'Old', closed: true })],
      payees: [
        payeeRow({ id: one, name: 'Bank' }),
        payeeRow({ id: two, name: 'Transfer : Old', transfer_account_id: uuid('a') }),
      ],
    },
    '"Bank" (0abcdef0-0), "Transfer : Old" (account closed, 0abcdef1-0)',
  ],
  [
    'payee_location',
    { payeeLocations: [place, { ...place, id: two, longitude: '-0.1' }] },
    'location (52.5, 13.4, 0abcdef0-0), location (52.5, -0.1, 0abcdef1-0)',
  ],
  [
    'transaction',
    { transactions: [a.transaction({ id: one }), a.transaction({ id: two, payee_name: null })] },
    '2026-11-18 ("Corner Shop", 0abcdef0-0), 2026-11-18 (0abcdef1-0)',
  ],
  [
    'scheduled_transaction',
    {
      payees: [payeeRow({ id: uuid('a'), name: 'Landlord' })],
      scheduledTransactions: [
        a.scheduled({ id: one, payee_id: uuid('a') }),
        a.scheduled({ id: two, payee_id: null }),
      ],
    },
    'next 2026-12-01 ("Landlord", 0abcdef0-0), next 2026-12-01 (0abcdef1-0)',
  ],
] as const)('each %s that an abbreviated id may mean has what distinguishes it', (kind, rows, described) => {
  expect(new References(tables(rows)).explain(kind, '0abcdef')).toBe(
    `"0abcdef" may mean several: ${described}`,
  );
});

it('of many matches, three are listed, with the number of the others', () => {
  const text = accountsNamed(...Array<string>(7).fill('Cash')).explain('account', 'Cash');
  expect(text.match(/checking/g)).toHaveLength(3);
  expect(text).toContain(', and 4 more');
});

it('a mistyped id lists the ids that begin alike, the most alike first', () => {
  const names = { Cash: '2abcde', Savings: '1abcf', Wallet: '1abcde' };
  const accounts = Object.entries(names).map(([name, start]) => accountRow({ id: uuid(start), name }));
  expect(new References(tables({ accounts })).explain('account', '1abcdexx')).toMatch(
    /nearest: "Wallet" .*"Savings" [^,]*, [^,]*$/,
  );
});
