import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry, EntryChange, NewEntry } from '../../../src/model/bookkeeping/entries.ts';
import { SimulatedRegister } from '../../../src/model/bookkeeping/simulated-register.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { chart, entry, leg, sumsOf } from './register.helper.ts';

const PAYMENT: NewEntry = { account_id: 'checking', date: '2026-11-21', amount: -10_000 };

/** A transfer of 10 from checking to savings. */
const TRANSFER = [
  entry({ payee_id: 'to savings', transfer_transaction_id: 's' }),
  entry({
    id: 's',
    account_id: 'savings',
    amount: 10_000,
    payee_id: 'to checking',
    transfer_transaction_id: 't',
  }),
];
/** A transfer of 10 from checking to a tracking account, with a category. */
const TO_PENSION = [
  entry({ payee_id: 'to pension', category_id: 'groceries', transfer_transaction_id: 's' }),
  entry({
    id: 's',
    account_id: 'pension',
    amount: 10_000,
    payee_id: 'to checking',
    transfer_transaction_id: 't',
  }),
];
/** A split of 10: 6 for groceries and 4 to the wallet. */
const SPLIT = [
  entry({
    id: 'split',
    payee_id: 'baker',
    subtransactions: [
      leg(-6_000, { payee_id: 'butcher', category_id: 'groceries' }),
      leg(-4_000, { payee_id: 'to wallet', transfer_transaction_id: 'side' }),
    ],
  }),
  entry({
    id: 'side',
    account_id: 'wallet',
    amount: 4_000,
    payee_id: 'to checking',
    transfer_transaction_id: 'split',
  }),
];

/** The ids that a register gives to new entries. */
const NEW_IDS = Array.from({ length: 40 }, (_, index) => `new ${index + 1}`);

/** The register after `change`, and the sums of the postings. */
function after(entries: readonly Entry[], change: (register: SimulatedRegister) => void) {
  const register = new SimulatedRegister(chart, entries);
  change(register);
  const changed = entries.filter((each) => register.get(each.id) !== each).map(({ id }) => id);
  return {
    register,
    changed,
    created: NEW_IDS.flatMap((id) => register.get(id) ?? []),
    sums: sums(register),
  };
}

const sums = (register: SimulatedRegister) => sumsOf(register.postings());

describe('a simulated creation', () => {
  const create = (fields: Partial<NewEntry>) =>
    after([], (register) => register.create({ ...PAYMENT, ...fields }));

  test('a created entry has the fields that were sent, and null for the others', () => {
    const { created } = create({ payee_id: 'baker', category_id: 'groceries', import_id: 'bank-1' });
    expect(created).toEqual([
      entry({ id: 'new 1', payee_id: 'baker', category_id: 'groceries', import_id: 'bank-1' }),
    ]);
    expect(create({}).created).toEqual([entry({ id: 'new 1' })]);
    expect(create({ import_id: '' }).created).toEqual([entry({ id: 'new 1' })]);
  });

  test('a created transfer has an entry on each side, and the sides refer to each other', () => {
    const { created, sums, register } = create({ payee_id: 'to savings', category_id: 'groceries' });
    const [one, other] = created;
    expect(one).toMatchObject({
      account_id: 'checking',
      category_id: null,
      transfer_transaction_id: other?.id,
    });
    expect(other).toEqual(
      entry({
        id: other?.id ?? '',
        account_id: 'savings',
        amount: 10_000,
        payee_id: 'to checking',
        transfer_transaction_id: one?.id ?? '',
      }),
    );
    expect(sums).toEqual({ checking: -10_000, savings: 10_000 });
    expect(register.isComplete).toBe(true);
  });

  test('a created transfer to a tracking account keeps its category on the side of the budget', () => {
    const { created, sums } = create({ payee_id: 'to pension', category_id: 'groceries' });
    expect(created.map(({ category_id }) => category_id)).toEqual(['groceries', null]);
    expect(sums).toEqual({ checking: -10_000, pension: 10_000, groceries: -10_000 });
  });

  test('a created split has no category and no target of its own, but its legs have', () => {
    const { created, sums } = create({
      payee_id: 'to savings',
      category_id: 'rent',
      subtransactions: [
        { amount: -6_000, category_id: 'groceries' },
        { amount: -3_000, payee_id: 'to wallet', category_id: 'rent' },
        { amount: -1_000, payee_name: 'Baker' },
      ],
    });
    expect(created).toHaveLength(2);
    expect(created).toContainEqual(
      expect.objectContaining({ payee_id: null, category_id: null, transfer_transaction_id: null }),
    );
    expect(created[0]?.subtransactions).toEqual([
      leg(-6_000, { category_id: 'groceries' }),
      leg(-3_000, { payee_id: 'to wallet', transfer_transaction_id: created[1]?.id ?? '' }),
      leg(-1_000, { payee_id: 'Baker' }),
    ]);
    expect(sums).toEqual({ checking: -10_000, wallet: 3_000, groceries: -6_000 });
  });

  test('a created split keeps a payee that is no account', () => {
    const subtransactions = [{ amount: -6_000 }, { amount: -4_000 }];
    expect(create({ payee_id: 'baker', subtransactions }).created).toMatchObject([{ payee_id: 'baker' }]);
  });

  test('every created entry has an id of its own', () => {
    const { created } = after([], (register) => {
      register.create(PAYMENT);
      register.create(PAYMENT);
    });
    expect(new Set(created.map(({ id }) => id)).size).toBe(2);
  });
});

