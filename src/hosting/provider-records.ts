/**
 * Stores what oidc-provider has to remember: its adapter over the shared store. The records are those of
 * `sealed-record.ts`.
 *
 * oidc-provider does not know the key of a grant. Within one request, finding a code or a token remembers its key for the
 * tokens that are issued for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Adapter, errors } from 'oidc-provider';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { noteExpiry } from './expiries.ts';
import type { Grants } from './grants.ts';
import {
  isRecordName,
  nameOf,
  openContent,
  parseRecord,
  type RecordContent,
  type SealedRecord,
  sealContent,
} from './sealed-record.ts';
import { TOKEN_ANSWER_MS } from './unavailable.ts';

const DAY_MS = 24 * 3_600_000;

/** A client that never got a grant. */
const UNUSED_CLIENT_MS = DAY_MS;

/** How long the use of a refresh token that was replaced is recognized. */
const CONSUMED_KEPT_MS = 7 * DAY_MS;

/** From the first use of a refresh token, for the other processes of a host that use it at the same time. */
const SIBLINGS_MS = TOKEN_ANSWER_MS;

const grantIdSchema = z.object({ grantId: z.string(), clientId: z.string() });

interface RequestState {
  grantKey?: Uint8Array;
  /** The name of the record of the refresh token that is being replaced. */
  rotated?: string;
}

export class ProviderRecords {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #grants: Grants;
  readonly #resource: string;
  readonly #request = new AsyncLocalStorage<RequestState>();

  /** `resource` is the only one of this server. */
  constructor(store: SharedStore, clock: Clock, grants: Grants, resource: string) {
    this.#store = store;
    this.#clock = clock;
    this.#grants = grants;
    this.#resource = resource;
  }

  inRequest<T>(work: () => Promise<T>): Promise<T> {
    return this.#request.run({}, work);
  }

  /** For the records that the request writes from now on. */
  useGrantKey(grantKey: Uint8Array): void {
    this.#state().grantKey = grantKey;
  }

