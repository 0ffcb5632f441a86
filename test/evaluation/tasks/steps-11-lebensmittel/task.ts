/** Several questions in one sentence, then a category is filled to a sum after the partner has spent from it, then a daily rate. */
import { enter, entered, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';
import { available, eitherSign, spent, units } from '../../truth.ts';

const FOOD = 'Lebensmittel';
const WANTED = milliunits(300);
const byPartner = {
  account: 'Privatkonto',
  date: '2026-11-18',
  amount: -41.85,
  payee: 'Tageskorb',
  category: FOOD,
};

export const task: Task = {
  kind: 'steps',
  household: 'haushalt',
  says: [
    'Wie viel haben wir im Oktober für Lebensmittel ausgegeben, wie gross ist der Unterschied zum September, und was ist diesen Monat noch übrig?',
    'Hol aus den Ferien so viel, dass für Lebensmittel genau 300 übrig sind.',
    'Was ist jetzt noch in den Ferien, und wie viel können wir von den 300 pro Tag ausgeben, von morgen bis und mit 30. November?',
  ],
  meanwhile: { 1: (service) => enter(service, [byPartner]) },
  expected: (before) => {
    const inMonth = (month: string) =>
      spent(before, ({ category, date }) => category === FOOD && date.startsWith(month));
    const left = available(before, FOOD);
    const moved = WANTED - left - milliunits(byPartner.amount);
    const days = 30 - 18;
    return {
      results: [
        [units(inMonth('2026-10')), eitherSign(inMonth('2026-10') - inMonth('2026-09')), units(left)],
        'done',
        [units(available(before, 'Ferien') - moved), units(WANTED / days)],
      ],
      changes: [
        budgetedMore(before, FOOD, moved),
        budgetedMore(before, 'Ferien', -moved),
        // By the partner.
        entered(byPartner),
      ],
    };
  },
};
