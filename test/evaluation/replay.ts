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

/** How much longer the answers of a replay may be: texts change, and a few words are no regression. */
const TOLERANCE = 0.1;

/** In what a replay differs from the recording, or is worse. Empty if it is the same, shorter, or needs fewer requests. */
export function deviations(recorded: Recorded, again: Recorded): string[] {
  const compared = {
    verdict: [JSON.stringify(recorded.verdict), JSON.stringify(again.verdict)],
    errors: [recorded, again].map(errorsOf),
    ...(amountsOf(recorded).includes(undefined)
      ? {}
      : { amounts: [recorded, again].map((each) => amountsOf(each).join(' ')) }),
  };
  const [before, now] = [tokensOf(recorded), tokensOf(again)];
  return [
    ...Object.entries(compared)
      .filter(([, [one, other]]) => one !== other)
      .map(([what, [one, other]]) => `${what}: ${other} instead of ${one}`),
    ...(again.requests > recorded.requests
      ? [`requests: ${again.requests} instead of ${recorded.requests}`]
      : []),
    ...(now > before * (1 + TOLERANCE) ? [`tokens: ${now} instead of ${before}`] : []),
  ];
}

const callsOf = ({ turns }: Recorded) => turns.flatMap(({ calls }) => calls);
const errorsOf = (recorded: Recorded) =>
  callsOf(recorded)
    .map(({ isError }) => isError)
    .join(' ');
const amountsOf = (recorded: Recorded) => callsOf(recorded).map(({ amounts }) => amounts);

const tokensOf = ({ turns }: Recorded): number =>
  turns.flatMap(({ calls }) => calls).reduce((total, { tokens }) => total + tokens, 0);
