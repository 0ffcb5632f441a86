/** A monthly payment is planned and changed; the partner deletes another one. Then what is to come until the end of the month. */
import { cancel } from '../../by-name.ts';
import { accountNamed, type ExportedScheduled, payeeNamed } from '../../export.ts';
import { scheduledAt } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { units } from '../../truth.ts';

const ACCOUNT = 'Privatkonto';
const byPartner = 'Ringelsocke';
const lessons = 44_900;
const END = '2026-11-30';

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
        .reduce((total, scheduled) => total - scheduled.amount * timesUntilEnd(scheduled), 0);
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

const DAYS: Readonly<Record<string, number>> = { daily: 1, weekly: 7, everyOtherWeek: 14, every4Weeks: 28 };

/** How often it comes until the end of November. What goes by months, or twice a month, comes once in its twelve days left. */
function timesUntilEnd({ date_next, frequency }: ExportedScheduled): number {
  if (date_next > END) return 0;
  const step = DAYS[frequency];
  return step === undefined ? 1 : Math.floor((dayOf(END) - dayOf(date_next)) / step) + 1;
}

const dayOf = (date: string) => Number(date.slice(8));
