/** A call that waits for the outcome of an earlier equal one, which was not delivered. */
import { BudgetError } from '../../base/errors.ts';
import type { WritesOfSignIn } from './own-write.ts';
import type { Located, OwnWrites } from './own-writes.ts';
import { errorOf, isEqual, isSettled, isUndelivered, outcomeOf, type PendingWrite } from './pending-write.ts';
import { POLL_MS } from './pending-writes.ts';
import type { WaitingHost } from './waiting-host.ts';
import {
  cancelledAfterSending,
  cancelledBeforeSending,
  earlierPartlyWritten,
  earlierUnknown,
  notSettledInTime,
  type WriteCall,
} from './write-call.ts';
import type { AnyWriteResult } from './write-result.ts';
import { stateOf } from './write-status.ts';

/** The outcome of an earlier equal call. Times are milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: AnyWriteResult;
  readonly calledAt: number;
  readonly settledAt: number;
}

/**
 * The earlier equal write of any process. A host of this process waits for it from then on, so that no other call gets its
 * outcome too. While a host of another process seems to wait for an equal write, nothing is decided: that process may have been
 * killed, and this call may be the second attempt of the same host.
 */
export async function claimEarlier(
  call: WriteCall,
  signIn: WritesOfSignIn,
  own: OwnWrites,
  host: WaitingHost,
): Promise<Located | undefined> {
  for (;;) {
    const stored = await signIn.adoption.adoptUpToDate();
    const equal = stored.filter((record) => isEqual(record, call));
    const undelivered = [
      ...equal.filter(isUndelivered).map((record) => ({ record, signIn })),
      ...own.undeliveredBeside(stored, call),
    ];
    for (const write of undelivered) if (await own.claim(write)) return write;
    if (!equal.some((write) => signIn.pending.isAwaitedElsewhere(write))) return undefined;
    const end = await host.pause(POLL_MS);
    if (end) throw end === 'cancelled' ? cancelledBeforeSending() : notSettledInTime(call);
  }
}

/** Undefined if it is proven that the earlier call wrote nothing. */
export async function waitForEarlier(
  earlier: Located,
  own: OwnWrites,
  host: WaitingHost,
): Promise<EarlierOutcome | undefined> {
  const { call, calledAt } = earlier.record;
  const { adoption } = earlier.signIn;
  const ending = new AbortController();
  try {
    const settled = await whileHostWaits(settledRecord(earlier, own, ending.signal), earlier, own, host);
    const { id, result = { at: 0 } } = settled ?? earlier.record;
    const error = errorOf(result) ?? lost(call);
    if (error.code === 'partly_written') {
      own.answer(earlier, undefined, host);
      throw earlierPartlyWritten(call, error);
    }
    let outcome = own.find(id)?.outcome ?? outcomeOf(result);
    if (!outcome && (!settled || stateOf(settled) === 'unknown')) {
      const search = earlier.record.isTogether ? Promise.reject(error) : adoption.searchAgain(earlier.record);
      const data = await whileHostWaits(search, earlier, own, host);
      outcome = data && { data, outcome: 'confirmed_afterwards' };
    }
    if (outcome) own.answer(earlier, outcome, host);
    // There is no outcome to deliver.
    else await own.change(earlier, { type: 'deliver', process: earlier.signIn.pending.process });
    return outcome && { earlier: outcome, calledAt, settledAt: result.at };
  } finally {
    ending.abort();
  }
}

/** Undefined if the write is not known any more. */
async function settledRecord(
  { record: { id }, signIn: { pending, adoption } }: Located,
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
  const leave = () => own.change(earlier, { type: 'leave', process: earlier.signIn.pending.process });
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
