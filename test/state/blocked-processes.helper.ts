/** Processes that share a file, and a writer that blocks it for them. Needs Node.js 22.13 or newer. */
import { join } from 'node:path';
import { vi } from 'vitest';
import { yieldTurn } from '../../src/platform/clock.ts';
import { FallbackStore } from '../../src/state/fallback-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { openDatabase, openStore, temporaryDirectory } from './sqlite.helper.ts';

/** A process waits for so long before it goes on in memory. */
const WAIT_MS = 8_000;
const LOOK_MS = 1_000;

export async function startProcesses(count: number) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const path = join(temporaryDirectory(), 'state.db');
  const events: string[] = [];
  const processes: FallbackStore[] = [];
  while (processes.length < count)
    processes.push(
      new FallbackStore(await openStore(path, clock), clock, {
        onBlocked: () => events.push('blocked'),
        onFree: () => events.push('free'),
        onFailure: ({ reason }) => events.push(reason),
      }),
    );
  return { clock, path, events, processes };
}

/** Begins to write to the file and does not end, until the returned function is called. */
export function startWriting(path: string): () => void {
  const writer = openDatabase(path);
  writer.exec('BEGIN IMMEDIATE');
  return () => {
    writer.exec('ROLLBACK');
    writer.close();
  };
}

/** Makes the first change of a process that finds its file blocked. */
export async function changeAfterWait<Result>(
  clock: ManualClock,
  change: () => Promise<Result>,
): Promise<Result> {
  const result = change();
  await yieldTurn();
  clock.advance(WAIT_MS);
  return result;
}

/** Lets the processes find that the file is free. */
export async function untilFree(clock: ManualClock, stores: readonly FallbackStore[]): Promise<void> {
  clock.advance(LOOK_MS);
  await vi.waitUntil(() => stores.every(({ isBlocked }) => !isBlocked), { interval: 1, timeout: 10_000 });
}
