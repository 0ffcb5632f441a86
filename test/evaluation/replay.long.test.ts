import { describe, expect, it } from 'vitest';
import { readRuns } from './recording.ts';
import { deviations, replay } from './replay.ts';
import { loadTask } from './tasks.ts';

/** The first one of the newest date with all tools. */
const newest = readRuns()
  .filter(({ arm }) => arm === 'all')
  .toSorted((a, b) => b.date.localeCompare(a.date) || a.number - b.number)
  .slice(0, 1);

/** `REPLAY_EVERY=1` replays all conversations, which takes minutes. */
const every = Number(process.env['REPLAY_EVERY'] ?? 2);

describe('the calls of a recorded run', () => {
  it('are there', () => expect(newest).toHaveLength(1));

  it.each(newest.flatMap(({ conversations }) => conversations.filter((_, index) => index % every === 0)))(
    'have the recorded outcome: $task',
    async (recorded) => {
      const again = await replay(recorded, await loadTask(recorded.task), 'all');
      expect(deviations(recorded, again)).toEqual([]);
    },
  );
});
