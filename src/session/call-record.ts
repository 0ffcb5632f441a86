/** A record of a feature, which all processes of a sign-in share. Only its feature knows what is in it. */
import type { z } from 'zod';
import { ageOf, type Clock, type Moment, momentOf, recordedMoment } from '../base/clock.ts';
import { SharedRecord, type SharedStore, type StoredValue } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';

export class CallRecord<Schema extends z.ZodType<StoredValue>> {
  readonly #clock: Clock;
  readonly #record: SharedRecord<Schema>;

  constructor(store: SharedStore, clock: Clock, name: string, schema: Schema, initial: z.output<Schema>) {
    this.#clock = clock;
    this.#record = new SharedRecord(store, name, schema, initial);
  }

  read(): Promise<z.output<Schema>> {
    return this.#record.read();
  }

  /** `change` must be a pure function. If the store fails, nothing changes. */
  async update(change: (value: z.output<Schema>, now: Moment) => z.output<Schema>): Promise<void> {
    const updating = this.#record.update((value, now) => ({ value: change(value, now), result: undefined }));
    await updating.catch(ignoreStoreError);
  }

  /** In milliseconds, of a moment that any process has recorded. */
  ageOf(recorded: Moment): number {
    return ageOf(this.#clock, recordedMoment(recorded, momentOf(this.#clock)));
  }
}