describe('a simulated change', () => {
  const update = (entries: readonly Entry[], change: EntryChange, id = 't') =>
    after(entries, (register) => register.update(id, change));

  const FULL = entry({ payee_id: 'baker', category_id: 'groceries', import_id: 'bank-1' });

  test.each<[string, EntryChange, Partial<Entry>]>([
    ['nothing', {}, {}],
    ['the account', { account_id: 'wallet' }, { account_id: 'wallet' }],
    ['the date', { date: '2026-11-01' }, { date: '2026-11-01' }],
    ['the amount', { amount: -1 }, { amount: -1 }],
    ['the payee', { payee_id: 'butcher' }, { payee_id: 'butcher' }],
    ['the payee by its name', { payee_name: 'Butcher' }, { payee_id: 'Butcher' }],
    ['nothing if the name of the payee is blank', { payee_name: ' ' }, {}],
    ['the payee if it is removed', { payee_id: null }, { payee_id: null }],
    ['the category', { category_id: 'rent' }, { category_id: 'rent' }],
    ['the category if it is removed', { category_id: null }, { category_id: null }],
    ['nothing if the category is a payment category', { category_id: 'card payments' }, {}],
  ])('a change of an entry sets %s and keeps the other fields', (_, change, expected) => {
    const { register } = update([FULL], change);
    expect(register.get('t')).toEqual({ ...FULL, ...expected });
  });

  test('a change posts the difference', () => {
    const change = { account_id: 'wallet', amount: -12_000, category_id: 'rent' };
    expect(update([FULL], change).sums).toEqual({
      checking: 10_000,
      wallet: -12_000,
      groceries: 10_000,
      rent: -12_000,
    });
    expect(update([FULL], {}).sums).toEqual({});
  });

  test('a change of an entry that does not exist changes nothing', () => {
    const { changed, register } = update([FULL], { amount: -1 }, 'unknown');
    expect([changed, register.postings(), register.isComplete]).toEqual([[], [], true]);
  });

  test('an entry becomes a split when legs are given, and then has no category', () => {
    const subtransactions = [{ amount: -6_000, category_id: 'rent' }, { amount: -4_000 }];
    const { register, sums } = update([FULL], { subtransactions });
    expect(register.get('t')).toEqual({
      ...FULL,
      category_id: null,
      subtransactions: [leg(-6_000, { category_id: 'rent' }), leg(-4_000)],
    });
    expect(sums).toEqual({ groceries: 10_000, rent: -6_000 });
  });

  test('an entry becomes a transfer when it gets a transfer payee', () => {
    const { created, register, sums } = update([FULL], { payee_id: 'to savings' });
    expect(created).toMatchObject([{ account_id: 'savings', amount: 10_000, transfer_transaction_id: 't' }]);
    expect(register.get('t')).toMatchObject({ transfer_transaction_id: created[0]?.id, category_id: null });
    expect(sums).toEqual({ savings: 10_000, groceries: 10_000 });
  });

  test('a transfer is no longer one when it gets another payee, and loses its other side', () => {
    const { register, sums } = update(TRANSFER, { payee_id: 'baker', category_id: 'rent' });
    expect(register.get('s')).toBeUndefined();
    expect(register.get('t')).toMatchObject({ transfer_transaction_id: null, category_id: 'rent' });
    expect(sums).toEqual({ savings: -10_000, rent: -10_000 });
  });

  test.each(['t', 's'])('a change of the amount and date of one side changes both sides: %s', (id) => {
    const sign = id === 't' ? 1 : -1;
    const { register } = update(TRANSFER, { amount: -12_000 * sign, date: '2026-11-02' }, id);
    const [one, other] = TRANSFER;
    expect(register.get('t')).toEqual({ ...one, amount: -12_000, date: '2026-11-02' });
    expect(register.get('s')).toEqual({ ...other, amount: 12_000, date: '2026-11-02' });
  });

  test('a transfer to another account moves its other side', () => {
    const { register, changed, sums } = update(TRANSFER, { payee_id: 'to wallet' });
    expect(changed.toSorted()).toEqual(['s', 't']);
    expect(register.get('s')).toMatchObject({ account_id: 'wallet', payee_id: 'to checking' });
    expect(sums).toEqual({ savings: -10_000, wallet: 10_000 });
  });

  test('the other side of a changed transfer keeps its category and import id', () => {
    const [one, other] = TO_PENSION.map((each) => ({ ...each, import_id: `bank ${each.id}` }));
    if (!one || !other) return expect.unreachable();
    const { register } = update([one, other], { amount: 12_000 }, 's');
    expect(register.get('t')).toEqual({ ...one, amount: -12_000 });
    expect(register.get('s')).toEqual({ ...other, amount: 12_000 });
  });

  test('a transfer that moves into the budget loses its category', () => {
    expect(update(TO_PENSION, { account_id: 'savings' }, 's').register.get('t')?.category_id).toBeNull();
  });

  test('an existing split keeps date, amount, category and legs, but not account and payee', () => {
    const change = {
      account_id: 'savings',
      date: '2026-11-01',
      amount: -1,
      category_id: 'rent',
      payee_id: 'butcher',
      subtransactions: [{ amount: -1 }],
    };
    const { register, sums } = update(SPLIT, change, 'split');
    expect(register.get('split')).toEqual({ ...SPLIT[0], account_id: 'savings', payee_id: 'butcher' });
    expect(register.get('side')).toEqual({ ...SPLIT[1], payee_id: 'to savings' });
    expect(sums).toEqual({ checking: 10_000, savings: -10_000 });
  });

  test('the other side of a leg keeps all fields but its category, and the split stays as it is', () => {
    const change = { account_id: 'savings', date: '2026-11-01', amount: 1, payee_id: 'baker' };
    const { register, sums } = update(SPLIT, change, 'side');
    expect([register.get('split'), register.get('side')]).toEqual(SPLIT);
    expect(sums).toEqual({});
  });

  test('the other side of a leg can have a category if only the split is on a tracking account', () => {
    const [split, side] = SPLIT.map((each) => ({ ...each, payee_id: 'to pension' }));
    if (!split || !side) return expect.unreachable();
    const entries = [{ ...split, account_id: 'pension', payee_id: null }, side];
    const { register, sums } = update(entries, { category_id: 'rent' }, 'side');
    expect(register.get('side')).toEqual({ ...side, category_id: 'rent' });
    expect(sums).toEqual({ rent: 4_000 });
  });

  test('a register that lacks the other side of a changed transfer is not complete', () => {
    expect(update(TRANSFER.slice(0, 1), { amount: -1 }).register.isComplete).toBe(false);
    expect(update(SPLIT.slice(0, 1), { payee_id: 'butcher' }, 'split').register.isComplete).toBe(false);
    expect(update(TRANSFER, { amount: -1 }).register.isComplete).toBe(true);
  });
});

