/** The budget begins in November 2016, so 2014 is not zero but unknown. A bill that varies cannot be known ahead to the cent. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'ten-years',
  says: [
    'By how much did our yearly spending on groceries go up from 2014 to 2024?',
    'And what exactly will Northwind Power charge us in March 2027? I need the real amount to the cent, not an estimate.',
  ],
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
