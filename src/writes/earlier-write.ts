/** A call that waits for the outcome of an earlier equal one, which was not delivered. */
import { BudgetError } from '../errors.ts';
import type { Adoption } from './adoption.ts';
import type { Deliveries } from './deliveries.ts';
import type { OwnWrite, OwnWrites } from './own-writes.ts';
import { type AnyWriteResult, type Settlement, stateOf } from './settlement.ts';
import type { SharedWrites } from './shared-writes.ts';
import { type StoredWrite, settlementOf } from './stored-write.ts';
import type { WaitingHost } from './waiting-host.ts';
import {
  cancelledAfterSending,
  cancelledBeforeSending,
  earlierPartlyWritten,
  earlierUnknown,
  keyOf,
  notSettledInTime,
  type WriteCall,
} from './write-call.ts';
import type { SearchAgain } from './write-observer.ts';

/** How often a write of another process is looked at again. */
const POLL_MS = 100;

/** The outcome of an earlier equal call. Times are milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: AnyWriteResult;
  readonly calledAt: number;
  readonly settledAt: number;
}

/** A write whose outcome was not delivered, and for which a host of this process waits now. */
export interface EarlierWrite {
  readonly call: WriteCall;
  /** Milliseconds since the epoch. */
  readonly calledAt: number;
  /** Undefined if the write is not known any more. Need not resolve after `signal` is aborted. */
  settled(signal: AbortSignal): Promise<Settlement | undefined>;
  /** Missing if the write cannot be searched for. */
  searchAgain(): SearchAgain | undefined;
  /** The host stopped waiting. The next equal call may wait for it. */
  hostLeft(): Promise<void>;
  /** The host gets the outcome, unless its connection is lost before. */
  answer(host: WaitingHost): void;
  /** It was not carried out, so that there is no outcome to deliver. */
  dropped(): Promise<void>;
}

/** The writes of the other processes of a sign-in. */
export interface OtherWrites {
  readonly writes: SharedWrites;
  readonly adoption: Adoption;
}

/** The earlier equal write of this process, if there are no other processes. */
export function earlierHere(call: WriteCall, own: OwnWrites): EarlierWrite | undefined {
  const found = own.findUndelivered(call);
  return found && ownEarlier(found, own);
}

/**
 * The earlier equal write of any process. A host of this process waits for it from then on, so that no other call gets its
 * outcome too. While a host of another process seems to wait for an equal write, nothing is decided: that process may have been
 * killed, and this call may be the second attempt of the same host.
 */
export async function claimEarlier(
  call: WriteCall,
  others: OtherWrites,
  own: OwnWrites,
  host: WaitingHost,
): Promise<EarlierWrite | undefined> {
  const { writes, adoption } = others;
  const key = keyOf(call);
  for (;;) {
    const stored = await adoption.adoptUpToDate();
    const equal = stored.writes.filter((write) => keyOf(write.call) === key);
    for (const write of equal) {
      const found = own.byId(write.id);
      const hasLeft = found?.undeliveredSince !== undefined && !writes.isAwaitedElsewhere(write);
      // This process knows first what has become of its own writes.
      const isCandidate = found ? hasLeft : stored.undelivered.has(write.id);
      if (!isCandidate || !(await claimed(write, found, writes))) continue;
      return found ? ownEarlier(found, own) : foreignEarlier(write, others, own.deliveries);
    }
    const found = own.findUndelivered(call, stored);
    if (found) return ownEarlier(found, own);
    if (!equal.some((write) => writes.isAwaitedElsewhere(write))) return undefined;
    const end = await host.pause(POLL_MS);
    if (end) throw end === 'cancelled' ? cancelledBeforeSending() : notSettledInTime(call);
  }
}

/** Another call must not ask for an own write while the store is asked. */
async function claimed(
  write: StoredWrite,
  own: OwnWrite | undefined,
  writes: SharedWrites,
): Promise<boolean> {
  if (!own) return writes.claim(write);
  const { undeliveredSince } = own;
  own.undeliveredSince = undefined;
  let isClaimed = false;
  try {
    isClaimed = await writes.claim(write);
    return isClaimed;
  } finally {
    if (!isClaimed) own.undeliveredSince = undeliveredSince;
  }
}