describe('a simulated deletion', () => {
  const remove = (entries: readonly Entry[], id = 't') => after(entries, (register) => register.delete(id));

  test('a deleted entry is removed from its account and category', () => {
    const { register, sums } = remove([entry({ category_id: 'groceries' }), entry({ id: 'other' })]);
    expect(register.get('t')).toBeUndefined();
    expect(register.get('other')).toBeDefined();
    expect(sums).toEqual({ checking: 10_000, groceries: 10_000 });
  });

  test.each(['t', 's'])('the deletion of one side of a transfer deletes both sides: %s', (id) => {
    const { register, sums } = remove(TRANSFER, id);
    expect([register.get('t'), register.get('s')]).toEqual([undefined, undefined]);
    expect(sums).toEqual({ checking: 10_000, savings: -10_000 });
  });

  test('the deletion of a split deletes the other sides of its legs', () => {
    const { register, sums } = remove(SPLIT, 'split');
    expect([register.get('split'), register.get('side')]).toEqual([undefined, undefined]);
    expect(sums).toEqual({ checking: 10_000, wallet: -4_000, groceries: 6_000 });
  });

  test('the deletion of the other side of a leg keeps the split, whose leg is no longer a transfer', () => {
    const { register, sums } = remove(SPLIT, 'side');
    expect(register.get('side')).toBeUndefined();
    expect(register.get('split')).toEqual({
      ...SPLIT[0],
      subtransactions: [leg(-6_000, { payee_id: 'butcher', category_id: 'groceries' }), leg(-4_000)],
    });
    expect(sums).toEqual({ wallet: -4_000 });
  });

  test('the deletion of an entry that does not exist changes nothing', () => {
    const { changed, created, sums } = remove([entry()], 'unknown');
    expect([changed, created, sums]).toEqual([[], [], {}]);
  });

  test('the deletion of one side of a transfer without the other side is not complete', () => {
    expect(remove(TRANSFER.slice(0, 1)).register.isComplete).toBe(false);
    expect(remove(TRANSFER).register.isComplete).toBe(true);
  });

  test('an entry that was created and deleted again posts nothing', () => {
    const { sums, created } = after([], (register) => {
      register.delete(register.create(PAYMENT).id);
    });
    expect([created, sums]).toEqual([[], {}]);
  });
});

