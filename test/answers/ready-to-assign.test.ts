import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startMoving } from '../features/moving.helper.ts';
import { contentOf, hostWithViews } from '../features/with-view.helper.ts';

/** 50.66 is left to assign. `raise` adds to what Pets have budgeted. */
async function started(options: Parameters<typeof startMoving>[0] = {}) {
  const moving = await startMoving(options);
  const raise = (units: number, month = '2026-11') => ({
    month,
    category_id: 'Pets',
    budgeted: moving.category('Pets', `${month}-01`).budgeted / 1_000 + units,
  });
  return { ...moving, raise };
}

const listed = z.object({ writes: z.array(z.object({ id: z.string() })) });
const linesOf = ({ text }: { readonly text: string }) => text.split('\n');

describe('a write that budgets more than there is', () => {
  it.each(['update_month_category', 'assign_money'])(
    'says so first, in the dry run and the answer of %s',
    async (tool) => {
      const { call, ready, raise } = await started();
      const args = tool === 'assign_money' ? { amounts: [{ category: 'Pets', amount: 142 }] } : raise(142);
      const planned = await call(tool, { ...args, dry_run: true });
      expect(linesOf(planned)[1]).toBe(
        'Ready to Assign would be below zero: -91.34 in 2026-11 (now 50.66). More would be budgeted than there is.',
      );
      expect(planned.structured).toMatchObject({
        ready_to_assign: [{ month: '2026-11-01', before: 50.66, after: -91.34 }],
      });
      const written = await call(tool, args);
      expect(linesOf(written).slice(1, 3)).toEqual([
        'Ready to Assign is below zero: -91.34 in 2026-11. More is budgeted than there is.',
        'Written.',
      ]);
      expect(written.structured).toMatchObject({ ready_to_assign: [{ month: '2026-11-01', after: -91.34 }] });
      expect(ready()).toBe(-91_340);
    },
  );

  it('is asked about with that first, and its undo says what is left then', async () => {
    const { call, raise } = await started();
    await call('update_month_category', raise(142));
    const planned = await call('undo', { dry_run: true });
    expect(planned.text).toContain('Ready to Assign in 2026-11: now -91.34, afterwards 50.66.');
    const refused = await call('undo');
    expect(refused.text).toContain('Ready to Assign in 2026-11: now -91,34€, afterwards 50,66€.');
    const undone = await call('undo', { confirm: true });
    expect(linesOf(undone)[1]).toMatch(/^Undone: /);
    expect(undone.text).toContain('Ready to Assign in 2026-11: 50.66 now.');
    const { structured } = await call('list_writes');
    const [{ id = '' } = {}] = listed.parse(structured).writes;
    const again = await call('undo', { write: id, dry_run: true });
    expect(linesOf(again)[1]).toMatch(/^Ready to Assign would be below zero: -91.34 in 2026-11/);
  });

  it('says it of a later month that is budgeted already', async () => {
    const { call, raise } = await started();
    const args = raise(50);
    await call('assign_money', { amounts: [{ category: 'Pets', amount: 40 }], month: '2026-12' });
    const planned = await call('update_month_category', { ...args, dry_run: true });
    expect(linesOf(planned)[1]).toMatch(/^Ready to Assign would be below zero: -\S+ in 2026-12 \(now /);
    expect(planned.text).toContain('Ready to Assign in 2026-11: now 50.66, afterwards 0.66.');
    const written = await call('update_month_category', args);
    const amount = /zero: (\S+) in/.exec(planned.text)?.[1];
    expect(linesOf(written)[1]).toContain(`is below zero: ${amount} in 2026-12.`);
  });

  it('shows it first in the view, with what is left', async () => {
    const { call } = await hostWithViews();
    const args = { month: '2026-11', category_id: 'Pets', budgeted: 100_000 };
    for (const dry_run of [true, false]) {
      const { notes, balances } = contentOf(
        await call('update_month_category', { ...args, dry_run }),
        'write',
      );
      expect(notes[0]).toMatch(/^Ready to Assign (would be|is) below zero: /);
      expect(balances[0]).toMatchObject({ kind: 'ready', name: 'Ready to Assign', month: '2026-11' });
      expect(balances[0]?.after).toBeLessThan(0);
    }
  });
});

it('a month that the budget does not have yet is predicted as the service makes it', async () => {
  const { call } = await started();
  const args = { month: '2027-01', category_id: 'Pets', budgeted: 142 };
  const planned = await call('update_month_category', { ...args, dry_run: true });
  const written = await call('update_month_category', args);
  const amountIn = ({ text }: { readonly text: string }) => /below zero: (-\S+) in 2027-01/.exec(text)?.[1];
  expect(amountIn(planned)).toMatch(/^-/);
  expect(amountIn(written)).toBe(amountIn(planned));
});

it('without a cache it is read', async () => {
  const { call, raise } = await started({ cacheBytes: 0 });
  const args = raise(142);
  const planned = await call('update_month_category', { ...args, dry_run: true });
  expect(linesOf(planned)[1]).toMatch(
    /^Ready to Assign would be below zero: -91.34 in 2026-11 \(now 50.66\)/,
  );
  const written = await call('update_month_category', args);
  expect(linesOf(written)[1]).toMatch(/^Ready to Assign is below zero: -91.34 in 2026-11/);
});

it('where the budget cannot be read after the write, that is said and no older amount is shown', async () => {
  const { call, faults, raise } = await started();
  faults.reads.push(...Array.from({ length: 9 }, () => ({ deliveries: 0, answer: '503' }) as const));
  const { text, isError } = await call('update_month_category', raise(142));
  expect(isError, text).toBe(false);
  expect(text).toContain('What is left to assign could not be read.');
  expect(text).not.toContain('50.66');
});
