/**
 * The steps that undo the current commit. Every change to the state adds one. A commit that succeeds clears them.
 */
export class UndoLog {
  #undoSteps: (() => void)[] = [];

  /** Sets a key of a map, or deletes it where `value` is undefined. */
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
    const before = map.get(key);
    setOrDelete(map, key, value);
    this.#undoSteps.push(() => setOrDelete(map, key, before));
  }

  /** Adds a step that undoes the last change. */
  record(undo: () => void): void {
    this.#undoSteps.push(undo);
  }

  clear(): void {
    this.#undoSteps = [];
  }

  /** Undoes all steps, the last one first. */
  rollBack(): void {
    for (const undo of this.#undoSteps.reverse()) undo();
    this.clear();
  }
}

function setOrDelete<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
