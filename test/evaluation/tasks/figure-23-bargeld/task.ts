/** Transfers into a cash account, what was spent out of it, and its balance on a day in the past. */
import type { Task } from '../../task.ts';
import { allLines, balanceOn, during, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Wie viel Bargeld haben wir von Januar bis Ende Oktober dieses Jahres vom Privatkonto ins Portemonnaie geholt, wie viel in ' +
      'dieser Zeit aus dem Portemonnaie ausgegeben, und wie viel war am Ende des 31. Oktobers darin?',
  ],
  expected: (before) => {
    const ofWallet = ({ account }: { readonly account: string }) => account === 'Portemonnaie';
    const span = ['2026-01-01', '2026-10-31'] as const;
    const fetched = during(allLines(before), ...span).filter(
      (line) => ofWallet(line) && line.transfer?.account === 'Privatkonto',
    );
    const spent = during(spendingOf(before), ...span).filter(ofWallet);
    return {
      results: [
        [units(sum(fetched)), units(sum(spent)), units(balanceOn(before, '2026-10-31', 'Portemonnaie'))],
      ],
      changes: [],
    };
  },
};
