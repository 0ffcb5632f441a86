/**
 * Snapshots of whole budgets in the store, in parts.
 *
 * A list names every snapshot before its first part is written, so that what a killed process has left is removed with the next
 * snapshot of that budget. The record of the last read is replaced before the old one is removed: other processes see either the
 * old snapshot or the new one. If two processes write one at the same time, the last may be incomplete, and the budget is loaded
 * from the service.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { yieldTurn } from '../../base/clock.ts';
import { budgetExport } from '../../base/schema/budget.ts';
import { fastParse } from '../../base/schema/fast-validate.ts';
import type { Export } from '../../model/replica/entities.ts';
import { exportOfParts, sharingTexts } from '../../model/replica/join.ts';
import { SharedRecord, type SharedStore } from '../../store/shared-store.ts';

/** Undefined if the value is not exactly an export, because another version of the program has written it. */
export function parseExport(value: unknown): Export | undefined {
  const data = fastParse(budgetExport, value)?.data;
  return data === value ? data : undefined;
}

const list = z.array(z.object({ id: z.string(), budgetId: z.string() }));

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

  /** Writes a snapshot, and returns the ids of those that it replaces, which the caller removes when nothing refers to them. */
  async write(budgetId: string, parts: Iterable<Export>) {
    const own = { id: randomUUID(), budgetId };
    await this.#list.update((all) => ({ value: [...all, own], result: undefined }));
    let count = 0;
    for (const part of parts) {
      await this.#store.append(partsOf(own.id), part);
      count += 1;
      await yieldTurn();
    }
    await this.#store.append(partsOf(own.id), { parts: count } satisfies z.output<typeof end>);
    const replaced = await this.#list.update((all) => {
      const others = all.filter((each) => each.budgetId !== budgetId).slice(1 - MAX_SNAPSHOTS);
      const removed = all.filter((each) => each.id !== own.id && !others.includes(each));
      return { value: [...others, own], result: removed.map(({ id }) => id) };
    });
    return { id: own.id, replaced };
  }

  /** Undefined if not all of it is there, or not as this version of the program writes it. */
  async read(id: string): Promise<Export | undefined> {
    const parts: Export[] = [];
    const share = sharingTexts();
    for await (const { value } of this.#store.entries(partsOf(id))) {
      const { data: ending } = end.safeParse(value);
      if (ending) return ending.parts === parts.length ? exportOfParts(parts) : undefined;
      const part = parseExport(value);
      if (!part) return undefined;
      const { budget } = part;
      parts.push({ ...part, budget: { ...budget, transactions: budget.transactions.map(share) } });
      await yieldTurn();
    }
    return undefined;
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#store.trim(partsOf(id));
  }
}

const partsOf = (id: string) => `parts of ${id}`;
