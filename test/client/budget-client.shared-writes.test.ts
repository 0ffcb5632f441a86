/** Writes of several processes of one sign-in. */
import { describe, expect, test } from 'vitest';
import { SharedMemory } from '../../src/state/memory-store.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

describe('processes that write at once', () => {
  test.each<readonly [string, readonly Fault[]]>([
    ['both answers arrive', []],
    ['the first answer is lost', [UNANSWERED]],
    ['the second answer is lost', [NO_FAULT, UNANSWERED]],
    ['both answers are lost', [UNANSWERED, UNANSWERED]],
    ['the first does not arrive', [DROPPED]],
  ])('of two processes that write equal entries at once each finds its own: %s', async (_, writes) => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const [one, other] = [sharing.startProcess(memory), sharing.startProcess(memory)];
    sharing.faults.writes.push(...writes);
    const results = await sharing.passing(
      Promise.all(
        [one.start(-4_500), other.start(-4_500)].map((each) => each.catch((error: Error) => error)),
      ),
    );
    const ids = results.flatMap((each) => (each instanceof Error ? [] : each.data.transaction_ids));
    const duplicates = results.flatMap((each) =>
      each instanceof Error ? [] : (each.possibleDuplicates ?? []),
    );
    const made = sharing.coffees(-4_500).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(made.toSorted());
    expect(duplicates).toEqual([]);
    expect(made).toHaveLength(writes.includes(DROPPED) ? 0 : 2);
  });
});
