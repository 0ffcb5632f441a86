/** Random writes of several processes that are killed at random points. Hosts repeat a call until they know its outcome. */
import { expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { DROPPED, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

const PROCESSES = 4;
const AMOUNTS = [-1_000, -2_000] as const;
const STEPS = 120;
const FAULTS = [NO_FAULT, NO_FAULT, UNANSWERED, DROPPED, { deliveries: 1, answer: '503' }] as const;

function budgetError(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}

test.each([1, 2, 3])(
  'each intended write is in the ledger once, and in the journal (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const { startProcess, faults, passing, pass, coffees } = await startSharing();
    const memory = new SharedMemory();
    const processes = Array.from({ length: PROCESSES }, () => startProcess(memory));
    const intended = new Map<number, number>();
    const counts = { kills: 0, earlier: 0, confirmed: 0 };

    /**
     * One call in a random process of its host. Undefined if the process was killed during it. Each host has processes of its
     * own: after a kill just after an answer, it is open whether the host has got it.
     */
    const callOnce = async (amount: number, mayBeKilled: boolean) => {
      const slot = (amount === AMOUNTS[0] ? 0 : 1) + random.pick([0, 2]);
      const { life, start } = processes[slot] ?? expect.unreachable();
      if (mayBeKilled && random.chance(0.5)) life.killAt = life.events.length + random.integer(1, 45);
      const killed = new Promise<undefined>((resolve) => life.onKilled(() => resolve(undefined)));
      const result = await Promise.race([killed, start(amount).catch(budgetError)]);
      if (life.isOver && processes[slot]?.life === life) {
        processes[slot] = startProcess(memory);
        counts.kills += 1;
      } else life.killAt = Number.POSITIVE_INFINITY;
      return result;
    };

    /** Repeats the call until the host knows that it was written. */
    const callUntilWritten = async (amount: number) => {
      for (let call = 1; call <= 60; call += 1) {
        const result = await callOnce(amount, call <= 3);
        if (result === undefined) continue;
        if (result instanceof BudgetError) {
          expect(['outcome_unknown', 'not_written', 'internal_server_error']).toContain(result.code);
          continue;
        }
        const { earlier_call, outcome } = result;
        if (earlier_call !== undefined) counts.earlier += 1;
        if (outcome === 'confirmed_afterwards') counts.confirmed += 1;
        return;
      }
      expect.unreachable('It was never written.');
    };

    for (let step = 1; step <= STEPS; step += 1) {
      const atOnce = random.chance(0.3) ? AMOUNTS : [random.pick(AMOUNTS)];
      faults.writes = Array.from({ length: 2 }, () => random.pick(FAULTS));
      faults.reads = random.chance(0.2) ? Array.from({ length: 4 }, () => random.pick(FAULTS)) : [];
      for (const amount of atOnce) intended.set(amount, (intended.get(amount) ?? 0) + 1);
      await passing(Promise.all(atOnce.map(callUntilWritten)));
      // The outcomes have reached their hosts.
      await pass(random.pick([2_000, 30_000]));
      for (const amount of AMOUNTS)
        expect([step, amount, coffees(amount).length]).toEqual([step, amount, intended.get(amount) ?? 0]);
    }
    await pass(120_000);
    const reader = startProcess(memory);
    const journal = await reader.journal();
    const journaled = journal.flatMap(({ steps }) => steps.flatMap(({ data }) => data['transaction_ids']));
    expect(journaled.toSorted()).toEqual(
      AMOUNTS.flatMap((amount) => coffees(amount).map(({ id }) => id)).toSorted(),
    );
    expect(await reader.states()).toEqual([]);
    expect(Math.min(counts.kills, counts.earlier, counts.confirmed)).toBeGreaterThan(3);
  },
  300_000,
);
