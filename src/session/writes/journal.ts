/**
 * What the processes of a sign-in have written, so that it can be listed and taken back. An entry is one call of a tool,
 * with a step for each operation that it carried out.
 *
 * The journal is a log, because a record would be written as a whole for each step. A step has a number within its entry.
 * A step that is added again replaces the first one, so that the successor of a process that has ended may repeat the last
 * step without knowing whether it is there. Older lines are removed when there are too many.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { LaterChanges } from '../../store/later-changes.ts';
import type { NewEntry, SharedStore } from '../../store/shared-store.ts';
import type { StateStatus } from '../../store/shared-stores.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import type { PendingWrite, SentStep } from './pending-write.ts';

const row = z.record(z.string(), z.unknown());

const journalStep = z.object({
  operation: z.string(),
  /** The arguments, with amounts in milliunits. */
  input: row,
  /** What it changed or removed, as it was just before. Undefined if that is not known. */
  before: z.array(row).readonly().optional(),
  /** The `server_knowledge` of the cached budget that `before` comes from. */
  knowledgeBefore: z.number().optional(),
  data: row,
  /** What it has written, as it was just after. Undefined if the response shows all of it, or if it could not be read. */
  after: z.array(row).readonly().optional(),
});

const journalHead = z.object({
  /** Unique among all processes of a person. */
  id: z.string(),
  /** When the call began, in milliseconds since the epoch. */
  at: z.number(),
  caller: z.string(),
  tool: z.string(),
  budgetId: z.string(),
  takesBack: z.string().optional(),
});

const journalLine = z.union([
  z.object({ head: journalHead, number: z.int(), step: journalStep, process: z.string() }),
  z.object({ id: z.string(), number: z.int(), after: z.array(row).readonly() }),
  z.object({ id: z.string(), takenBackBy: z.string() }),
  z.object({ head: journalHead, plan: row, process: z.string() }),
]);

type JournalLine = z.output<typeof journalLine>;

export type JournalStep = Readonly<z.output<typeof journalStep>>;
export type JournalHead = Readonly<z.output<typeof journalHead>>;

export const journalHeadOf = ({ id, call, calledAt, takesBack, continues }: PendingWrite): JournalHead => ({
  id: continues ?? id,
  at: calledAt,
  caller: call.caller,
  tool: call.tool,
  budgetId: call.budgetId,
  ...(takesBack !== undefined && { takesBack }),
});

export const journalStepOf = (
  { operation, input, stateBefore, knowledgeBefore }: SentStep,
  data: JournalStep['data'],
): JournalStep => ({
  operation,
  input,
  ...(stateBefore && { before: stateBefore }),
  ...(knowledgeBefore !== undefined && { knowledgeBefore }),
  data,
});

export interface JournalEntry extends JournalHead {
  /** Whether this server has written it, and not another one of the sign-in. */
  readonly isOwn: boolean;
  readonly steps: readonly JournalStep[];
  readonly takenBackBy?: string | undefined;
  /** What all steps are to do, where the tool has kept that. */
  readonly plan?: JsonObject | undefined;
}

export const newJournalId = (): string => randomBytes(4).toString('hex');

/** Entries and rows that are kept. A write of a thousand transactions has as many rows. */
const MAX_ENTRIES = 500;
const MAX_ROWS = 20_000;
/** After how many lines of this process the oldest ones are removed. */
const LINES_BETWEEN_TRIMS = 50;

const MAX_OWN_LINES = 50;

const LOG = 'journal';

interface Entry {
  readonly head: JournalHead;
  /** The process that has begun it, or the last one that has gone on with it. */
  process: string;
  readonly steps: Map<number, JournalStep>;
  /** The numbers of its first and of its last step in the log. */
  readonly firstLine: number;
  lastLine: number;
  takenBackBy?: string;
  plan?: JsonObject;
}

export class WriteJournal {
  readonly #store: SharedStore;
  readonly #later: LaterChanges;
  #linesUntilTrim = 1;
  readonly #status: () => StateStatus;
  readonly #isOneServer: boolean;
  /** The last lines of this process before a failure of the state: the store, which goes on in memory, lacks them. */
  #ownLines: readonly JournalLine[] = [];

  /** `isOneServer`: all processes with the store answer the same callers, such as the machines of a hosted server. */
  constructor(store: SharedStore, later: LaterChanges, status: () => StateStatus, isOneServer = false) {
    this.#store = store;
    this.#later = later;
    this.#status = status;
    this.#isOneServer = isOneServer;
  }

  /** The line that adds a step to an entry, and the entry with its first step. The caller stores it with the change of the pending write. */
  stepLine(head: JournalHead, number: number, step: JournalStep): NewEntry {
    return this.#lineOf({ head, number, step, process: this.#store.processId });
  }

  afterLine(id: string, number: number, after: readonly JsonObject[]): NewEntry {
    return this.#lineOf({ id, number, after });
  }

  /** Keeps what all steps of an entry are to do, so that an equal call can go on. Replaces what was kept before. */
  keepPlan(head: JournalHead, plan: JsonObject): Promise<void> {
    return this.#add({ head, plan, process: this.#store.processId });
  }

