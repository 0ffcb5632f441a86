/** Conversations about tasks of a test. They end with the test. */
import { onTestFinished } from 'vitest';
import { Conversation } from './conversation.ts';
import type { ArmName } from './recording.ts';
import type { Task } from './task.ts';

/** Of a task that does not say anything else. */
const usual = {
  kind: 'write',
  household: 'household',
  says: ['Please.'],
  expected: () => ({ results: ['done'], changes: [] }),
} satisfies Task;

export const taskWith = (task: Partial<Task>): Task => ({ ...usual, ...task });

export async function begin(task: Partial<Task>, arm: ArmName = 'all'): Promise<Conversation> {
  const conversation = await Conversation.start({ id: 'write-01-toy', task: taskWith(task) }, arm);
  onTestFinished(() => conversation.close());
  return conversation;
}
