/**
 * A write of a host's call, from its plan until a host has its outcome: one record, and one pure function that changes it.
 * docs/pending-writes.md has a line for each change, with what a kill after it leaves. It knows no store and no budget.
 */
import { z } from 'zod';
import { certainAgeAt, type Moment } from '../../base/clock.ts';
import { BudgetError, type ErrorCode, errorTable } from '../../base/errors.ts';
import { storedMoment } from '../../base/schema/stored-moment.ts';
import type { WriteResult } from '../call-result.ts';
import { keyOf, type WriteCall, writeCall } from './write-call.ts';

/**
 * `planned`: nothing was sent. `sent`: it was written down, so it may have been sent. `lost`: there is no response, or its process has
 * ended, and it is looked for. `answered`: only the delta after it is still read. `settled`: its end is known. `delivered`: no equal
 * call has to wait for it, because a host has the outcome, or because it wrote nothing.
 */
export const STATES = ['planned', 'sent', 'lost', 'answered', 'settled', 'delivered'] as const;

/** How long an outcome is kept after the last host stopped waiting. */
export const MAX_UNDELIVERED_MS = 10 * 60_000;

const json = z.record(z.string(), z.unknown());
const errorCode = z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(errorTable, code));

/** One request of a write, with everything that the search for it needs. */
const step = z.object({
  number: z.int(),
  operation: z.string(),
  input: json,
  /** When it was written down, just before it was sent. */
  sentAt: storedMoment,
  /** The state of the budget just before, where the search starts. */
  before: z.object({ ids: z.array(z.string()), server_knowledge: z.number() }),
  /** The entities that it changes or removes, as they were just before, for the journal. */
  stateBefore: z.array(json).readonly().optional(),
  knowledgeBefore: z.number().optional(),
});

/** How a write ended: an outcome if it was carried out, or else an error. */
const result = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  outcome: z
    .object({
      data: json,
      outcome: z.enum(['written', 'confirmed_afterwards']),
      possibleDuplicates: z.array(z.string()).readonly().optional(),
      reconciled: z
        .array(z.object({ account_id: z.string(), amount: z.number() }))
        .readonly()
        .optional(),
    })
    .optional(),
  error: z.object({ code: errorCode, message: z.string() }).optional(),
});

const pendingWrite = z.object({
  /** The id of its entry in the journal too, unless `continues` is there. */
  id: z.string(),
  call: writeCall.readonly(),
  /** Milliseconds since the epoch. */
  calledAt: z.number(),
  /** The id of the journal entry that it takes back. */
  takesBack: z.string().optional(),
  /** The id of the entry in the journal, if it goes on with that of an earlier call. */
  continues: z.string().optional(),
  /** Whether it may have several steps. */
  isTogether: z.boolean(),
  state: z.enum(STATES),
  /** The process that carries it out, or that looks for it after the end of that process. */
  owner: z.string(),
  /** Whether the process that has sent it ended before the outcome was delivered. */
  isAdopted: z.boolean(),
  /** The process whose host waits for the outcome. Undefined if no host waits. */
  awaitedBy: z.string().optional(),
  /** The last step that may have been sent. */
  step: step.optional(),
  result: result.optional(),
  /** When the last host stopped waiting, or when the write was adopted. */
  undeliveredSince: storedMoment.optional(),
  deliveredBy: z.string().optional(),
});

/** A write of which a request may have been sent. Only such writes are stored. */
export const sentWrite = pendingWrite.extend({ step });

export type SentStep = Readonly<z.output<typeof step>>;
export type WriteEnd = Readonly<z.output<typeof result>>;
export type PendingWrite = Readonly<z.output<typeof pendingWrite>>;
export type SentWrite = Readonly<z.output<typeof sentWrite>>;

export type Action =
  | { readonly type: 'send'; readonly step: SentStep }
  | { readonly type: 'lose' | 'answer' }
  | { readonly type: 'settle'; readonly result: WriteEnd }
  | { readonly type: 'claim' | 'leave' | 'deliver'; readonly process: string }
  | { readonly type: 'adopt'; readonly process: string; readonly ended: ReadonlySet<string> };

