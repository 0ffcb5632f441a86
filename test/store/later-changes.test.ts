import { expect, test } from 'vitest';
import { LaterChanges } from '../../src/store/later-changes.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const later = new LaterChanges(clock);
  const made: string[] = [];
  const store: { error: StoreError | undefined } = { error: undefined };
  const change = (name: string) => async () => {
    if (store.error) throw store.error;
    made.push(name);
  };
  return { clock, later, made, store, change };
}

test('a change is made at once if the store can be used', async () => {
  const { later, made, change } = start();
  await later.make(change('a'));
  expect(made).toEqual(['a']);
});

test('changes that the store did not take are made later in their order, and a later one never before them', async () => {
  const { clock, later, made, store, change } = start();
  store.error = new StoreError('full');
  await later.make(change('a'));
  store.error = undefined;
  await later.make(change('b'));
  expect(made).toEqual([]);
  clock.advance(1_000);
  await expect.poll(() => made).toEqual(['a', 'b']);
  await later.make(change('c'));
  expect(made).toEqual(['a', 'b', 'c']);
});

test('those that wait are made at once when they are needed, or the error of the store is thrown', async () => {
  const { later, made, store, change } = start();
  store.error = new StoreError('not answering');
  await later.make(change('a'));
  await expect(later.finish()).rejects.toBe(store.error);
  store.error = undefined;
  await Promise.all([later.finish(), later.finish()]);
  expect(made).toEqual(['a']);
});

test('those that are being tried are waited for, and made again if that failed', async () => {
  const { later, made, change } = start();
  let fail = () => {};
  const attempts = [
    () =>
      new Promise<void>((_, reject) => {
        fail = () => reject(new StoreError('not answering'));
      }),
    change('a'),
  ];
  const making = later.make(async () => attempts.shift()?.());
  const finishing = later.finish();
  fail();
  await finishing;
  expect(made).toEqual(['a']);
  await making;
});

test('changes are given up when this process can never use the store again, and not before', async () => {
  const { clock, later, made, store, change } = start();
  store.error = new StoreError('full');
  await later.make(change('a'));
  for (let second = 0; second < 1_000; second += 1) {
    clock.advance(1_000);
    await Promise.resolve();
  }
  store.error = new StoreError('closed', { isEnd: true });
  clock.advance(1_000);
  const finish = async () => {
    clock.advance(1_000);
    return later.finish().then(
      () => 'finished',
      () => 'failed',
    );
  };
  await expect.poll(finish).toBe('finished');
  expect(made).toEqual([]);
});
