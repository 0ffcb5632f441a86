/** September has no 31st day, and the service takes nothing into a closed account. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'haushalt',
  says: [
    'Trag bitte noch das Tanken vom 31. September nach: 64.20 bei der Tankstelle Landstrasse, mit der Kreditkarte, Benzin.',
    'Da muss ich erst die Quittung suchen. Erfasse inzwischen die 50 Franken, die ich heute vom Privatkonto auf das Alte Sparkonto gezahlt habe.',
  ],
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
