/** A shared store that lists what is asked of it. */
import type { SharedStore } from '../src/store/shared-store.ts';

/** Each call of the store that takes a request where it is not in memory, with what called it. The release of a lock is one too. */
export interface CountedStore {
  readonly store: SharedStore;
  /** Such as `read budget 1 < #freshness session/budget-call.ts:355`. The caller is the innermost one outside of `store/`. */
  readonly accesses: string[];
}

const requests = new Set<PropertyKey>([
  'read',
  'update',
  'append',
  'entries',
  'trim',
  'lock',
  'isRunning',
  'look',
]);

export function counted(store: SharedStore): CountedStore {
  const accesses: string[] = [];
  const note = (method: string, subject: unknown) => {
    accesses.push(
      `${method} ${typeof subject === 'string' ? subject : JSON.stringify(subject)} < ${caller()}`,
    );
  };
  const counting = new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      if (property === 'lock')
        return async (...args: unknown[]) => {
          note('lock', args[0]);
          const release = await method(...args);
          if (typeof release !== 'function') return release;
          return () => {
            note('release', args[0]);
            return release();
          };
        };
      if (!requests.has(property)) return method;
      return (...args: unknown[]) => {
        note(String(property), args[0]);
        return method(...args);
      };
    },
  });
  return { store: counting, accesses };
}

function caller(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack = '' } = new Error('for its stack');
  Error.stackTraceLimit = limit;
  const frames = [...stack.matchAll(/at (?:async )?(?:(\S+) \()?\S*\/src\/(\S+\.ts:\d+)/g)];
  const [, name = '', place = ''] = frames.find(([, , file = '']) => !file.startsWith('store/')) ?? [];
  return `${name} ${place}`;
}