/** The write after an action. An action that is not possible in its state changes nothing, so that it can be repeated. */
export function dispatch<Write extends PendingWrite>(write: Write, action: Action, now: Moment): Write {
  const { state, awaitedBy } = write;
  switch (action.type) {
    case 'send':
      return canSend(write, action.step) ? { ...write, state: 'sent', step: action.step } : write;
    case 'lose':
      return state === 'sent' ? { ...write, state: 'lost' } : write;
    case 'answer':
      return state === 'sent' || state === 'lost' ? { ...write, state: 'answered' } : write;
    case 'settle':
      return isSettled(write) ? write : { ...write, state: 'settled', result: action.result };
    case 'claim':
      return isUndelivered(write)
        ? { ...write, awaitedBy: action.process, undeliveredSince: undefined }
        : write;
    case 'leave':
      return awaitedBy === action.process && state !== 'planned' && state !== 'delivered'
        ? { ...write, awaitedBy: undefined, undeliveredSince: now }
        : write;
    case 'deliver':
      return state === 'settled'
        ? {
            ...write,
            state: 'delivered',
            awaitedBy: undefined,
            undeliveredSince: now,
            deliveredBy: action.process,
          }
        : write;
    case 'adopt':
      return adopted(write, action.process, action.ended, now);
  }
}

/** A step is sent once, and again only if the service has refused that request because of its token. */
function canSend({ state, step: last, isTogether }: PendingWrite, { number }: SentStep): boolean {
  if (state === 'planned') return true;
  if (state === 'sent' && last?.number === number) return true;
  return isTogether && state !== 'settled' && state !== 'delivered' && number > (last?.number ?? 0);
}

function adopted<Write extends PendingWrite>(
  write: Write,
  process: string,
  ended: ReadonlySet<string>,
  now: Moment,
): Write {
  const { owner, awaitedBy, state } = write;
  if (!isLeftByEnded(write, ended)) return write;
  const hasOwnerEnded = ended.has(owner);
  return {
    ...write,
    ...(hasOwnerEnded && { owner: process, isAdopted: true, state: state === 'settled' ? state : 'lost' }),
    ...((awaitedBy === undefined || ended.has(awaitedBy)) && { awaitedBy: undefined, undeliveredSince: now }),
  };
}

/** Whether a process that has ended carried the write out, or had the host that waited for it. */
export const isLeftByEnded = (
  { owner, awaitedBy, state }: PendingWrite,
  ended: ReadonlySet<string>,
): boolean =>
  state !== 'planned' &&
  state !== 'delivered' &&
  (ended.has(owner) || (awaitedBy !== undefined && ended.has(awaitedBy)));

export const isSettled = ({ state }: PendingWrite): boolean => state === 'settled' || state === 'delivered';

/** Whether an equal call has to wait for it: it may have been sent, and no host has its outcome or waits for it. */
export const isUndelivered = ({ state, awaitedBy }: PendingWrite): boolean =>
  state !== 'planned' && state !== 'delivered' && awaitedBy === undefined;

export const isEqual = ({ call }: PendingWrite, other: WriteCall): boolean => keyOf(call) === keyOf(other);

/** Whether the record is not needed any more. Uses the monotonic clock, because setting the wall clock must not make an equal call write twice. */
export function isExpired(write: PendingWrite, now: Moment): boolean {
  const { owner, deliveredBy, awaitedBy, undeliveredSince } = write;
  // Its owner has to learn of a delivery by another process.
  if (deliveredBy === owner) return true;
  return (
    isSettled(write) &&
    awaitedBy === undefined &&
    undeliveredSince !== undefined &&
    certainAgeAt(now, undeliveredSince) > MAX_UNDELIVERED_MS
  );
}

export const endWithOutcome = (
  { data, outcome, possibleDuplicates, reconciled }: WriteResult,
  at: number,
): WriteEnd => ({ at, outcome: { data, outcome, possibleDuplicates, reconciled } });

/** An error that is a bug leaves it unknown whether the write was carried out. */
export const endWithError = (error: unknown, at: number): WriteEnd => ({
  at,
  error:
    error instanceof BudgetError
      ? { code: error.code, message: error.message }
      : { code: 'outcome_unknown', message: 'The server had an internal error.' },
});

export const errorOf = ({ error }: WriteEnd): BudgetError | undefined =>
  error && new BudgetError(error.code, error.message);

export interface WriteStatus {
  readonly tool: string;
  readonly budget_id: string;
  /** Milliseconds since the epoch. */
  readonly called_at: number;
  readonly state: ReturnType<typeof stateOf>;
  /** Present if the process that has sent it ended before the outcome was delivered. */
  readonly earlier_run?: true;
}

export const statusOf = (write: PendingWrite): WriteStatus => ({
  tool: write.call.tool,
  budget_id: write.call.budgetId,
  called_at: write.calledAt,
  state: stateOf(write),
  ...(write.isAdopted && { earlier_run: true }),
});

export function stateOf({ state, result }: Pick<PendingWrite, 'state' | 'result'>) {
  if (state === 'planned') return 'waiting';
  if (state === 'lost') return 'being_looked_for';
  if (!result) return 'sent';
  if (result.outcome) return 'written';
  const { code } = result.error ?? {};
  if (code === 'partly_written') return 'partly_written';
  return code === 'outcome_unknown' ? 'unknown' : 'not_written';
}
