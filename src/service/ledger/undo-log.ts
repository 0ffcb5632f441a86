/**
 * How to undo what the commit of the moment has done so far. Whatever changes the books writes here how to take it
 * back; a commit that ends forgets it.
 */
export class UndoLog {
  #undo: (() => void)[] = [];

  /** Sets a key of a map, or deletes it where `value` is undefined. */
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
    const before = map.get(key);
    place(map, key, value);
    this.#undo.push(() => place(map, key, before));
  }

  /** Notes how to undo what was just done. */
  note(undo: () => void): void {
    this.#undo.push(undo);
  }

  forget(): void {
    this.#undo = [];
  }

  /** Undoes everything, the last thing first. */
  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.forget();
  }
}

function place<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
