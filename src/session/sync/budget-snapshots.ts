/**
 * Snapshots of whole budgets in the store, in parts.
 *
 * A list names every snapshot before its first part is written, so that what a killed process has left is found and removed.
 * A snapshot is written while the lock of the budget is kept, and the record of the last read is replaced last: other processes
 * see either the old snapshot or the new one.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { yieldTurn } from '../../base/clock.ts';
import type { Export } from '../../model/replica/entities.ts';
import { exportOfParts } from '../../model/replica/join.ts';
import { getBudget } from '../../operations/budgets.ts';
import { SharedRecord, type SharedStore } from '../../store/shared-store.ts';
import { fastParse } from '../http/fast-validate.ts';

/** Undefined if the value is not an export, because another version of the program has written it. */
export const parseExport = (value: unknown): Export | undefined => fastParse(getBudget.output, value)?.data;

const snapshot = z.object({
  id: z.string(),
  budgetId: z.string(),
  /** The id of the process. */
  writtenBy: z.string(),
  isComplete: z.boolean(),
});

export type Snapshot = z.output<typeof snapshot>;

const list = z.array(snapshot);

/** Follows the last part. Another process may remove parts while this one still reads or writes others. */
const end = z.object({ parts: z.int() });

/** The oldest ones of more budgets are replaced. */
const MAX_SNAPSHOTS = 12;

export class BudgetSnapshots {
  readonly #store: SharedStore;
  readonly #list: SharedRecord<typeof list>;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#list = new SharedRecord(store, 'snapshots', list, []);
  }

  /** Writes a snapshot, and returns those that it replaces, which the caller removes when nothing refers to them. */
  async write(
    budgetId: string,
    parts: Iterable<Export>,
  ): Promise<{ readonly id: string; readonly replaced: readonly Snapshot[] }> {
    const own = { id: randomUUID(), budgetId, writtenBy: this.#store.processId, isComplete: false };
    const abandoned = await this.#abandoned();
    await this.#list.update((all) => ({ value: [...all, own], result: undefined }));
    let count = 0;
    for (const part of parts) {
      await this.#store.append(partsOf(own.id), part);
      count += 1;
      await yieldTurn();
    }
    await this.#store.append(partsOf(own.id), { parts: count } satisfies z.output<typeof end>);
    const replaced = await this.#list.update((all) => {
      // What another process is still writing stays: it will replace this one.
      const isReplaced = (each: Snapshot) =>
        each.id === own.id || abandoned.has(each.id) || (each.budgetId === budgetId && each.isComplete);
      const others = all.filter((each) => !isReplaced(each));
      const kept = [...others.slice(1 - MAX_SNAPSHOTS), { ...own, isComplete: true }];
      const keptIds = new Set(kept.map(({ id }) => id));
      return { value: kept, result: all.filter(({ id }) => !keptIds.has(id)) };
    });
    return { id: own.id, replaced };
  }

  /** Undefined if not all of it is there, or not as this version of the program writes it. */
  async read(id: string): Promise<Export | undefined> {
    const parts: Export[] = [];
    for await (const { value } of this.#store.entries(partsOf(id))) {
      const { data: ending } = end.safeParse(value);
      if (ending) return ending.parts === parts.length ? exportOfParts(parts) : undefined;
      const part = parseExport(value);
      if (!part) return undefined;
      parts.push(part);
      await yieldTurn();
    }
    return undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#store.trim(partsOf(id));
  }

  /** Those that a process had not completed when it ended, and those that this one does not complete. */
  async #abandoned(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const { id, writtenBy, isComplete } of await this.#list.read())
      if (!isComplete && !(await this.#store.isRunning(writtenBy))) ids.add(id);
    return ids;
  }
}

const partsOf = (id: string) => `parts of ${id}`;