function ownEarlier(write: OwnWrite, own: OwnWrites): EarlierWrite {
  write.undeliveredSince = undefined;
  const { call, calledAt, stored } = write;
  return {
    call,
    calledAt,
    settled: () => write.settled,
    searchAgain: () => write.searchAgain,
    hostLeft: () => own.hostLeft(write),
    answer: (host) => own.answer(write, host),
    dropped: async () => {
      own.delete(write);
      await stored?.writes.remove(stored.id);
    },
  };
}

/** A write that another process carries out, or carried out before it ended. */
function foreignEarlier(
  write: StoredWrite,
  { writes, adoption }: OtherWrites,
  deliveries: Deliveries,
): EarlierWrite {
  const { id, call, calledAt } = write;
  return {
    call,
    calledAt,
    settled: async (signal) => {
      const found = await writes.waitUntilSettled(id, signal, () => adoption.adopt());
      return found && settlementOf(found);
    },
    searchAgain: () => (write.isTogether ? undefined : () => adoption.searchAgain(write)),
    hostLeft: async () => {
      await writes.hostLeft(id);
    },
    answer: (host) => {
      adoption.markReported(id);
      deliveries.follow(host, (isDelivered) =>
        isDelivered ? writes.deliveredHere(id) : writes.hostLeft(id),
      );
    },
    dropped: async () => {
      await writes.deliveredHere(id);
    },
  };
}

/** Undefined if it is proven that the earlier call wrote nothing. */
export async function waitForEarlier(
  earlier: EarlierWrite,
  host: WaitingHost,
): Promise<EarlierOutcome | undefined> {
  const ending = new AbortController();
  try {
    const settling = earlier.settled(ending.signal);
    const end = await host.waitFor(settling).catch((error: unknown) => stopFailed(earlier, error));
    if (end) throw await stopWaiting(earlier, end);
    const settlement = (await settling) ?? { error: lost(earlier.call), at: 0 };
    const { error, at: settledAt } = settlement;
    if (error instanceof BudgetError && error.code === 'partly_written') {
      earlier.answer(host);
      throw earlierPartlyWritten(earlier.call, error);
    }
    const isUnknown = stateOf(settlement) === 'unknown';
    const outcome = settlement.outcome ?? (isUnknown ? await searchAgain(earlier, error, host) : undefined);
    if (outcome) earlier.answer(host);
    else await earlier.dropped();
    return outcome && { earlier: outcome, calledAt: earlier.calledAt, settledAt };
  } finally {
    ending.abort();
  }
}

/** `error` is the one with which the write ended. It stands if the write cannot be searched for. */
async function searchAgain(
  earlier: EarlierWrite,
  error: unknown,
  host: WaitingHost,
): Promise<AnyWriteResult | undefined> {
  const search = (earlier.searchAgain()?.() ?? Promise.reject(error)).then(
    (data) => ({ data }),
    (error: unknown) => ({ error }),
  );
  const end = await host.waitFor(search);
  if (end) throw await stopWaiting(earlier, end);
  const result = await search;
  if ('error' in result) return stopFailed(earlier, result.error);
  return result.data && { data: result.data, outcome: 'confirmed_afterwards' };
}

async function stopWaiting(earlier: EarlierWrite, reason: 'timed_out' | 'cancelled'): Promise<BudgetError> {
  await earlier.hostLeft();
  return reason === 'cancelled' ? cancelledAfterSending(earlier.call) : notSettledInTime(earlier.call);
}

/** It cannot be found out what has become of it. The next equal call may wait for it. */
async function stopFailed(earlier: EarlierWrite, error: unknown): Promise<never> {
  await earlier.hostLeft();
  throw error instanceof BudgetError ? earlierUnknown(earlier.call, error) : error;
}

const lost = ({ title }: WriteCall) =>
  new BudgetError('outcome_unknown', `${title}: this server has lost what it knew about the earlier call.`);
