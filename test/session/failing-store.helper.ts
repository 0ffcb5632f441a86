/** Stores that a test makes fail, as Redis or a disk does. */
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Change, StoredValue } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';

export class FailingStore extends MemoryStore {
  fails = false;
  /** The next change is done, but its answer is lost. */
  losesAnswer = false;

  override read(name: string): Promise<unknown> {
    return this.fails ? failed() : super.read(name);
  }

  override async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    if (this.fails) return failed();
    const result = await super.update(name, change);
    if (!this.losesAnswer) return result;
    this.losesAnswer = false;
    return failed();
  }

  override append(log: string, value: StoredValue): Promise<number> {
    return this.fails ? failed() : super.append(log, value);
  }
}

/** Like a state whose file system is full: it can be read only. */
export class FullStore extends MemoryStore {
  isFull = false;

  override update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    return this.isFull ? Promise.reject(new StoreError('full')) : super.update(name, change);
  }
}

const failed = (): Promise<never> => Promise.reject(new StoreError('not answering'));
