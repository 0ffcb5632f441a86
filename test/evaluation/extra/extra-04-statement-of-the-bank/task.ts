/**
 * The bank's file is in a folder, with what the budget has of November and three rows that it lacks. They are to be entered without
 * a row of the file in what the model reads or sends.
 */
import { entered } from '../../by-name.ts';
import { accountNamed, type Export } from '../../export.ts';
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { units } from '../../truth.ts';

const ACCOUNT = 'Checking';
const KNOWN = 'Greenleaf Market';
const missing = [
  { date: '2026-11-12', amount: -23.97, text: KNOWN },
  { date: '2026-11-14', amount: -7.31, text: 'HAFENKIOSK 0817' },
  { date: '2026-11-16', amount: 48.26, text: 'REFUND PARCEL 55' },
];

/** What the budget has of November, with texts as no payee has them. */
function listed(before: Export) {
  const { id } = accountNamed(before, ACCOUNT);
  return before.transactions
    .filter(({ account_id, date }) => account_id === id && date >= '2026-11-01')
    .map(({ date, amount }, index) => ({ date, amount: amount / 1_000, text: `CARD 7781 POS ${index + 1}` }));
}

/** The category that at least three, and nine of ten, of the payee's transactions have. */
function usualCategory(before: Export): string | undefined {
  const all = transactionsWhere(before, ({ payee, category }) => payee === KNOWN && category !== null);
  const names = all.map(({ category }) => category ?? '');
  return names.find((name) => {
    const count = names.filter((each) => each === name).length;
    return count >= 3 && count >= 0.9 * names.length;
  });
}

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    "I have put my bank's file for Checking into the folder. Enter what is missing from it, and change nothing else.",
    'How many rows was that, and what is the cleared balance of Checking now?',
  ],
  statements: (before) => ({
    'checking-november.csv': [
      'Date,Payee,Amount',
      ...[...listed(before), ...missing].map(
        ({ date, amount, text }) => `${date},${text},${amount.toFixed(2)}`,
      ),
    ].join('\n'),
  }),
  unseen: [
    'CARD 7781',
    'HAFENKIOSK',
    'REFUND PARCEL',
    ...missing.map(({ amount }) => String(Math.abs(amount))),
  ],
  expected: (before) => {
    const { cleared_balance } = accountNamed(before, ACCOUNT);
    const category = usualCategory(before);
    const added = missing.reduce((sum, { amount }) => sum + Math.round(amount * 1_000), 0);
    return {
      results: ['done', [missing.length, units(cleared_balance + added)]],
      changes: missing.map(({ date, amount, text }) => {
        const change = entered({ account: ACCOUNT, date, amount, payee: text, cleared: 'cleared' });
        if (!('created' in change) || change.kind !== 'transaction')
          throw new TypeError('An entry is created.');
        const { payee: _, ...rest } = change.created;
        return text === KNOWN
          ? { kind: 'transaction', created: { ...change.created, ...(category && { category }) } }
          : { kind: 'transaction', created: { ...rest, memo: text } };
      }),
    };
  },
};
