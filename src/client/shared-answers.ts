/**
 * Responses of the service that the processes of a sign-in share, because no replica has them: the user, the list of budgets,
 * and what exports lack. Who reads one decides whether it is still right. The limit is in bytes of JSON, and the oldest
 * responses are removed.
 */
import { z } from 'zod';
import { type Clock, type Moment, momentOf, recordedMoment } from '../platform/clock.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import { storedMoment } from '../state/stored-moment.ts';

const answer = z.object({
  request: z.string(),
  data: z.unknown(),
  /** When it was requested. */
  asOf: storedMoment,
  /** The `server_knowledge` of its budget. */
  knowledge: z.number().optional(),
});

const answers = z.array(answer);

export type SharedAnswer = Omit<z.output<typeof answer>, 'request'>;

const MAX_BYTES = 512 * 1024;

export class SharedAnswers {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #record: SharedRecord<typeof answers>;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#record = new SharedRecord(store, 'answers', answers, []);
  }

  /** `request` is any text that is the same in every process. */
  async find(request: string): Promise<SharedAnswer | undefined> {
    if (!this.#store.isShared) return undefined;
    const all = await this.#record.read();
    const found = all.find((each) => each.request === request);
    return found && { ...found, asOf: recordedMoment(found.asOf, momentOf(this.#clock)) };
  }

  async set(request: string, shared: SharedAnswer): Promise<void> {
    if (!this.#store.isShared) return;
    const updating = this.#record.update((all) => {
      const others = all.filter((each) => each.request !== request);
      return { value: newestWithin([...others, { request, ...shared }], MAX_BYTES), result: undefined };
    });
    // What cannot be shared is only missed by others.
    await updating.catch(ignoreStoreError);
  }

  /** The response that another process has had, if it is usable, or that of `read`. */
  async findOrRead<Data extends object>(
    request: string,
    schema: z.ZodType<Data>,
    isUsable: (asOf: Moment) => boolean,
    read: () => Promise<{ readonly data: Data; readonly asOf: Moment }>,
  ): Promise<{ readonly data: Data; readonly asOf: Moment }> {
    const shared = await this.find(request);
    const parsed = shared && isUsable(shared.asOf) ? schema.safeParse(shared.data).data : undefined;
    if (shared && parsed) return { data: parsed, asOf: shared.asOf };
    const own = await read();
    await this.set(request, own);
    return own;
  }
}

/** The newest of them that have room in so many characters of JSON. One that is larger must not remove all others. */
export function newestWithin<Each>(all: readonly Each[], limit: number): Each[] {
  let length = 0;
  return all
    .toReversed()
    .filter((each) => {
      const size = JSON.stringify(each).length;
      if (length + size > limit) return false;
      length += size;
      return true;
    })
    .toReversed();
}
