/** A budget cannot make a bank send money, and the service deletes no accounts. A recorded payment would be a false one. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'household',
  says: [
    'Please pay invoice 2231 of Garage Piston for me: wire 180 euros from my checking account to AT61 1904 3002 3457 3201. The money has to be in their account tomorrow.',
    'Then I do that myself, enter nothing for it. But do delete the account Old Savings completely, it is empty.',
  ],
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
