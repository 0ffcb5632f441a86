import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { References } from '../../../src/answers/references/references.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { collectGarbage } from '../../collect-garbage.helper.ts';
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
import { forbidden, hostileText } from '../../hostile-texts.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { apply, changes, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { scheduled } from '../samples.helper.ts';

describe('a text that refers to a thing', () => {
  it('a full id comes first, also if another thing has it as its name', () => {
    expect(accountsNamed('Cash', idAt(0)).find('account', idAt(0))).toEqual([idAt(0)]);
  });

  it('an exact name comes before names that differ in case', () => {
    const references = accountsNamed('cash', 'Cash', 'CASH');
    expect(references.find('account', 'Cash')).toEqual([idAt(1)]);
    expect(references.find('account', 'cAsh')).toEqual([idAt(0), idAt(1), idAt(2)]);
  });

  it('a visible thing whose name differs by case or emoji comes before a hidden one with exactly the name', () => {
    const accounts = [
      accountRow({ id: idAt(0), name: 'Cash', closed: true }),
      accountRow({ id: idAt(1), name: '💵 cash' }),
    ];
    const references = new References(tables({ accounts }));
    expect(references.find('account', 'Cash')).toEqual([idAt(1)]);
    expect(references.find('account', idAt(0))).toEqual([idAt(0)]);
  });

  it.each([
    ['a name that is two letters away', 'Grocries', ['Groceries', 'Rent'], [0]],
    ['both of two that differ by an emoji', 'Grocereis', ['Groceries', '🛒 Groceries'], [0, 1]],
    ['none that is three letters away', 'Gorceires', ['Groceries'], []],
    ['none if another one is three letters away', 'Dentist', ['Dentist A', 'Dentist BC'], []],
    ['none with other digits', 'Visa 1234', ['Visa 1235'], []],
    ['none for a word of three letters', 'Bar', ['Car'], []],
  ])('a mistyped name means %s', (_, text, names, meant) => {
    expect(accountsNamed(...names).findMistyped('account', text)).toEqual(meant.map(idAt));
  });

  it('a question means a category or a group of a name, and not both', () => {
    const groups = [groupRow({ id: idAt(0), name: 'Fun' })];
    const categories = [categoryRow({ id: idAt(1), name: 'Fun', category_group_id: idAt(0) })];
    const references = new References(tables({ groups, categories }));
    expect(references.findAlike('category_or_group', 'fun')).toEqual(
      references.find('category_or_group', 'fun'),
    );
    const equal = ['Fun', 'fun 🎈'].map((name, at) =>
      categoryRow({ id: idAt(at), name, category_group_id: uuid('a') }),
    );
    expect(new References(tables({ categories: equal })).findAlike('category', 'Fun')).toEqual([
      idAt(0),
      idAt(1),
    ]);
  });

  it('an abbreviated id refers to its thing', () => {
    const references = accountsNamed('Cash', 'Savings');
    expect(references.find('account', references.shortId('account', idAt(1)))).toEqual([idAt(1)]);
  });

  it('a name that is also the beginning of the id of another thing may mean both', () => {
    expect(accountsNamed('Cash', '0abcdef').find('account', '0abcdef')).toEqual([idAt(1), idAt(0)]);
    expect(accountsNamed('Cash', '0ABCDEF').find('account', '0abcdef')).toEqual([idAt(1), idAt(0)]);
  });

  it.each([
    ['case', 'emergency FUND'],
    ['spaces', ' EmergencyFund\t'],
    ['accents', 'Émergency Fünd'],
    ['an accent that stands alone', 'Emergency´ Fund'],
    ['emoji', '🚑 Emergency ❤️ Fund 1️⃣'],
    ['the width of letters', 'Ｅmergency Fund'],
  ])('a name may differ in %s', (_, text) => {
    expect(accountsNamed('🏦 Emergency Fund', 'Cash').find('account', text)).toEqual([idAt(0)]);
  });

  it.each(['Food and Drink', 'food AND drink', 'Food und Drink', 'Food et Drink', 'Food&Drink'])(
    'a name with "&" may be said with a word: %s',
    (text) => {
      expect(accountsNamed('Food & Drink', 'Foodand Drink').find('account', text)).toEqual([idAt(0)]);
      expect(accountsNamed('Food and Drink', 'Food & Drink').find('account', 'food et drink')).toHaveLength(
        2,
      );
    },
  );

  it('a word within another one is not read as "&"', () => {
    expect(accountsNamed('Sand & Stone').find('account', 'S & Stone')).toEqual([]);
    expect(accountsNamed('Landlord').find('account', 'L & lord')).toEqual([]);
  });

  it('letters of other scripts that a mark distinguishes are different', () => {
    expect(accountsNamed('かき').find('account', 'がき')).toEqual([]);
    expect(accountsNamed('का').find('account', 'की')).toEqual([]);
  });

  it('of two names that differ by an emoji only, each is found as it is written, and by its id', () => {
    const references = accountsNamed('Corner Café ☕', 'Corner Café 🍕', 'Corner Café');
    for (const [at, name] of ['Corner Café ☕', 'Corner Café 🍕', 'Corner Café'].entries())
      expect(references.find('account', name)).toEqual([idAt(at)]);
    expect(references.explain('account', 'corner cafe')).toBe(
      '"corner cafe" may mean several: "Corner Café ☕" (checking, 0abcde), "Corner Café 🍕" (checking, 1abcde), "Corner Café" (checking, 2abcde)',
    );
    expect(references.find('account', '1abcde')).toEqual([idAt(1)]);
  });

  it('a name of emoji only is found exactly only', () => {
    const references = accountsNamed('🍔', '🍕');
    expect(references.find('account', '🍕')).toEqual([idAt(1)]);
    expect(references.find('account', '🍔🍔')).toEqual([]);
    expect(references.find('account', ' ')).toEqual([]);
  });

  it('among equal names the visible, open one is meant, and the other one by its id', () => {
    const ids = [uuid('a'), uuid('b'), uuid('c'), uuid('d')] as const;
    const [open, other, toOpen, toOther] = ids;
    const accounts = [open, other].map((id) =>
      accountRow({
        id,
        name: 'Cash',
        closed: id === other,
        transfer_payee_id: id === open ? toOpen : toOther,
      }),
    );
    const payees = [toOther, toOpen].map((id) =>
      payeeRow({ id, name: 'Transfer : Cash', transfer_account_id: id === toOpen ? open : other }),
    );
    const groups = [groupRow({ id: open, name: 'Fun' }), groupRow({ id: other, name: 'Fun', hidden: true })];
    const categories = ids.map((id) =>
      categoryRow({
        id,
        name: 'Boats',
        hidden: id === toOpen,
        deleted: id === toOther,
        category_group_id: id === other ? other : open,
      }),
    );
    const references = new References(tables({ accounts, payees, groups, categories }));
    expect(references.find('account', 'Cash')).toEqual([open]);
    expect(references.find('payee', 'Transfer : Cash')).toEqual([toOpen]);
    expect(references.findPayee('transfer: cash')).toEqual([toOpen]);
    expect(references.find('category_group', 'Fun')).toEqual([open]);
    for (const name of ['Boats', 'Fun: Boats', 'boats'])
      expect(references.find('category', name)).toEqual([open]);
    for (const id of ids)
      expect(references.find('category', references.shortId('category', id))).toEqual([id]);
    const allHidden = categories.slice(1);
    expect(new References(tables({ groups, categories: allHidden })).find('category', 'Boats')).toEqual(
      allHidden.map(({ id }) => id),
    );
  });

  it('a closed account, its transfer payee and a hidden category are found exactly only', () => {
    const accounts = [accountRow({ id: uuid('a'), name: 'Old', closed: true })];
    const payees = [payeeRow({ id: uuid('b'), name: 'Transfer : Old', transfer_account_id: uuid('a') })];
    const groups = [
      groupRow({ id: uuid('c'), name: 'Fun' }),
      groupRow({ id: uuid('d'), name: 'Put away', hidden: true }),
    ];
    const categories = [
      categoryRow({ id: uuid('e'), name: 'Boats', hidden: true, category_group_id: uuid('c') }),
      categoryRow({ id: uuid('f'), name: 'Trains', category_group_id: uuid('d') }),
    ];
    const references = new References(tables({ accounts, payees, groups, categories }));
    const found = (text: string, change: (text: string) => string) =>
      (['account', 'payee', 'category', 'category_group'] as const).flatMap((kind) =>
        references.find(kind, change(text)),
      );
    for (const [name, id] of [
      ['Old', 'a'],
      ['Transfer : Old', 'b'],
      ['Boats', 'e'],
      ['Trains', 'f'],
      ['Put away', 'd'],
    ] as const) {
      expect(found(name, (text) => text)).toEqual([uuid(id)]);
      expect(found(name, (text) => text.toUpperCase())).toEqual([]);
    }
  });

  it('a group and a category together name a category whose name is not unique', () => {
    const groups = ['Home', '🚗 Car', '🏠'].map((name, at) => groupRow({ id: idAt(at), name }));
    const categories = groups.map(({ id }, at) =>
      categoryRow({ id: uuid(`f${at}`), name: 'Insurance', category_group_id: id }),
    );
    const references = new References(tables({ groups, categories }));
    expect(references.find('category', 'Insurance')).toHaveLength(3);
    expect(references.find('category', 'Home: Insurance')).toEqual([uuid('f0')]);
    expect(references.find('category', 'car:insurance')).toEqual([uuid('f1')]);
    expect(references.find('category', '🏠: Insurance')).toEqual([uuid('f2')]);
    expect(references.find('category', '🏡: Insurance')).toEqual([]);
  });

  it('an argument that takes a category or a group finds both, and the same name of both is ambiguous', () => {
    const groups = ['Bills', 'Savings'].map((name, at) => groupRow({ id: idAt(at), name }));
    const categories = [
      categoryRow({ id: idAt(2), name: 'Savings', category_group_id: idAt(0) }),
      categoryRow({ id: idAt(3), name: 'Rent', category_group_id: idAt(0) }),
    ];
    const references = new References(tables({ groups, categories }));
    expect(references.find('category_or_group', 'rent')).toEqual([idAt(3)]);
    expect(references.find('category_or_group', 'bills')).toEqual([idAt(0)]);
    expect(references.find('category_or_group', '1abcde')).toEqual([idAt(1)]);
    expect(references.find('category_or_group', 'Bills: Savings')).toEqual([idAt(2)]);
    expect(references.find('category_or_group', 'Savings')).toEqual([idAt(2), idAt(1)]);
    expect(references.explain('category_or_group', 'Savings')).toBe(
      '"Savings" may mean several: "Savings" (group "Bills", 2abcde), "Savings" (a group, 1abcde)',
    );
    expect(references.explain('category_or_group', 'Rents')).toContain('no category or group "Rents"');
    const names = [3, 1].map((at) => references.nameOf('category_or_group', idAt(at)));
    expect(names).toEqual(['Rent', 'Savings']);
  });

  it.each([
    ['a service that marks it', { internal: true }, 'Internal'],
    ['an older service', {}, 'Internal Master Category'],
  ])('the money that is not assigned is found as "Ready to Assign" in %s', (_, marked, group) => {
    const groups = [groupRow({ id: uuid('a'), name: group }), groupRow({ id: uuid('b'), name: 'Everyday' })];
    const categories = ['a', 'b'].map((start, at) =>
      categoryRow({
        id: idAt(at),
        name: 'Inflow: Ready to Assign',
        category_group_id: uuid(start),
        ...(start === 'a' && marked),
      }),
    );
    const references = new References(tables({ groups, categories }));
    for (const kind of ['category', 'category_or_group'] as const)
      expect(references.find(kind, 'ready to assign')).toEqual([idAt(0)]);
    expect(references.find('category', 'Everyday: Inflow: Ready to Assign')).toEqual([idAt(1)]);
  });

  it('a text finds things of the wanted kind only', () => {
    const references = new References(
      tables({
        accounts: [accountRow({ id: uuid('a'), name: 'Cash' })],
        payees: [payeeRow({ id: uuid('b'), name: 'Bank' })],
      }),
    );
    expect(references.find('payee', 'Cash')).toEqual([]);
    expect(references.find('payee', uuid('a'))).toEqual([]);
    expect(references.find('account', 'Cash')).toEqual([uuid('a')]);
  });
});

