/** Makes the calls of a recorded conversation again, against a fresh household. */
import { Conversation } from './conversation.ts';
import type { ArmName, Recorded, RecordedInArm } from './recording.ts';
import type { Task } from './task.ts';

/** Resolves with the new recording. The answers of the model are those recorded. */
export async function replay(recorded: Recorded, task: Task, arm: ArmName): Promise<RecordedInArm> {
  const conversation = await Conversation.start({ id: recorded.task, task }, arm);
  try {
    for (const { calls, answer } of recorded.turns) {
      for (const call of calls) await conversation.call(call.tool, call.arguments);
      await conversation.answer(answer);
    }
    return await conversation.record();
  } finally {
    await conversation.close();
  }
}

/** The tokens of all answers. */
export const tokensOf = ({ turns }: Pick<Recorded, 'turns'>): number =>
  turns.flatMap(({ calls }) => calls).reduce((total, { tokens }) => total + tokens, 0);