describe('any series of changes', () => {
  const account_id = fc.constantFrom('checking', 'savings', 'pension');
  const fields = {
    account_id,
    date: fc.constant('2026-11-21'),
    amount: fc.constantFrom(-10_000, 4_000),
    payee_id: fc.constantFrom(null, 'baker', 'to checking', 'to savings', 'to pension'),
    category_id: fc.constantFrom(null, 'groceries', 'rent'),
    subtransactions: fc.constantFrom<NonNullable<EntryChange['subtransactions']>>(
      [],
      [],
      [
        { amount: -4_000, payee_id: 'to wallet' },
        { amount: -6_000, category_id: 'rent' },
      ],
    ),
  };
  const step = fc.record({
    kind: fc.constantFrom<'create' | 'update' | 'delete'>('create', 'create', 'update', 'delete'),
    target: fc.nat(20),
    row: fc.record(fields, { requiredKeys: ['account_id', 'date', 'amount'] }),
  });

  test('after any series of changes the postings are the difference between the registers, and both sides of each transfer agree', () => {
    void fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const before = [...TRANSFER, ...SPLIT];
        const register = new SimulatedRegister(chart, before);
        const newIds = () => NEW_IDS.filter((id) => register.get(id));
        const ids = () => [...before.map(({ id }) => id), ...newIds()];
        for (const { kind, target, row } of steps) {
          const id = ids()[target % ids().length] ?? '';
          // An account cannot transfer to itself.
          if (row.payee_id === `to ${row.account_id}`) continue;
          if (kind === 'create') register.create(row);
          else if (kind === 'delete') register.delete(id);
          else if (register.get(id)?.account_id === row.account_id) register.update(id, row);
        }
        const left = ids().flatMap((id) => register.get(id) ?? []);
        const removed = before.flatMap((each) => chart.postingsOf(each));
        const difference = [
          ...left.flatMap((each) => chart.postingsOf(each)),
          ...removed.map((posting) => ({ ...posting, amount: -posting.amount })),
        ];
        expect(sums(register)).toEqual(sumsOf(difference));
        for (const { id, amount, date, transfer_transaction_id: otherId } of left) {
          if (otherId === null) continue;
          const other = register.get(otherId) ?? expect.unreachable();
          const [otherPart = other] = other.subtransactions.filter(
            (leg) => leg.transfer_transaction_id === id,
          );
          expect([otherPart.amount, other.date]).toEqual([-amount, date]);
          if (otherPart === other) expect(other.transfer_transaction_id).toBe(id);
        }
        expect(register.isComplete).toBe(true);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });
});
