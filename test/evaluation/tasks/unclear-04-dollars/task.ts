/** The budget is in francs and knows no rates: neither the amount of a purchase in dollars nor a balance in dollars. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'haushalt',
  says: [
    "Ich habe heute in New York bei Joe's Diner mit der Kreditkarte gegessen, 45 US-Dollar. Trag das bitte unter Auswärts essen ein, mit dem richtigen Betrag in Franken.",
    'Dann warte ich auf die Abrechnung. Wie viele Dollar ist das Geld auf dem Sparkonto zum heutigen Kurs genau wert?',
  ],
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
