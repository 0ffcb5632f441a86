/** Turns of several processes to write to a budget, and work that lasts until the test ends it. */
import { expect } from 'vitest';
import { type TakenTurn, WriteTurns } from '../../../src/session/writes/write-turns.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/shared-store.ts';
import { ManualClock, yieldTurns } from '../../manual-clock.helper.ts';
import { pendingIn, sentWriteOf, withoutTimers } from './pending.helper.ts';

interface ProcessOptions {
  readonly shared?: boolean;
  readonly program?: string;
  /** Its timers stand still. What it has begun by then can still go on. */
  readonly isSuspended?: boolean;
}

export const planned = ({ processId }: SharedStore) => sentWriteOf('w', processId, { state: 'planned' });

export function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const log: string[] = [];
  const startProcess = (
    store: SharedStore = new MemoryStore(clock, memory),
    { shared = true, program, isSuspended = false }: ProcessOptions = {},
  ) => {
    const own = isSuspended ? withoutTimers(clock) : clock;
    return new WriteTurns(pendingIn(store, own), own, () => ({ shared }), program);
  };
  /** Work that ends when the test calls `end`. */
  const work = (name: string) => {
    let turn: TakenTurn | undefined;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run = async (taken: TakenTurn) => {
      turn = taken;
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
    };
    return { run, end, taken: () => turn ?? expect.unreachable() };
  };
  return { clock, memory, log, startProcess, work };
}

/** Lets the time pass second by second, and all that waits for it go on. */
export async function passSeconds(clock: ManualClock, milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    clock.advance(1_000);
    await yieldTurns(5);
  }
}