describe('the name of a transfer payee', () => {
  const accounts = ['Savings', 'Old', 'Cash'].map((name, at) =>
    accountRow({ id: uuid(`a${at}`), name, closed: name === 'Old', transfer_payee_id: uuid(`b${at}`) }),
  );
  const payees = [
    ...accounts.map(({ id, name }, at) =>
      payeeRow({ id: uuid(`b${at}`), name: `Transfer : ${name}`, transfer_account_id: id }),
    ),
    payeeRow({ id: uuid('c'), name: 'Transfer: John' }),
  ];
  const references = new References(tables({ accounts, payees }));

  it.each(['Transfer : Savings', 'transfer : savings', 'Transfer: Savings', ' \n TRANSFER:savings '])(
    '%j stands for the transfer payee of the account',
    (name) => {
      expect(references.findPayee(name)).toEqual([uuid('b0')]);
    },
  );

  it('a closed account is meant by its exact name only', () => {
    expect(references.findPayee('Transfer : Old')).toEqual([uuid('b1')]);
    expect(references.findPayee('Transfer: Old ')).toEqual([uuid('b1')]);
    expect(references.findPayee('Transfer: OLD')).toEqual([]);
  });

  it('a payee who has such a name and is no account is no transfer', () => {
    expect(references.findPayee('transfer: john')).toBeUndefined();
    expect(references.findPayee('Transfer: Jane')).toEqual([]);
    expect(references.findPayee('Baker')).toBeUndefined();
    expect(references.findPayee('Transfer')).toBeUndefined();
    expect(references.findPayee('Transfer : ')).toBeUndefined();
    expect(references.findPayee('Bank transfer: Savings')).toBeUndefined();
  });

  it('the only payee of a name that the service may have escaped is found in both spellings', () => {
    const shops = ['B&H Photo', 'A & B', 'a & b'].map((name, at) => payeeRow({ id: uuid(`d${at}`), name }));
    const found = new References(tables({ payees: shops }));
    for (const name of ['B&H Photo', 'b&amp;h photo']) {
      expect(found.findPayee(name)).toEqual([uuid('d0')]);
      expect(found.find('payee', name)).toEqual([uuid('d0')]);
    }
    for (const name of ['A & B', 'C & D']) expect(found.findPayee(name)).toBeUndefined();
  });

  it('an account without a transfer payee is not found', () => {
    expect(accountsNamed('Cash').findPayee('Transfer: Cash')).toEqual([]);
  });
});

