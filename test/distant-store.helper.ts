/** A shared store that is some milliseconds away, like one on another machine. */
import { setTimeout } from 'node:timers/promises';
import type { SharedStore } from '../src/store/shared-store.ts';

/** Every method that returns a promise takes so many milliseconds longer. What is known without asking is not delayed. */
export const distant = (store: SharedStore, milliseconds: number): SharedStore =>
  new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const wait = () => setTimeout(milliseconds);
        const apply = (): unknown => Reflect.apply(value, target, args);
        return property === 'entries' ? later(wait, apply) : wait().then(apply);
      };
    },
  });

async function* later(wait: () => Promise<void>, entries: () => unknown): AsyncIterable<unknown> {
  await wait();
  const list = entries();
  if (isIterable(list)) yield* list;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
