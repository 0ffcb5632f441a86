/** A write under way as plain data, as the store keeps it for the other processes and for a successor. */
import { z } from 'zod';
import { BudgetError, type ErrorCode, errorTable } from '../errors.ts';
import { storedMoment } from '../state/stored-moment.ts';
import type { JournalHead, JournalStep } from './journal.ts';
import type { AnyWriteResult, Settlement, WriteState } from './settlement.ts';
import { stateOf } from './settlement.ts';

const json = z.record(z.string(), z.unknown());

/** A request that may have been sent, with everything that the search for it needs. */
export const storedStep = z.object({
  /** The number of the step within the write, from 1. */
  number: z.int(),
  operation: z.string(),
  input: json,
  /** Just before it was sent. */
  sentAt: storedMoment,
  /** The state of the budget just before, where the search starts. */
  before: z.object({ ids: z.array(z.string()), server_knowledge: z.number() }),
  /** What it changes or removes, as it was just before, for the journal. */
  stateBefore: z.array(json).readonly().optional(),
  knowledgeBefore: z.number().optional(),
});

const errorCode = z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(errorTable, code));

export const storedWrite = z.object({
  /** The id of its entry in the journal too, unless `continues` is there. */
  id: z.string(),
  /** The process that carries it out, or that looks for it after the end of that process. */
  owner: z.string(),
  /** The process whose host waits for the outcome. Undefined if no host waits. */
  host: z.string().optional(),
  /** Whether the process that has sent it ended before the outcome was delivered. */
  isAdopted: z.boolean(),
  call: z.object({
    caller: z.string(),
    tool: z.string(),
    title: z.string(),
    budgetId: z.string(),
    input: json,
  }),
  /** Milliseconds since the epoch. */
  calledAt: z.number(),
  takesBack: z.string().optional(),
  /** The id of the entry in the journal, if it goes on with that of an earlier call. */
  continues: z.string().optional(),
  /** Whether the write may have several steps. */
  isTogether: z.boolean(),
  state: z.enum(['sent', 'being_looked_for', 'written', 'partly_written', 'not_written', 'unknown']),
  /** The last step that may have been sent. If it was carried out, the journal has it. */
  step: storedStep,
  /** Present if the write was carried out. */
  outcome: z
    .object({
      data: json,
      outcome: z.enum(['written', 'confirmed_afterwards']),
      possibleDuplicates: z.array(z.string()).readonly().optional(),
    })
    .optional(),
  error: z.object({ code: errorCode, message: z.string() }).optional(),
  /** Milliseconds since the epoch. */
  settledAt: z.number().optional(),
  /** When the last host stopped waiting, or when the write was adopted. */
  undeliveredSince: storedMoment.optional(),
  /** Whether another process than the owner has delivered the outcome. */
  isDelivered: z.boolean(),
});

export type StoredStep = Readonly<z.output<typeof storedStep>>;
export type StoredWrite = Readonly<z.output<typeof storedWrite>>;

export const isUnderWay = ({ state }: Pick<StoredWrite, 'state'>): boolean =>
  state === 'sent' || state === 'being_looked_for';

export const headOf = ({ id, call, calledAt, takesBack, continues }: StoredWrite): JournalHead => ({
  id: continues ?? id,
  at: calledAt,
  caller: call.caller,
  tool: call.tool,
  budgetId: call.budgetId,
  ...(takesBack !== undefined && { takesBack }),
});

export const journalStepOf = (
  { operation, input, stateBefore, knowledgeBefore }: StoredStep,
  data: JournalStep['data'],
): JournalStep => ({
  operation,
  input,
  ...(stateBefore && { before: stateBefore }),
  ...(knowledgeBefore !== undefined && { knowledgeBefore }),
  data,
});

/** The fields of a write that is settled. */
export function settledFields(
  settlement: Settlement,
): Pick<StoredWrite, 'outcome' | 'error' | 'settledAt'> & { readonly state: Exclude<WriteState, 'waiting'> } {
  const { outcome, error, at } = settlement;
  return {
    state: stateOf(settlement),
    settledAt: at,
    ...(outcome
      ? { outcome: storedOutcome(outcome) }
      : {
          error:
            error instanceof BudgetError
              ? { code: error.code, message: error.message }
              : { code: 'outcome_unknown', message: 'The server had an internal error.' },
        }),
  };
}

const storedOutcome = ({ data, outcome, possibleDuplicates }: AnyWriteResult) => ({
  data,
  outcome,
  ...(possibleDuplicates && { possibleDuplicates }),
});

/** Undefined if the write is not settled. */
export function settlementOf({ outcome, error, settledAt: at }: StoredWrite): Settlement | undefined {
  if (at === undefined) return undefined;
  if (outcome) {
    const { data, possibleDuplicates } = outcome;
    return {
      outcome: { data, outcome: outcome.outcome, ...(possibleDuplicates && { possibleDuplicates }) },
      at,
    };
  }
  return { error: error && new BudgetError(error.code, error.message), at };
}
