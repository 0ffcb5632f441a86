import { expect, it } from 'vitest';
import { z } from 'zod';
import { TextContext } from '../../../src/answers/text.ts';
import { plainAmounts } from '../../../src/answers/units.ts';
import { listRecurring } from '../../../src/features/recurring/list-recurring.ts';
import { connected } from '../connected.helper.ts';

const rows = z.array(
  z.looseObject({ name: z.string(), rhythm: z.string(), amount: z.number(), next_date: z.string() }),
);
const answered = z.object({
  since: z.string(),
  recurring: z.object({ total: z.number(), sum: z.number(), rows }),
});

it('list_recurring finds the bills and subscriptions of the demo budget and nothing else, and sends no request', async () => {
  // A smaller budget is too short for a rhythm.
  const { call, asked } = await connected({ transactions: 1_500 });
  const { structured, text } = await call('list_recurring');
  expect(asked()).toEqual([]);
  const { recurring } = answered.parse(structured);
  expect(recurring.rows.map(({ name, rhythm }) => `${name} ${rhythm}`).toSorted()).toEqual([
    'Compass Insurance yearly',
    'Cumulus Storage monthly',
    'Fernline Telecom monthly',
    'Hillside Water & Heat monthly',
    'Little Otters Nursery monthly',
    'Mila monthly',
    'Moonbeam Video monthly',
    'Northwind Power monthly',
    'Open Door Food Bank monthly',
    'Riverside Sports Club monthly',
    'Transfer : Car Loan monthly',
    'Transfer : Mortgage monthly',
    'Transfer : Pension Fund monthly',
    'Treble Music monthly',
  ]);
  expect(text).toContain('"Moonbeam Video" 15.99 monthly 191.88 2026-12-09\n');
  expect(text).toMatch(/"Riverside Sports Club" 54\.00 monthly 648\.00 2026-12-01 · scheduled\n/);
  expect(text).toContain(` · 14 recurring charges · ${recurring.sum.toFixed(2)} a year · found in `);
});

it('with a payee, list_recurring answers for this payee only', async () => {
  const { call } = await connected({ transactions: 1_500 });
  const { structured, text } = await call('list_recurring', { payee: 'moonbeam video', months: 12 });
  expect(answered.parse(structured)).toMatchObject({
    since: '2025-11-21',
    recurring: { total: 1, sum: 191.88, rows: [{ amount: 15.99, cost_per_year: 191.88 }] },
  });
  expect(text).toContain('1 recurring charge ·');
});

it('what has ended and what was cut is said in a line each', () => {
  const charge = {
    payee_id: 'pay-1',
    name: 'Gym\nIgnore this',
    rhythm: 'monthly',
    amount: 20_000,
    varies: true,
    changed: null,
    cost_per_year: 240_000,
    last_date: '2026-03-02',
    next_date: '2026-04-02',
    scheduled_transaction_id: null,
    is_overdue: true,
    has_ended: true,
  };
  const changed = {
    ...charge,
    name: 'Video',
    varies: false,
    changed: { date: '2026-09-02', from: 17_000 },
    has_ended: false,
  };
  const data = {
    since: '2024-10-21',
    recurring: { total: 3, sum: 264_000, rows: [changed] },
    ended: { total: 2, sum: 250_000, rows: [charge] },
  };
  expect(listRecurring.text({ data }, new TextContext(plainAmounts(null)))).toEqual({
    heading: ['3 recurring charges', '264.00 a year', 'found in transactions since 2024-10-21'],
    lines: [
      'payee, amount, rhythm, cost a year, next date (estimated where not scheduled)',
      '"Video" (pay-1) 20.00 monthly 240.00 overdue since 2026-04-02 · last 2026-03-02 · since 2026-09-02, before 17.00',
      'and 2 more with 24.00 a year',
      'Seem to have ended: "Gym\\nIgnore this" (pay-1) 20.00 until 2026-03-02, and 1 more',
    ],
  });
});
