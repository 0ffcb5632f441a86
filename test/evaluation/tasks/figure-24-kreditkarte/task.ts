/** Purchases by card without its payment, the debt at the end of a month, and then another month. */
import type { Task } from '../../task.ts';
import { balanceOn, during, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Wie viel haben wir im Oktober letzten Jahres mit der Kreditkarte ausgegeben, Rückerstattungen abgezogen und die Zahlung an ' +
      'die Karte nicht gerechnet, und wie viel schuldeten wir auf ihr am Ende des 31. Oktobers?',
    'Und dasselbe für den September dieses Jahres?',
  ],
  expected: (before) => ({
    results: ['2025-10', '2026-09'].map((month) => {
      const spent = during(spendingOf(before), month, `${month}-31`).filter(
        ({ account }) => account === 'Kreditkarte',
      );
      return [units(sum(spent)), units(-balanceOn(before, `${month}-31`, 'Kreditkarte'))];
    }),
    changes: [],
  }),
};
