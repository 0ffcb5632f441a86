import { describe, expect, test } from 'vitest';
import type { EntryChange } from '../../../src/model/bookkeeping/entries.ts';
import { type EntryKey, findEntry } from '../../../src/model/bookkeeping/entry-key.ts';
import { SimulatedRegister } from '../../../src/model/bookkeeping/simulated-register.ts';
import { chart, entry } from './register.helper.ts';

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