  async write(kind: string, id: string, payload: JsonObject, lifeMs: number): Promise<void> {
    const state = this.#state();
    const name = nameOf(kind, id);
    const expiresAt = this.#clock.now() + lifeMs;
    const sealed = sealContent({ payload, grantKey: state.grantKey }, kind, id);
    const predecessor = kind === 'RefreshToken' ? state.rotated : undefined;
    const record: SealedRecord = { expiresAt, sealed, ...(predecessor && { predecessor }) };
    // First, so that what is written is removed one day even if this process ends before it is used.
    await noteExpiry(this.#store, name, expiresAt);
    await this.#store.update(name, () => ({ value: record, result: undefined }));
    if (predecessor) await this.#succeed(predecessor, name, payload);
    const { data: token } = grantIdSchema.safeParse(payload);
    if (token) {
      await this.#grants.keepUntil(token.grantId, expiresAt);
      await this.#keepUntil(nameOf('Client', token.clientId), expiresAt);
    }
  }

  /** Undefined if there is none, or its time is over. */
  async find(kind: string, id: string): Promise<RecordContent | undefined> {
    return this.open(kind, id, await this.#store.read(nameOf(kind, id)));
  }

  /** `stored` is the record of this name, if there is one. */
  open(kind: string, id: string, stored: unknown): RecordContent | undefined {
    const record = this.#parse(stored);
    return record && openContent(record, kind, id);
  }

  /** Like `find`, and removes it: of several calls, one gets it. */
  async take(kind: string, id: string): Promise<JsonObject | undefined> {
    const name = nameOf(kind, id);
    const record = await this.#store.update(name, (stored) => ({
      value: undefined,
      result: this.#parse(stored),
    }));
    return record && openContent(record, kind, id).payload;
  }

  /** Removes a record if its time is over. Leaves one that it cannot read, and does nothing for the names of other records. */
  async expire(name: string): Promise<void> {
    if (!isRecordName(name) || !this.#hasEnded(parseRecord(await this.#store.read(name)))) return;
    // Another request may have given it a later end.
    await this.#store.update(name, (stored) => ({ value: this.#parse(stored), result: undefined }));
  }

  adapterOf(kind: string): Adapter {
    if (kind === 'Session') return noSessions;
    if (kind === 'Grant') return this.#grantAdapter();
    return {
      ...noSessions,
      upsert: (id, payload, expiresIn) =>
        this.write(kind, id, payload, expiresIn === undefined ? UNUSED_CLIENT_MS : expiresIn * 1_000),
      find: async (id) => {
        const name = nameOf(kind, id);
        const record = await this.#read(name);
        if (!record) return undefined;
        const { payload, grantKey } = openContent(record, kind, id);
        if (grantKey) this.useGrantKey(grantKey);
        return { ...payload, ...(record.isConsumed && { consumed: true }) };
      },
      consume: (id) =>
        kind === 'RefreshToken' ? this.#rotate(nameOf(kind, id)) : this.#consumeCode(kind, id),
      destroy: (id) => this.#store.update(nameOf(kind, id), () => ({ value: undefined, result: undefined })),
      revokeByGrantId: (grantId) => this.#grants.end(grantId),
    };
  }

  /** oidc-provider's grants are made of ours. It never writes one. */
  #grantAdapter(): Adapter {
    return {
      ...noSessions,
      find: async (id) => {
        const grant = await this.#grants.read(id);
        return (
          grant && {
            jti: id,
            kind: 'Grant',
            accountId: grant.personId,
            clientId: grant.clientId,
            resources: { [this.#resource]: grant.scopes.join(' ') },
            iat: Math.floor(grant.createdAt / 1_000),
            exp: Math.floor(grant.expiresAt / 1_000),
          }
        );
      },
      destroy: (id) => this.#grants.end(id),
      revokeByGrantId: (id) => this.#grants.end(id),
    };
  }

  /** A code is used once, even if two requests come at the same time. A second use ends the grant. */
  async #consumeCode(kind: string, id: string): Promise<void> {
    const name = nameOf(kind, id);
    const before = await this.#change(name, (record) => ({ ...record, isConsumed: true }));
    if (before && !before.isConsumed) return;
    if (before) await this.#endGrantOf(openContent(before, kind, id).payload);
    throw new errors.InvalidGrant('authorization code already consumed');
  }

  /**
   * A refresh token stays valid until the one that replaces it is used, because the answer with the new one may be lost.
   * So the use of a token consumes the one before it, but not its siblings.
   */
  async #rotate(name: string): Promise<void> {
    this.#state().rotated = name;
    const record = await this.#read(name);
    if (record?.predecessor) await this.#consume(record.predecessor);
  }

  /**
   * Tokens that replace the same one within ten seconds are siblings: processes of one host have asked at the same time, and each
   * goes on with its own. A later one replaces them: their answers may be lost, or one of all was issued for a thief. The use of
   * a replaced one shows that, and ends the grant.
   */
  async #succeed(predecessor: string, successor: string, payload: JsonObject): Promise<void> {
    const now = this.#clock.now();
    const isOpen = ({ siblingsUntil = 0 }: SealedRecord) => now < siblingsUntil;
    const before = await this.#change(predecessor, (record) =>
      isOpen(record)
        ? { ...record, successors: [...(record.successors ?? []), successor] }
        : { ...record, successors: [successor], siblingsUntil: now + SIBLINGS_MS },
    );
    if (before?.isConsumed) {
      await this.#endGrantOf(payload);
      throw new errors.InvalidGrant('refresh token already used');
    }
    if (before && !isOpen(before))
      for (const replaced of before.successors ?? []) await this.#consume(replaced);
  }

  async #consume(name: string): Promise<void> {
    const keptUntil = this.#clock.now() + CONSUMED_KEPT_MS;
    const before = await this.#change(name, (record) => ({
      ...record,
      isConsumed: true,
      expiresAt: Math.min(record.expiresAt, keptUntil),
    }));
    if (before && !before.isConsumed) await noteExpiry(this.#store, name, keptUntil);
  }

  async #keepUntil(name: string, expiresAt: number): Promise<void> {
    const before = await this.#change(name, (record) => ({
      ...record,
      expiresAt: Math.max(record.expiresAt, expiresAt),
    }));
    if (before && before.expiresAt < expiresAt) await noteExpiry(this.#store, name, expiresAt);
  }

  async #endGrantOf(payload: JsonObject): Promise<void> {
    const { data } = grantIdSchema.safeParse(payload);
    if (data) await this.#grants.end(data.grantId);
  }

  /** Returns the record before the change. Does nothing if there is none. */
  #change(name: string, change: (record: SealedRecord) => SealedRecord): Promise<SealedRecord | undefined> {
    return this.#store.update(name, (stored) => {
      const record = parseRecord(stored);
      return { value: record && change(record), result: record };
    });
  }

  async #read(name: string): Promise<SealedRecord | undefined> {
    return this.#parse(await this.#store.read(name));
  }

  /** Undefined if the time of the record is over. */
  #parse(stored: unknown): SealedRecord | undefined {
    const record = parseRecord(stored);
    return this.#hasEnded(record) ? undefined : record;
  }

  #hasEnded(record: SealedRecord | undefined): boolean {
    return record !== undefined && this.#clock.now() >= record.expiresAt;
  }

  #state(): RequestState {
    const state = this.#request.getStore();
    if (!state) throw new Error('This is not a request of the authorization server.');
    return state;
  }
}

/**
 * There are no sessions with this server: the person is asked for each authorization, and signs in with the budgeting
 * service, which has a session of its own.
 */
const noSessions: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};
