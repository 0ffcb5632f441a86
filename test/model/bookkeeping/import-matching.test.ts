import { describe, expect, test } from 'vitest';
import type { Entry, EntryChange, NewEntry } from '../../../src/model/bookkeeping/entries.ts';
import { type EntryKey, findEntry, simulateImports } from '../../../src/model/bookkeeping/import-matching.ts';
import { SimulatedRegister } from '../../../src/model/bookkeeping/simulated-register.ts';
import { chart, entry, leg, sumsOf } from './register.helper.ts';

describe('the transaction that a row refers to', () => {
  const REGISTER = [
    entry({ id: 't-1' }),
    entry({ id: 't-2', import_id: 'bank-1' }),
    entry({ id: 't-3', import_id: 'bank-2' }),
    entry({ id: 't-4', import_id: 'bank-2', account_id: 'savings' }),
  ];
  const finding = (row: EntryKey & EntryChange, before = (_: SimulatedRegister) => {}) => {
    const simulated = new SimulatedRegister(chart, REGISTER);
    before(simulated);
    return findEntry(simulated, row);
  };

  test.each<[string, EntryKey & EntryChange, string | undefined]>([
    ['its id', { id: 't-1' }, 't-1'],
    ['its import id', { import_id: 'bank-1' }, 't-2'],
    [
      'its import id, whatever account the row moves it to',
      { import_id: 'bank-1', account_id: 'savings' },
      't-2',
    ],
    [
      'its import id and account if two accounts have it',
      { import_id: 'bank-2', account_id: 'savings' },
      't-4',
    ],
    ['an unknown id', { id: 't-9' }, undefined],
    ['an unknown import id', { import_id: 'bank-9' }, undefined],
    ['an import id that two accounts have, without an account', { import_id: 'bank-2' }, undefined],
    ['neither id nor import id', {}, undefined],
  ])('a row with %s finds the transaction that the service would find', (_, row, id) => {
    expect(finding(row)?.id).toBe(id);
  });

  test('a row finds the transaction as earlier rows have left it', () => {
    const change = (register: SimulatedRegister) => register.update('t-2', { amount: -1 });
    expect(finding({ import_id: 'bank-1' }, change)?.amount).toBe(-1);
    expect(finding({ import_id: 'bank-1' }, (register) => register.delete('t-2'))).toBeUndefined();
  });
});

const IMPORT: NewEntry = {
  account_id: 'checking',
  date: '2026-11-21',
  amount: -10_000,
  category_id: 'groceries',
  import_id: 'bank-1',
};

/** What an import of `rows` does to a register. `matched` has the ids of entries that were there before. */
function importing(rows: readonly Partial<NewEntry>[], existing: readonly Partial<Entry>[] = []) {
  const entries = existing.map((fields, index) => entry({ id: `t-${index + 1}`, ...fields }));
  const { register, ...rest } = simulateImports(
    rows.map((row) => ({ ...IMPORT, ...row })),
    entries,
    chart,
  );
  const changed = [...register.changedIds];
  const isOld = (id: string) => entries.some((each) => each.id === id);
  return {
    ...rest,
    register,
    sums: sumsOf(register.postings()),
    matched: changed.filter(isOld),
    created: changed.filter((id) => !isOld(id)).flatMap((id) => register.get(id) ?? []),
    affected: rest.possiblePostings.map(({ account_id, category_id }) => account_id ?? category_id),
  };
}

describe('an import whose id the account has already', () => {
  test('a single import that the account has already is a problem and changes nothing', () => {
    const { problems, sums } = importing([{}], [{ import_id: 'bank-1' }]);
    expect([problems, sums]).toEqual([['import_id: the account has "bank-1" already'], {}]);
  });

  test('an import that the account has already is skipped among several rows', () => {
    const { problems, created } = importing([{}, { import_id: 'bank-2' }], [{ import_id: 'bank-1' }]);
    expect(problems).toEqual([]);
    expect(created).toMatchObject([{ import_id: 'bank-2' }]);
  });

  test('an import that another row has already imported is skipped', () => {
    const { created, sums, problems } = importing([{}, {}]);
    expect(created).toMatchObject([{ import_id: 'bank-1' }]);
    expect([sums, problems]).toEqual([{ checking: -10_000, groceries: -10_000 }, []]);
  });

  test('an import id may be any text, also that of a missing one', () => {
    expect(importing([{ import_id: 'null' }], [{}])).toMatchObject({ problems: [], matched: ['t-1'] });
  });

  test('an import id of another account does not matter', () => {
    const { created, problems } = importing([{}], [{ import_id: 'bank-1', account_id: 'savings' }]);
    expect([created.length, problems]).toEqual([1, []]);
  });

  test('an empty import id makes no import', () => {
    const { created, matched } = importing([{ import_id: '' }, { import_id: undefined }], [{}]);
    expect(created.map(({ import_id }) => import_id)).toEqual([null, null]);
    expect(matched).toEqual([]);
  });
});

