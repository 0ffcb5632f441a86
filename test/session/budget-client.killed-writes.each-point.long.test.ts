/** What a process that was killed at any point of a write leaves to its successor. */

import { expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { budgetError, callUntilSettled, logTwo, untilKilled } from './killed-writes.helper.ts';
import { type Process, type Sharing, startSharing } from './sharing-processes.helper.ts';

/** Kills a process at each point of what `start` does, one after the other, until it ends before that. */
async function* killedAtEachPoint(
  sharing: Sharing,
  faults: readonly Fault[],
  start: (first: Process, amount: number) => Promise<unknown>,
) {
  for (let killAt = 1; ; killAt += 1) {
    const amount = -1_000 - killAt;
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    first.life.killAt = killAt;
    sharing.faults.writes = [...faults];
    const sentBefore = sharing.sent();
    if ((await untilKilled(sharing, first, start(first, amount))) !== 'killed') return;
    sharing.faults.writes = [];
    yield { point: `${killAt}: ${first.life.events.at(-1)}`, amount, memory, sentBefore };
  }
}

test.each<readonly [string, Fault]>([
  ['the answer arrives', NO_FAULT],
  ['the answer is lost', UNANSWERED],
  ['the request is lost', DROPPED],
])(
  'whatever the point of the kill, an equal call in the next process leads to one entry: %s',
  async (_, fault) => {
    const sharing = await startSharing();
    const ends = new Set<string>();
    const kills = killedAtEachPoint(sharing, [fault], (first, amount) => first.start(amount));
    for await (const { point, amount, memory, sentBefore } of kills) {
      const sentByFirst = sharing.sent() - sentBefore;
      const madeByFirst = sharing.coffees(amount).length;

      const next = sharing.startProcess(memory);
      await sharing.passing(next.client.begin().resolveBudget(undefined));
      const { data, earlier_call } = await callUntilSettled(next, amount);
      const made = sharing.coffees(amount).map(({ id }) => id);
      const journal = await next.journal();
      await sharing.pass(2_000);
      expect({
        point,
        made: data.transaction_ids,
        isEarlier: earlier_call !== undefined,
        sent: sharing.sent() - sentBefore,
        journal: journal.map(({ steps }) => steps.map((step) => step.data['transaction_ids'])),
        states: await next.states(),
      }).toEqual({
        point,
        made,
        isEarlier: madeByFirst === 1,
        sent: sentByFirst + 1 - madeByFirst,
        journal: [[made]],
        states: [],
      });
      expect(made).toHaveLength(1);
      ends.add(earlier_call === undefined ? 'written by this call' : 'earlier outcome');
    }
    expect(ends).toEqual(
      new Set(fault === DROPPED ? ['written by this call'] : ['written by this call', 'earlier outcome']),
    );
  },
  120_000,
);

test.each<readonly [string, readonly Fault[]]>([
  ['both answers arrive', []],
  ['the first answer is lost', [UNANSWERED]],
  ['the second answer is lost', [NO_FAULT, UNANSWERED]],
])(
  'whatever the point of the kill, the journal has what was written, and nothing is sent for it again: %s',
  async (_, writes) => {
    const sharing = await startSharing();
    const ends = new Set<string>();
    const log = (first: Process, amount: number) => logTwo(first, sharing.coffee, amount);
    for await (const { point, amount, memory } of killedAtEachPoint(sharing, writes, log)) {
      const madeByFirst = sharing.coffees(amount).map(({ id }) => id);
      const next = sharing.startProcess(memory);
      const again = () => sharing.passing(logTwo(next, sharing.coffee, amount)).catch(budgetError);
      let result = await again();
      while (result instanceof BudgetError && ['outcome_unknown', 'not_written'].includes(result.code))
        result = await again();
      const journal = await next.journal();
      const journaled = journal.flatMap(({ steps }) => steps.flatMap(({ data }) => data['transaction_ids']));
      const made = sharing.coffees(amount).map(({ id }) => id);
      expect([point, journaled.toSorted()]).toEqual([point, made.toSorted()]);
      if (result instanceof BudgetError) {
        expect([point, result.code, made]).toEqual([point, 'partly_written', madeByFirst]);
        expect(result.message).toContain('an earlier run of this server ended while it was carried out');
        expect(made.length).toBeGreaterThan(0);
        ends.add('partly written');
      } else if (result.earlier_call === undefined) {
        expect([point, madeByFirst, made.length]).toEqual([point, [], 2]);
        ends.add('written by this call');
      } else {
        expect([point, made]).toEqual([point, madeByFirst]);
        expect(made).toHaveLength(2);
        ends.add('earlier outcome');
      }
    }
    expect(ends).toEqual(new Set(['written by this call', 'partly written', 'earlier outcome']));
  },
  120_000,
);
