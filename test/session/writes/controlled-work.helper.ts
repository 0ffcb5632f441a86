/** Writes whose steps the test controls, and the hosts that wait for them. */
import { expect } from 'vitest';
import { yieldTurn } from '../../../src/base/clock.ts';
import type { WriteResult } from '../../../src/session/call-result.ts';
import type { OwnWrite, SharedWrites } from '../../../src/session/writes/own-write.ts';
import type { SentWrite } from '../../../src/session/writes/pending-write.ts';
import { type RunOptions, UnsettledWrites } from '../../../src/session/writes/unsettled-writes.ts';
import type { WriteCall } from '../../../src/session/writes/write-call.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { ScriptedService } from '../scripted-service.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { CALL, composeWrites, STEP, sentWriteOf } from './pending.helper.ts';

export const START = Date.parse('2026-11-21T12:00:00Z');
export const WRITTEN: WriteResult = { data: { transaction_ids: ['t'] }, outcome: 'written' };

/** A write whose steps the test controls. */
export class Work {
  #own: OwnWrite | undefined;
  finish: (outcome: WriteResult) => void = () => {};
  fail: (error: unknown) => void = () => {};

  readonly start = (own: OwnWrite): Promise<WriteResult> => {
    this.#own = own;
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  };

  get isStarted(): boolean {
    return this.#own !== undefined;
  }

  get own(): OwnWrite {
    return this.#own ?? expect.unreachable('It has not been started.');
  }

  /** Writes it down as the turn of the budget does. */
  send(): Promise<void> {
    const { pending } = this.own.shared;
    const noteRequest = () =>
      pending.update(({ turns, writes }) => {
        const sent = { ...this.own.record, state: 'sent', step: STEP } as const;
        return { value: { turns, writes: [...writes, sent] }, result: undefined };
      });
    const step = { ...STEP, sentAt: { wall: 0, monotonic: Number.POSITIVE_INFINITY } };
    return this.own.noteRequest({ writes: [], noteRequest }, step);
  }
}

type Search = () => Promise<WriteResult['data'] | undefined>;

export function start() {
  const clock = new ManualClock(START);
  const writes = new UnsettledWrites(clock);
  const memory = new SharedMemory();
  const store = new MemoryStore(clock, memory);
  const { writes: signIn } = composeWrites(new ScriptedService(), clock, store);
  const searching: { again: Search } = { again: async () => undefined };
  const { pending, journal, turns, adoption } = signIn;
  const scripted: SharedWrites = {
    pending,
    journal,
    turns,
    adoption: {
      adoptAndSearch: () => adoption.adoptAndSearch(),
      noteAndAdopt: () => adoption.noteAndAdopt(),
      settleLeftWrites: (...turn) => adoption.settleLeftWrites(...turn),
      searchAgain: () => searching.again(),
    },
  };
  let count = 0;
  const begin = (work: Work, call = CALL, options: RunOptions = {}) => {
    count += 1;
    const result = writes.run({ id: `w${count}`, call, isTogether: false }, scripted, work.start, options);
    // A test may check it later.
    result.catch(() => {});
    return result;
  };
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await yieldTurn();
  };
  const status = async (caller = 'ann') => writes.status(caller, await pending.list());
  const states = async (caller = 'ann') => (await status(caller)).map(({ state }) => state);
  const isRepeated = async (call: WriteCall = CALL) => writes.isRepeated(call, await pending.list());
  /** A write that was sent, and whose host was answered before its outcome was known. */
  const left = async (searchAgain?: Search, call = CALL) => {
    if (searchAgain) searching.again = searchAgain;
    const work = new Work();
    const result = begin(work, call);
    await yieldTurn();
    await work.send();
    await pass(10_000);
    expect((await failureOf(result)).code).toBe('outcome_unknown');
    return work;
  };
  const other = new MemoryStore(clock, memory);
  /** Another process, which is still running, has sent a write. Its host waits. */
  const sentByOther = (more: Partial<SentWrite> = {}) =>
    pending.update(({ turns, writes: before }) => ({
      value: { turns, writes: [...before, sentWriteOf('other', other.processId, more)] },
      result: undefined,
    }));
  /** The store loses what it has of the writes. */
  const lose = () => memory.records.delete(pending.recordName);
  return { clock, writes, begin, pass, status, states, isRepeated, left, searching, sentByOther, lose };
}
