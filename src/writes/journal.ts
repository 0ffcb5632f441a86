/**
 * What this server has written, so that it can be listed and taken back. An entry is one call of a tool, with a step for
 * each operation that it carried out. Entries are plain data, so that another journal can keep them on disk.
 */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../platform/json.ts';

/** One operation that was carried out. */
export interface JournalStep {
  /** The name of the operation. */
  readonly operation: string;
  /** The arguments, with amounts in milliunits. */
  readonly input: JsonObject;
  /** What it changed or removed, as it was just before. Undefined if that is not known. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The `server_knowledge` of the cached budget that `before` comes from. */
  readonly knowledgeBefore?: number | undefined;
  /** The response's `data`. */
  readonly data: JsonObject;
  /** What it has written, as it was just after. Undefined if the response shows all of it, or if it could not be read. */
  readonly after?: readonly JsonObject[] | undefined;
}

export interface JournalHead {
  /** Unique among all processes of a person. */
  readonly id: string;
  /** When the call began, in milliseconds since the epoch. */
  readonly at: number;
  /** Distinguishes the callers if the server has several. */
  readonly caller: string;
  readonly tool: string;
  readonly budgetId: string;
  /** The id of the entry that this write takes back. */
  readonly takesBack?: string | undefined;
}

export interface JournalEntry extends JournalHead {
  readonly steps: readonly JournalStep[];
  /** The id of the entry that has taken this one back. */
  readonly takenBackBy?: string | undefined;
}

/** The entries of one caller in one budget. */
export type JournalScope = Pick<JournalHead, 'caller' | 'budgetId'>;

export interface WriteJournal {
  /** Adds a step to an entry, and the entry with its first step. */
  append(head: JournalHead, step: JournalStep): Promise<void>;
  /** Notes that an entry has been taken back. */
  markTakenBack(id: string, by: string): Promise<void>;
  /** Newest first. */
  list(scope: JournalScope): Promise<readonly JournalEntry[]>;
}

const ID_BYTES = 4;

export const newJournalId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Entries and rows that are kept. A write of a thousand transactions has as many rows. */
const MAX_ENTRIES = 500;
const MAX_ROWS = 20_000;

/** Keeps the newest entries of all callers in memory. */
export class MemoryJournal implements WriteJournal {
  /** In the order of their first step. */
  readonly #entries = new Map<string, JournalEntry>();

  async append(head: JournalHead, step: JournalStep): Promise<void> {
    const entry = this.#entries.get(head.id);
    this.#entries.set(head.id, { ...(entry ?? head), steps: [...(entry?.steps ?? []), step] });
    this.#removeOldest();
  }

  async markTakenBack(id: string, by: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) this.#entries.set(id, { ...entry, takenBackBy: by });
  }

  async list({ caller, budgetId }: JournalScope): Promise<readonly JournalEntry[]> {
    return [...this.#entries.values()]
      .filter((entry) => entry.caller === caller && entry.budgetId === budgetId)
      .toReversed();
  }

  #removeOldest(): void {
    let rows = 0;
    for (const entry of this.#entries.values()) rows += rowsIn(entry);
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && rows <= MAX_ROWS) return;
      this.#entries.delete(id);
      rows -= rowsIn(entry);
    }
  }
}

const rowsIn = ({ steps }: JournalEntry): number =>
  steps.reduce((sum, { before = [], after = [] }) => sum + 1 + before.length + after.length, 0);
