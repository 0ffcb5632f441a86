/** `budget-mcp forget`: removes everything that a hosted server stores about a person. The server may be running. */

import { systemClock } from '../../base/clock.ts';
import { forgetPerson } from '../compose/hosted.ts';
import type { Config } from '../config/load-config.ts';
import type { ProcessContext } from './sign-in-context.ts';

/** `userId` is the id of the person at the budgeting service, as `get_user` shows it. */
export async function runForget(config: Config, userId: string, { io }: ProcessContext): Promise<void> {
  const grants = await forgetPerson(config, userId, systemClock);
  const ended =
    grants === 0
      ? 'No application had access. If one had, check the id and the settings.'
      : `${grants} ${grants === 1 ? 'application has' : 'applications have'} no access any more.`;
  io.stdout.write(`Nothing is stored about this person. ${ended}\n`);
}
