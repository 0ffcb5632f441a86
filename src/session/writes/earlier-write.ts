/** A call that waits for the outcome of an earlier equal one, which was not delivered. */
import { BudgetError } from '../../base/errors.ts';
import type { AnyWriteResult } from '../call-result.ts';
import type { SharedWrites } from './own-write.ts';
import type { Located, OwnWrites } from './own-writes.ts';
import {
  errorOf,
  isEqual,
  isSettled,
  isUndelivered,
  outcomeOf,
  type PendingWrite,
  type SentWrite,
  stateOf,
} from './pending-write.ts';
import { POLL_MS } from './pending-writes.ts';
import type { WaitingHost } from './waiting-host.ts';
import {
  cancelledAfterSending,
  cancelledBeforeSending,
  earlierPartlyWritten,
  earlierUnknown,
  equalNotAnswered,
  notSettledInTime,
  type WriteCall,
} from './write-call.ts';

/** The outcome of an earlier equal call. Times are milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: AnyWriteResult;
  readonly calledAt: number;
  readonly settledAt: number;
}

/**
 * The earlier equal write of any process. A host of this process waits for it from then on, so that no other call gets its
 * outcome too. While a host of another process seems to wait for an equal write, nothing is decided: that process may have been
 * killed, and this call may be the second attempt of the same host. `known` are the writes as the call has seen them.
 */
export async function claimEarlier(
  call: WriteCall,
  shared: SharedWrites,
  own: OwnWrites,
  host: WaitingHost,
  known?: readonly SentWrite[],
): Promise<Located | undefined> {
  for (let seen = known; ; seen = undefined) {
    const stored = await shared.adoption.adoptUpToDate(seen);
    const equal = stored.filter((record) => isEqual(record, call));
    const undelivered = [
      ...equal.filter(isUndelivered).map((record) => ({ record, shared })),
      ...own.undeliveredBeside(stored, call),
    ];
    for (const write of undelivered) if (await own.claim(write)) return write;
    if (!equal.some((write) => shared.pending.isAwaitedElsewhere(write))) return undefined;
    const end = await host.pause(POLL_MS);
    if (end) throw end === 'cancelled' ? cancelledBeforeSending() : equalNotAnswered(call);
  }
}

/** Undefined if it is proven that the earlier call wrote nothing. */
export async function waitForEarlier(
  earlier: Located,
  own: OwnWrites,
  host: WaitingHost,
): Promise<EarlierOutcome | undefined> {
  const { call, calledAt } = earlier.record;
  const { adoption } = earlier.shared;
  const ending = new AbortController();
  const answered = (outcome: AnyWriteResult, settledAt: number): EarlierOutcome => {
    own.answer(earlier, outcome, host);
    return { earlier: outcome, calledAt, settledAt };
  };
  try {
    const settled = await whileHostWaits(settledRecord(earlier, own, ending.signal), earlier, own, host);
    const { id, result = { at: 0 } } = settled ?? earlier.record;
    const outcome = own.find(id)?.outcome ?? outcomeOf(result);
    if (outcome) return answered(outcome, result.at);
    const error = errorOf(result) ?? lost(call);
    if (error.code === 'partly_written') {
      own.answer(earlier, undefined, host);
      throw earlierPartlyWritten(call, error);
    }
    if (!settled || stateOf(settled) === 'unknown') {
      // A search for one step does not show what became of the others.
      const search = earlier.record.isTogether ? Promise.reject(error) : adoption.searchAgain(earlier.record);
      const data = await whileHostWaits(search, earlier, own, host);
      if (data) return answered({ data, outcome: 'confirmed_afterwards' }, result.at);
    }
    // It wrote nothing: there is no outcome to deliver.
    await own.change(earlier, { type: 'deliver', process: earlier.shared.pending.process });
    return undefined;
  } finally {
    ending.abort();
  }
}

/** Undefined if the write is not known any more. */
async function settledRecord(
  { record: { id }, shared: { pending, adoption } }: Located,
  own: OwnWrites,
  signal: AbortSignal,
): Promise<PendingWrite | undefined> {
  const write = own.find(id);
  if (!write) return pending.untilSettled(id, signal, () => adoption.adopt());
  await write.until(isSettled);
  return write.record;
}

/** If the host stops waiting, or if `work` fails, the next equal call may wait for the write. */
async function whileHostWaits<Result>(
  work: Promise<Result>,
  earlier: Located,
  own: OwnWrites,
  host: WaitingHost,
): Promise<Result> {
  const { call } = earlier.record;
  const leave = () => own.change(earlier, { type: 'leave', process: earlier.shared.pending.process });
  const end = await host.waitFor(work).catch(async (error: unknown) => {
    await leave();
    throw error instanceof BudgetError ? earlierUnknown(call, error) : error;
  });
  if (end === undefined) return work;
  work.catch(() => {});
  await leave();
  throw end === 'cancelled' ? cancelledAfterSending(call) : notSettledInTime(call);
}

const lost = ({ title }: WriteCall) =>
  new BudgetError('outcome_unknown', `${title}: this server has lost what it knew about the earlier call.`);
