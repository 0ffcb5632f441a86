/** undo of what is budgeted in a category that another person has changed since. */
import { expect, it } from 'vitest';
import { NO_FAULT, REFUSED } from '../../faulty-proxy.helper.ts';
import { startMoving } from '../moving.helper.ts';

const keep = { keep_later_changes: true };
/** Groceries, Hobbies and Ready to Assign after 20.00 moved to Hobbies, and 7.50 added there by another person. */
async function moved() {
  const it = await startMoving({}, { confirm: 'none' });
  await it.move({ from: 'Groceries', to: 'Hobbies', amount: 20 });
  it.setElsewhere('Hobbies', it.budgeted('Hobbies') + 7_500);
  return it;
}
/** The id of the move. */
const lastWrite = async (it: Awaited<ReturnType<typeof moved>>) =>
  /\S+(?= · \S+ · move_budgeted)/.exec((await it.call('list_writes')).text)?.[0];
const units = (amount: number) => (amount / 1000).toFixed(2);

it('undo refuses with both versions, and says what it would set if it keeps the later change', async () => {
  const it = await moved();
  const now = it.budgeted('Hobbies');
  const before = it.changes();
  const { isError, text } = await it.call('undo');
  expect(isError).toBe(true);
  expect(text).toContain(
    `this server wrote budgeted ${units(now - 7_500)}, now it is budgeted ${units(now)}. This call undid nothing.`,
  );
  expect(text).toContain(
    `With keep_later_changes: true it takes back only the difference: sets category "Hobbies" 2026-11 from budgeted ${units(now)} to budgeted ${units(now - 20_000)}.`,
  );
  expect(text).not.toContain('Correct the arguments');
  expect(it.changes()).toEqual(before);
});

it('with keep_later_changes a dry run shows the figures, and undo takes back the difference', async () => {
  const it = await moved();
  const now = it.budgeted('Hobbies');
  const sets = `sets category "Hobbies" 2026-11 from budgeted ${units(now)} to budgeted ${units(now - 20_000)}`;
  const shown = await it.call('undo', { ...keep, dry_run: true });
  expect(shown.text).toContain(sets);
  expect(it.changes()).toEqual([-20_000, 27_500, -7_500]);
  const { text } = await it.call('undo', keep);
  expect(text).toContain(sets);
  expect(text).toContain('Not as before: what was changed elsewhere since then stays.');
  expect(it.changes()).toEqual([0, 7_500, -7_500]);
});

it('a difference is taken back once: a second undo of the same write is refused', async () => {
  const it = await moved();
  const id = await lastWrite(it);
  await it.call('undo', { ...keep, write: id });
  const { isError, text } = await it.call('undo', { ...keep, write: id });
  expect(isError).toBe(true);
  expect(text).toContain('it was taken back already');
  expect(it.changes()).toEqual([0, 7_500, -7_500]);
});

it('a difference that was taken back in part is not taken back again, and the rest is', async () => {
  const it = await moved();
  it.faults.writes.push(NO_FAULT, REFUSED);
  const partly = await it.call('undo', keep);
  expect(partly.text).toContain('1 of 2 writes of it are undone');
  expect(partly.text).toContain('undo with the same id goes on with the rest.');
  expect(it.changes()).toEqual([-20_000, 7_500, 12_500]);
  const { isError, text } = await it.call('undo', { ...keep, write: await lastWrite(it) });
  expect(isError, text).toBe(false);
  expect(it.changes()).toEqual([0, 7_500, -7_500]);
});

it('money moves back by move_budgeted after a change of another person, and the answer says what both have', async () => {
  const it = await moved();
  it.setElsewhere('Hobbies', it.budgeted('Hobbies') + 100_000);
  const [hobbies, groceries] = [it.category('Hobbies').balance, it.category('Groceries').balance];
  const { isError, text } = await it.move({ from: 'Hobbies', to: 'Groceries', amount: 20 });
  expect(isError, text).toBe(false);
  expect(text).toContain(
    `"Hobbies": ${units(hobbies)} left before, ${units(it.category('Hobbies').balance)} now.`,
  );
  expect(text).toContain(
    `"Groceries": ${units(groceries)} left before, ${units(it.category('Groceries').balance)} now.`,
  );
  expect(it.changes()).toEqual([0, 107_500, -107_500]);
});