describe('references of any budget', () => {
  it('they follow the changes of a replica', async () => {
    const ledger = smallLedger();
    const service = directReader(ledger);
    const replica = BudgetReplica.load(await service.export(), ledger.state.today);
    const references = References.of(replica);
    expect(references.find('payee', 'florist')).toEqual([]);
    const florist = ledger.commit((state) => createPayee(state, 'Florist'));
    replica.apply(await service.export(replica.knowledge), ledger.state.today);
    expect(References.of(replica)).toBe(references);
    expect(references.find('payee', 'florist')).toEqual([florist.id]);
  });

  const old = accountRow({ id: uuid('a'), name: 'Old', closed: true });
  const transfer = payeeRow({ id: idAt(0), name: 'Transfer : Old', transfer_account_id: old.id });
  const fun = groupRow({ id: idAt(0), name: 'Fun' });
  const trains = categoryRow({ id: idAt(0), name: 'Trains', category_group_id: fun.id });
  const planned = scheduled({ id: idAt(0), payee_id: transfer.id });

  it.each([
    [
      'payee',
      'transfer:old',
      { accounts: [old], payees: [transfer] },
      { accounts: [{ ...old, closed: false }] },
    ],
    [
      'category',
      'past:trains',
      { groups: [fun], categories: [trains] },
      { groups: [{ ...fun, name: 'Past' }] },
    ],
    ['category_or_group', 'fun', {}, { groups: [fun] }],
    [
      'category_or_group',
      'trains',
      { groups: [{ ...fun, hidden: true }], categories: [trains] },
      { groups: [fun] },
    ],
    ['category_or_group', 'fun:trains', { groups: [fun] }, { categories: [trains] }],
    ['scheduled_transaction', 'transfer:old', { scheduledTransactions: [planned] }, { payees: [transfer] }],
  ] as const)('a %s that becomes %j by a change is found as that', (kind, text, rows, change) => {
    const changing = { ...rows };
    const references = new References(tables(changing));
    expect(references.find(kind, text)).toEqual([]);
    Object.assign(changing, change);
    expect(references.find(kind, text)).toEqual([idAt(0)]);
  });

  it('after any changes, every abbreviated id refers to its thing', async () => {
    await fc.assert(
      fc.asyncProperty(changes(12), async (changed) => {
        const ledger = smallLedger();
        for (const change of changed) apply(ledger, change);
        const replica = BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
        const references = References.of(replica);
        const { budget } = { budget: replica.export() };
        for (const [kind, rows] of [
          ['account', budget.accounts],
          ['category_group', budget.category_groups],
          ['category', budget.categories],
          ['payee', budget.payees],
          ['payee_location', budget.payee_locations],
          ['transaction', budget.transactions],
          ['scheduled_transaction', budget.scheduled_transactions],
        ] as const)
          for (const { id } of rows) {
            expect(references.find(kind, id)).toEqual([id]);
            expect(references.find(kind, references.shortId(kind, id))).toEqual([id]);
          }
      }),
      { numRuns: 30 },
    );
  });

  const name = fc.oneof(
    fc
      .array(fc.constantFrom('a', 'A', 'á', 'b', ' ', '🍕', ':', 'ß', 'か', '0abcde'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((each) => each.join('')),
    hostileText.filter((text) => text !== ''),
  );
  const variations: readonly ((name: string) => string)[] = [
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.toLowerCase(),
    (name) => ` ${name}  `,
    (name) => name.replaceAll(' ', ''),
    (name) => name.normalize('NFD'),
    (name) => `${name}🍕`,
  ];

  it('a variation of a name means its thing, or several, or another one with exactly that name', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (names) => {
        const references = accountsNamed(...names);
        for (const [at, own] of names.entries())
          for (const vary of variations) {
            const [first, ...others] = references.find('account', vary(own));
            if (first === undefined || others.length > 0 || first === idAt(at)) continue;
            expect(names[Number(first[0])]).toBe(vary(own));
          }
      }),
    );
  });

  it('a text without a match is explained on one line, whatever the names are', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 8 }), name, (names, text) => {
        expect(accountsNamed(...names).explain('account', text)).not.toMatch(forbidden);
        expect(accountsNamed(...names).explain('account', text)).not.toContain('\n');
      }),
    );
  });
});

it('keeps nothing of earlier rows in memory', async () => {
  let accounts = [accountRow({ id: idAt(0), name: 'Cash' })];
  const references = new References({ ...tables({}), accounts: () => accounts });
  const earlier: WeakRef<object>[] = [];
  for (let change = 0; change < 3; change += 1) {
    expect(references.find('account', 'cash')).toEqual([idAt(0)]);
    earlier.push(new WeakRef(accounts));
    accounts = [...accounts];
  }
  expect(references.find('account', 'cash')).toEqual([idAt(0)]);
  await collectGarbage();
  expect(earlier.map((each) => each.deref())).toEqual([undefined, undefined, undefined]);
});