  markTakenBack(id: string, by: string): Promise<void> {
    return this.#add({ id, takenBackBy: by });
  }

  /** The steps of an entry by their numbers. Throws `outcome_unknown` if the store failed. */
  async steps(id: string): Promise<ReadonlyMap<number, JournalStep>> {
    const { entries, isComplete } = await this.#entries();
    if (!isComplete) throw new BudgetError('outcome_unknown', 'The journal of its writes cannot be read.');
    return entries.get(id)?.steps ?? new Map();
  }

  /** Newest first, by default those of all callers and budgets. */
  async list(wanted: Partial<Pick<JournalHead, 'caller' | 'budgetId'>>): Promise<readonly JournalEntry[]> {
    const { caller, budgetId } = wanted;
    const { entries } = await this.#entries();
    const kept = newest([...entries.values()]);
    return kept
      .filter(
        ({ head, steps }) =>
          steps.size > 0 &&
          (budgetId === undefined || head.budgetId === budgetId) &&
          (caller === undefined || head.caller === caller),
      )
      .map(({ head, process, steps, takenBackBy, plan }) => ({
        ...head,
        isOwn: this.#isOneServer || process === this.#store.processId,
        steps: [...steps].toSorted(([a], [b]) => a - b).map(([, step]) => step),
        ...(takenBackBy !== undefined && { takenBackBy }),
        ...(plan && { plan }),
      }))
      .toReversed();
  }

  #add(line: JournalLine): Promise<void> {
    const { log, value } = this.#lineOf(line);
    return this.#later.make(() => this.#store.append(log, value));
  }

  #lineOf(line: JournalLine): NewEntry {
    if (!this.#status().hasFailed) this.#ownLines = [...this.#ownLines, line].slice(-MAX_OWN_LINES);
    this.#linesUntilTrim -= 1;
    return { log: LOG, value: line };
  }

  /** Removes the oldest lines if this process has added many, or its first one, since most processes write few. */
  async trim(): Promise<void> {
    if (this.#linesUntilTrim > 0) return;
    this.#linesUntilTrim = LINES_BETWEEN_TRIMS;
    const { entries } = await this.#entries();
    const [first] = newest([...entries.values()]);
    if (!first) return;
    const removed = [...entries.values()].filter(({ firstLine }) => firstLine < first.firstLine);
    // An entry is removed as a whole, or not at all.
    const split = removed.find(({ lastLine }) => lastLine > first.firstLine);
    if (removed.length > 0) await this.#store.trim(LOG, (split ?? first).firstLine - 1);
  }

  /** In the order of their first step. */
  async #entries(): Promise<{ readonly entries: Map<string, Entry>; readonly isComplete: boolean }> {
    const lines: { readonly line: JournalLine; readonly number: number }[] = [];
    let isComplete = true;
    try {
      for await (const { number, value } of this.#store.entries(LOG)) {
        const { success, data: line } = journalLine.safeParse(value);
        if (success) lines.push({ line, number });
      }
    } catch (error) {
      ignoreStoreError(error);
      // The oldest lines alone would be taken for the newest.
      lines.length = 0;
      isComplete = false;
    }
    if (this.#status().hasFailed) {
      lines.unshift(...this.#ownLines.map((line) => ({ line, number: 0 })));
      isComplete = false;
    }
    const entries = new Map<string, Entry>();
    for (const { line, number } of lines) addLine(entries, line, number);
    return { entries, isComplete };
  }
}

/** A line that is there already changes nothing. */
function addLine(entries: Map<string, Entry>, line: JournalLine, lineNumber: number): void {
  if ('head' in line) {
    const { head, process } = line;
    const entry: Entry = entries.get(head.id) ?? {
      head,
      process,
      steps: new Map(),
      firstLine: lineNumber,
      lastLine: lineNumber,
    };
    entries.set(head.id, entry);
    if ('plan' in line) {
      entry.plan = line.plan;
      entry.process = process;
      return;
    }
    const { number, step } = line;
    entry.lastLine = entry.steps.has(number) ? entry.lastLine : lineNumber;
    const after = step.after ?? entry.steps.get(number)?.after;
    entry.steps.set(number, after === undefined ? step : { ...step, after });
    return;
  }
  const entry = entries.get(line.id);
  if (entry && 'takenBackBy' in line) entry.takenBackBy = line.takenBackBy;
  else if (entry && 'after' in line) {
    const step = entry.steps.get(line.number);
    if (step) entry.steps.set(line.number, { ...step, after: line.after });
  }
}

/** The newest entries that are kept, in their order. */
function newest(entries: readonly Entry[]): Entry[] {
  let rows = entries.reduce((sum, entry) => sum + rowsIn(entry), 0);
  let first = 0;
  for (const entry of entries) {
    if (entries.length - first <= MAX_ENTRIES && rows <= MAX_ROWS) break;
    rows -= rowsIn(entry);
    first += 1;
  }
  return entries.slice(first);
}

const rowsIn = ({ steps }: Entry): number =>
  [...steps.values()].reduce((sum, { before = [], after = [] }) => sum + 1 + before.length + after.length, 0);
