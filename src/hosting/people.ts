/**
 * The records of each person who has signed in: the key that seals their state, their settings, which client has written
 * what, and how much room their files take. It has no names and no amounts.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { confirmPolicies } from '../operations/consent.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import type { Grants } from './grants.ts';
import { KEY_BYTES } from './root-key.ts';

const personSettings = z.object({
  /** Undefined settings are those of the server. */
  timeZone: z.string().exactOptional(),
  /** Id or name of the default budget. */
  budget: z.string().exactOptional(),
  confirm: z.enum(confirmPolicies).exactOptional(),
});

export type PersonSettings = z.output<typeof personSettings>;

const person = z.object({ dataKey: z.base64(), settings: personSettings });

const auditEntry = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  client: z.string(),
  grant: z.string(),
  tool: z.string(),
  outcome: z.string(),
});

export type AuditEntry = z.output<typeof auditEntry>;

const rooms = z.array(
  z.object({
    grantId: z.string(),
    bytes: z.number(),
    /** Milliseconds since the epoch. */
    until: z.number(),
  }),
);

/** Older ones are not listed. */
const MAX_AUDIT_ENTRIES = 1_000;
/** A process removes the oldest entries at the first write of a person, and after each further hundred. */
const WRITES_BETWEEN_TRIMS = 100;

export class People {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  /** How many writes of each person this process has recorded. */
  readonly #recorded = new Map<string, number>();

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key of 32 bytes that seals everything of a person. It is created when it is first needed. */
  async dataKey(personId: string): Promise<Uint8Array> {
    return Buffer.from((await this.#person(personId)).dataKey, 'base64');
  }

  async settings(personId: string): Promise<PersonSettings> {
    return (await this.#record(personId).read())?.settings ?? {};
  }

  async changeSettings(personId: string, settings: PersonSettings): Promise<void> {
    const { dataKey } = await this.#person(personId);
    await this.#record(personId).update((known) => ({
      value: { dataKey: known?.dataKey ?? dataKey, settings },
      result: undefined,
    }));
  }

  /** Takes room for files of a grant. The room that it had before counts no more. Returns for how many bytes there is room. */
  takeRoom(
    personId: string,
    grantId: string,
    { bytes, maxBytes, keptMs }: { bytes: number; maxBytes: number; keptMs: number },
  ): Promise<number> {
    const record = new SharedRecord(this.#store, roomsOf(personId), rooms, []);
    return record.update((before, { wall }) => {
      const others = before.filter((each) => each.until > wall && each.grantId !== grantId);
      const free = maxBytes - others.reduce((sum, each) => sum + each.bytes, 0);
      const room = Math.max(0, Math.min(bytes, free));
      return { value: [...others, { grantId, bytes: room, until: wall + keptMs }], result: room };
    });
  }

  /** Does nothing for a person who was removed while the write was in progress. */
  async recordWrite(personId: string, write: Omit<AuditEntry, 'at'>): Promise<void> {
    const log = auditOf(personId);
    const before = this.#recorded.get(personId) ?? 0;
    this.#recorded.set(personId, before + 1);
    const entry = { log, value: { at: this.#clock.now(), ...write } };
    // The record stays as it is, also one that only another version of the program can read.
    await this.#store.update(nameOf(personId), (stored) => {
      const value = stored ?? undefined;
      return { value, result: undefined, entries: value && [entry] };
    });
    if (before % WRITES_BETWEEN_TRIMS === 0) await this.#trim(log);
  }

  /** Numbers are not consecutive: the entries of other logs are counted too. */
  async #trim(log: string): Promise<void> {
    const numbers: number[] = [];
    for await (const { number } of this.#store.entries(log)) numbers.push(number);
    const last = numbers.at(-1 - MAX_AUDIT_ENTRIES);
    if (last !== undefined) await this.#store.trim(log, last);
  }

  /** The newest first. */
  async audit(personId: string): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for await (const { value } of this.#store.entries(auditOf(personId))) {
      const entry = auditEntry.safeParse(value).data;
      if (entry) entries.push(entry);
    }
    return entries.toReversed().slice(0, MAX_AUDIT_ENTRIES);
  }

  /**
   * Ends the access of the person's clients, and removes everything that is stored about the person. Without the key, nothing
   * that was sealed with it can be read any more. Returns the ids of the grants, whose own states are removed by the processes
   * that have opened them.
   */
  async forget(personId: string, grants: Pick<Grants, 'endAllOf'>): Promise<readonly string[]> {
    const ids = await grants.endAllOf(personId);
    // Before the record is removed: if this process is killed in between, no other call would find the list any more.
    await this.#store.trim(auditOf(personId));
    await this.#store.update(roomsOf(personId), () => ({ value: undefined, result: undefined }));
    await this.#store.update(nameOf(personId), () => ({ value: undefined, result: undefined }));
    // Without the record nothing is added any more. Just before that, a write in progress may have added something.
    await this.#store.trim(auditOf(personId));
    return ids;
  }

  #record(personId: string) {
    return new SharedRecord(this.#store, nameOf(personId), person.nullable(), null);
  }

  async #person(personId: string): Promise<z.output<typeof person>> {
    const known = await this.#record(personId).read();
    if (known) return known;
    // The change may be called again, and must have the same result.
    const created = { dataKey: randomBytes(KEY_BYTES).toString('base64'), settings: {} };
    return this.#record(personId).update((known) => {
      const value = known ?? created;
      return { value, result: value };
    });
  }
}

const nameOf = (personId: string) => `person ${personId}`;
const roomsOf = (personId: string) => `room for files ${personId}`;
const auditOf = (personId: string) => `audit ${personId}`;