describe('the entry that an import is matched to', () => {
  test.each<[string, Partial<Entry>, boolean]>([
    ['of the same day', {}, true],
    ['ten days earlier', { date: '2026-11-11' }, true],
    ['ten days later', { date: '2026-12-01' }, true],
    ['eleven days earlier', { date: '2026-11-10' }, false],
    ['eleven days later', { date: '2026-12-02' }, false],
    ['of another amount', { amount: -10_001 }, false],
    ['of another account', { account_id: 'savings' }, false],
    ['that is an import', { import_id: 'bank-0' }, false],
  ])(
    'an import is matched or creates a transaction as the service does, with an entry %s',
    (_, existing, isMatched) => {
      const { matched, created, sums, isUncertain, possiblePostings } = importing([{}], [existing]);
      expect([matched, created.length]).toEqual(isMatched ? [['t-1'], 0] : [[], 1]);
      expect(sums).toEqual({ ...(!isMatched && { checking: -10_000 }), groceries: -10_000 });
      expect([isUncertain, possiblePostings]).toEqual([false, []]);
    },
  );

  test.each([
    [['2026-11-14', '2026-11-23', '2026-11-18'], 't-2'],
    [['2026-11-20', '2026-11-19', '2026-11-30'], 't-1'],
  ])('an import is matched to the nearest entry: of %s', (dates, nearest) => {
    const { matched, isUncertain } = importing(
      [{}],
      dates.map((date) => ({ date })),
    );
    expect([matched, isUncertain]).toEqual([[nearest], false]);
  });

  test('two imports are not matched to the same entry', () => {
    const { matched, created } = importing([{}, { import_id: 'bank-2' }], [{}]);
    expect(matched).toEqual(['t-1']);
    expect(created).toMatchObject([{ import_id: 'bank-2' }]);
  });

  test('an import can be matched to an earlier row of the same write, but not to a later one', () => {
    const row = { import_id: undefined };
    expect(importing([row, {}]).created).toMatchObject([{ import_id: 'bank-1', category_id: 'groceries' }]);
    expect(importing([{}, row]).created).toHaveLength(2);
    expect(importing([{ ...row, amount: -1 }, {}]).created).toHaveLength(2);
    expect(importing([{ ...row, account_id: 'savings' }, {}]).created).toHaveLength(2);
  });
});

describe('an import with several equally near entries', () => {
  test('an import with equal entries to choose from is certain, because each choice has the same effect', () => {
    expect(importing([{}], [{}, {}])).toMatchObject({ isUncertain: false, possiblePostings: [] });
    const known = { payee_id: 'baker', category_id: 'rent' };
    expect(importing([{}], [known, known])).toMatchObject({ isUncertain: false, possiblePostings: [] });
  });

  test.each<[string, readonly Partial<Entry>[]]>([
    ['date', [{ date: '2026-11-20' }, { date: '2026-11-22' }]],
    ['payee', [{ payee_id: 'baker' }, {}]],
    ['category', [{ category_id: 'rent' }, {}]],
    ['other side', [{ transfer_transaction_id: 's' }, {}]],
    ['other side, if the first has none', [{}, { transfer_transaction_id: 's' }]],
    ['legs', [{ subtransactions: [] }, { subtransactions: [leg(-10_000)] }]],
  ])('an import is uncertain if the entries to choose from differ in their %s', (_, entries) => {
    expect(importing([{}], entries).isUncertain).toBe(true);
  });

  test('an import stays uncertain when a later row of the write is certain', () => {
    const later = { import_id: 'bank-2', amount: -1 };
    expect(importing([{}, later], [{ payee_id: 'baker' }, {}]).isUncertain).toBe(true);
  });

  test('an uncertain import may affect its account, the accounts of transfers, and the categories of rows and entries', () => {
    const rows = [
      { payee_id: 'to savings' },
      {
        import_id: 'bank-2',
        amount: -500,
        category_id: undefined,
        subtransactions: [{ amount: -500, payee_id: 'to wallet', category_id: 'leg category' }],
      },
      { import_id: undefined, account_id: 'pension', category_id: 'not an import' },
    ];
    const existing = [
      { category_id: 'rent' },
      {},
      { category_id: 'other amount', amount: -1 },
      { category_id: 'imported', import_id: 'bank-0' },
    ];
    const { affected, possiblePostings, isUncertain } = importing(rows, existing);
    expect(isUncertain).toBe(true);
    expect([...new Set(affected)]).toEqual([
      'checking',
      'savings',
      'wallet',
      'groceries',
      'leg category',
      'rent',
    ]);
    expect(possiblePostings.every(({ amount }) => amount === 0)).toBe(true);
  });

  test('an import that was skipped affects nothing, also if another import is uncertain', () => {
    const rows = [{}, { import_id: 'bank-0', account_id: 'savings', category_id: 'skipped' }];
    const existing = [{ payee_id: 'baker' }, {}, { import_id: 'bank-0', account_id: 'savings' }];
    expect(importing(rows, existing).affected).not.toContain('savings');
  });
});
