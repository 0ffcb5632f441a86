/** A monthly payment is planned and changed; the partner deletes another one. Then what is to come until the end of the month. */
import { cancel } from '../../by-name.ts';
import { accountNamed, payeeNamed } from '../../export.ts';
import { scheduledAt } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { dueDates, units } from '../../truth.ts';

const ACCOUNT = 'Privatkonto';
const byPartner = 'Ringelsocke';
const lessons = 44_900;
const [TODAY, END] = ['2026-11-18', '2026-11-30'] as const;

export const task: Task = {
  kind: 'steps',
  household: 'haushalt',
  says: [
    'Ab dem 25. November zahlen wir jeden Monat 39.90 vom Privatkonto an die Musikschule Allegro, Kategorie Hobbys. Plan das bitte ein.',
    'Entschuldige, es sind 44.90, und zwar jeweils am 27.',
    'Wie viel geht nach den geplanten Buchungen bis Ende November noch vom Privatkonto weg?',
    'Und aus dem Portemonnaie?',
  ],
  meanwhile: { 2: (service) => cancel(service, byPartner) },
  expected: (before) => {
    const payee = payeeNamed(before, byPartner).id;
    const planned = before.scheduled_transactions.filter(({ payee_id }) => payee_id !== payee);
    const toCome = (account: string) =>
      planned
        .filter(({ account_id }) => account_id === accountNamed(before, account).id)
        .reduce((total, scheduled) => total - scheduled.amount * dueDates(scheduled, TODAY, END).length, 0);
    return {
      results: ['done', 'done', [units(toCome(ACCOUNT) + lessons)], [units(toCome('Portemonnaie'))]],
      changes: [
        {
          kind: 'scheduled transaction',
          created: {
            account: ACCOUNT,
            date: '2026-11-27',
            amount: -lessons,
            payee: 'Musikschule Allegro',
            category: 'Hobbys',
            frequency: 'monthly',
          },
        },
        // By the partner.
        { kind: 'scheduled transaction', deleted: scheduledAt(before, byPartner) },
      ],
    };
  },
};
