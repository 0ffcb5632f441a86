/** How a bank's files of one kind are read for an account, as a person has chosen. It knows no formats. */
import { z } from 'zod';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';

/** What was asked, with its answer. */
const ways = z.record(z.string(), z.string());
const key = z.object({ budget: z.string(), account: z.string(), kind: z.string() });
const readings = z.array(key.extend({ ways }));

type Key = Readonly<z.output<typeof key>>;
type Ways = Readonly<z.output<typeof ways>>;

/** More than a person has accounts and banks. The oldest make room. */
const MAX_READINGS = 200;

export class StatementReadings {
  readonly #record: SharedRecord<typeof readings>;

  constructor(store: SharedStore) {
    this.#record = new SharedRecord(store, 'statement readings', readings, []);
  }

  /** In all budgets, for files of a kind. */
  async ofKind(kind: string): Promise<readonly Ways[]> {
    return (await this.#record.read()).flatMap((each) => (each.kind === kind ? [each.ways] : []));
  }

  async get(wanted: Key): Promise<Ways> {
    return (await this.#record.read()).find(isOf(wanted))?.ways ?? {};
  }

  /** Without `chosen`, what is remembered is removed. If the store fails, nothing changes. */
  async set({ budget, account, kind }: Key, chosen?: Ways): Promise<void> {
    const isOwn = isOf({ budget, account, kind });
    const updating = this.#record.update((all) => {
      const others = all.filter((each) => !isOwn(each));
      const after = { budget, account, kind, ways: { ...all.find(isOwn)?.ways, ...chosen } };
      return { value: [...others, ...(chosen ? [after] : [])].slice(-MAX_READINGS), result: undefined };
    });
    await updating.catch(ignoreStoreError);
  }
}

const isOf =
  ({ budget, account, kind }: Key) =>
  (each: Key) =>
    each.budget === budget && each.account === account && each.kind === kind;
