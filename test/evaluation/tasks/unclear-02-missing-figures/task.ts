/** First the account is missing, at a place that was never visited before; then the amounts of the parts of a receipt. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'household',
  says: [
    'Please note lunch at Ramen Raku today, 23.40, under eating out.',
    'Leave that one for now. Yesterday I was at Hammer & Home with the Blue Card, 84.10 in all. The paint goes under household goods, and the lamp was a present, so it goes under gifts. Enter the receipt split like that.',
  ],
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
