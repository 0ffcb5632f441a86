import { expect, it } from 'vitest';
import { z } from 'zod';
import { contentOf, hostWithViews } from '../with-view.helper.ts';

const reportSchema = z.object({
  total: z.number(),
  rows: z.array(z.object({ id: z.string().nullable(), name: z.string(), total: z.number() })),
});
const monthCategory = z.object({ category: z.object({ budgeted: z.number() }) });
const units = (milliunits: number) => milliunits / 1_000;

it('the view has all rows of a report, with what was budgeted, where the answer has only the first ones', async () => {
  const { call, read } = await hostWithViews();
  const args = { of: 'spending', by: 'category', since: '2026-09', until: '2026-10' };
  const whole = reportSchema.parse(await read('report', { ...args, top: 1_000 }));
  const answer = await call('report', { ...args, top: 2 });
  const { rows, more, total } = contentOf(answer, 'report');
  expect(reportSchema.parse(answer.structured).rows).toHaveLength(2);
  expect([units(total), more]).toEqual([whole.total, undefined]);
  expect(rows.map(({ id, name, total }) => ({ id, name, total: units(total) }))).toEqual(whole.rows);
  for (const { id, name, budgeted = 0 } of rows.slice(0, 5)) {
    let sum = 0;
    for (const month of ['2026-09', '2026-10'])
      sum += monthCategory.parse(await read('get_month_category', { month, category_id: id })).category
        .budgeted;
    expect(units(budgeted), name).toBeCloseTo(sum, 3);
  }
});

it('the view has twelve months to pick, with the totals of reports for each of them', async () => {
  const { call, read } = await hostWithViews();
  const args = { of: 'spending', payee: 'Greenleaf Market' };
  const { periods } = contentOf(
    await call('report', { ...args, since: '2026-10', until: '2026-10' }),
    'report',
  );
  expect(periods.map(({ period }) => period)).toHaveLength(12);
  expect(periods.filter(({ isShown }) => isShown).map(({ period }) => period)).toEqual(['2026-10']);
  for (const { period, total } of periods.slice(-3)) {
    const month = reportSchema.parse(await read('report', { ...args, since: period, until: period }));
    expect(units(total), period).toBe(month.total);
  }
});

it('a report of a time long ago has the months that end with it', async () => {
  const { call } = await hostWithViews();
  const answer = await call('report', { of: 'spending', since: '2025-04', until: '2025-05' });
  const { periods, rows } = contentOf(answer, 'report');
  expect(periods.at(-1)?.period).toBe('2025-05');
  expect(rows).toEqual([]);
});

it('amounts of income, of payees and of parts of a month have no budget beside them', async () => {
  const { call } = await hostWithViews();
  for (const args of [
    { of: 'spending', by: 'payee' },
    { of: 'spending', by: 'category', since: '2026-10-05', until: '2026-10-20' },
    { of: 'spending', by: 'category', since: '2026-10-01', until: '2026-10-20' },
    { of: 'spending', by: 'category', account: 'Checking' },
  ]) {
    const { rows } = contentOf(await call('report', args), 'report');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ budgeted }) => budgeted !== undefined)).toEqual([]);
  }
});

it('a month that is still going on has the whole budget of the month beside it', async () => {
  const { call } = await hostWithViews();
  const { rows } = contentOf(await call('report', { of: 'spending', by: 'category' }), 'report');
  expect(rows.filter(({ budgeted }) => budgeted !== undefined).length).toBeGreaterThan(0);
});
