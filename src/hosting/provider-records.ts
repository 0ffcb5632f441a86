/**
 * Stores what oidc-provider has to remember: its adapter over the shared store.
 *
 * The name of a record is a hash of its id, which for codes and tokens is their value. Its content is sealed with a key
 * that is derived from the id. It contains the key of the grant, which seals the tokens of the budgeting service
 * (`grants.ts`). So who has the store has no token, and cannot open a grant without one of its tokens.
 *
 * oidc-provider does not know the key of a grant. Within one request, finding a code or a token remembers its key for the
 * tokens that are issued for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Adapter, errors } from 'oidc-provider';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../platform/json.ts';
import { Seal } from '../state/seal.ts';
import type { SharedStore } from '../state/shared-store.ts';
import { derivedKey, hashOf } from './derived-key.ts';
import type { Expiries } from './expiries.ts';
import type { Grants } from './grants.ts';

const PREFIX = 'provider/';
const nameOf = (kind: string, id: string) => `${PREFIX}${kind}/${hashOf(id)}`;

const DAY_MS = 24 * 3_600_000;

/** A client that never got a grant. */
const UNUSED_CLIENT_MS = DAY_MS;

/** How long the use of a refresh token that was replaced is recognized. */
const CONSUMED_KEPT_MS = 7 * DAY_MS;

const recordSchema = z.object({
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** `contentSchema` as JSON, sealed with a key that is derived from the id. */
  sealed: z.string(),
  /** Of a code that was used, or of a refresh token that must not be used any more. */
  isConsumed: z.boolean().optional(),
  /** The name of the record of the refresh token that this one was issued for. */
  predecessor: z.string().optional(),
  /** The name of the record of the last refresh token that was issued for this one. */
  successor: z.string().optional(),
});

type StoredRecord = z.output<typeof recordSchema>;

const payloadSchema = z.custom<JsonObject>(isJsonObject);

const contentSchema = z.object({ payload: payloadSchema, grantKey: z.string().optional() });

const grantIdSchema = z.object({ grantId: z.string(), clientId: z.string() });

/** What belongs to one request. */
interface RequestState {
  grantKey?: Uint8Array;
  /** The name of the record of the refresh token that is being replaced. */
  rotated?: string;
}

export interface FoundRecord {
  readonly payload: JsonObject;
  readonly grantKey: Uint8Array | undefined;
  readonly expiresAt: number;
}

export interface ProviderRecordsOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly grants: Grants;
  readonly expiries: Expiries;
  /** The only resource of this server. */
  readonly resource: string;
}

export class ProviderRecords {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #grants: Grants;
  readonly #expiries: Expiries;
  readonly #resource: string;
  readonly #request = new AsyncLocalStorage<RequestState>();

  constructor({ store, clock, grants, expiries, resource }: ProviderRecordsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#grants = grants;
    this.#expiries = expiries;
    this.#resource = resource;
  }

  /** Runs the handling of one request. */
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
    const grantKey = state.grantKey && Buffer.from(state.grantKey).toString('base64');
    const content = JSON.stringify({ payload, grantKey });
    const sealed = sealOf(id).close(content, Buffer.from(name)).toString('base64');
    const predecessor = kind === 'RefreshToken' ? state.rotated : undefined;
    const record: StoredRecord = { expiresAt, sealed, ...(predecessor && { predecessor }) };
    await this.#store.update(name, () => ({ value: record, result: undefined }));
    await this.#expiries.add(name, expiresAt);
    if (predecessor) await this.#succeed(predecessor, name, payload);
    const { data: token } = grantIdSchema.safeParse(payload);
    if (token) {
      await this.#grants.keepUntil(token.grantId, expiresAt);
      await this.#keepUntil(nameOf('Client', token.clientId), expiresAt);
    }
  }

  /** Undefined if there is none, or its time is over. */
  async find(kind: string, id: string): Promise<FoundRecord | undefined> {
    const name = nameOf(kind, id);
    const record = await this.#read(name);
    if (!record) return undefined;
    const { payload, grantKey } = contentOf(record, name, id);
    return { payload, grantKey, expiresAt: record.expiresAt };
  }

  /** Like `find`, and removes it: of several calls, one gets it. */
  async take(kind: string, id: string): Promise<JsonObject | undefined> {
    const name = nameOf(kind, id);
    const record = await this.#store.update(name, (stored) => ({ value: undefined, result: parse(stored) }));
    if (!record || this.#hasEnded(record)) return undefined;
    return contentOf(record, name, id).payload;
  }

  /** Removes a record if its time is over. Does nothing for the names of other records. */
  async expire(name: string): Promise<void> {
    if (name.startsWith(PREFIX)) await this.#read(name);
  }

  adapterOf(kind: string): Adapter {
    if (kind === 'Session') return noSessions;
    if (kind === 'Grant') return this.#grantAdapter();
    return {
      upsert: (id, payload, expiresIn) =>
        this.write(kind, id, payload, expiresIn === undefined ? UNUSED_CLIENT_MS : expiresIn * 1_000),
      find: async (id) => {
        const name = nameOf(kind, id);
        const record = await this.#read(name);
        if (!record) return undefined;
        const { payload, grantKey } = contentOf(record, name, id);
        if (grantKey) this.useGrantKey(grantKey);
        return { ...payload, ...(record.isConsumed && { consumed: true }) };
      },
      consume: (id) =>
        kind === 'RefreshToken' ? this.#rotate(nameOf(kind, id)) : this.#consumeCode(kind, id),
      destroy: (id) => this.#remove(nameOf(kind, id)),
      revokeByGrantId: (grantId) => this.#grants.end(grantId),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
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
    if (before) await this.#endGrantOf(contentOf(before, name, id).payload);
    throw new errors.InvalidGrant('authorization code already consumed');
  }

  /**
   * A refresh token stays valid until the one that replaces it is used, because the answer with the new one may be lost.
   * So the use of a token consumes the one before it.
   */
  async #rotate(name: string): Promise<void> {
    this.#state().rotated = name;
    const record = await this.#read(name);
    if (record?.predecessor) await this.#consume(record.predecessor);
  }

  /**
   * Of the tokens that replace the same one, only the last is valid: the others may have been issued for a thief, or the
   * last one. The use of any of them shows it, and ends the grant.
   */
  async #succeed(predecessor: string, successor: string, payload: JsonObject): Promise<void> {
    const before = await this.#change(predecessor, (record) => ({ ...record, successor }));
    if (before?.isConsumed) {
      await this.#endGrantOf(payload);
      throw new errors.InvalidGrant('refresh token already used');
    }
    if (before?.successor) await this.#consume(before.successor);
  }

  async #consume(name: string): Promise<void> {
    const keptUntil = this.#clock.now() + CONSUMED_KEPT_MS;
    const before = await this.#change(name, (record) => ({
      ...record,
      isConsumed: true,
      expiresAt: Math.min(record.expiresAt, keptUntil),
    }));
    if (before && !before.isConsumed) await this.#expiries.add(name, keptUntil);
  }

  async #keepUntil(name: string, expiresAt: number): Promise<void> {
    const before = await this.#change(name, (record) => ({
      ...record,
      expiresAt: Math.max(record.expiresAt, expiresAt),
    }));
    if (before && before.expiresAt < expiresAt) await this.#expiries.add(name, expiresAt);
  }

  async #endGrantOf(payload: JsonObject): Promise<void> {
    const { data } = grantIdSchema.safeParse(payload);
    if (data) await this.#grants.end(data.grantId);
  }

  /** Returns the record before the change. Does nothing if there is none. */
  #change(name: string, change: (record: StoredRecord) => StoredRecord): Promise<StoredRecord | undefined> {
    return this.#store.update(name, (stored) => {
      const record = parse(stored);
      return { value: record && change(record), result: record };
    });
  }

  async #read(name: string): Promise<StoredRecord | undefined> {
    const record = parse(await this.#store.read(name));
    if (!record || !this.#hasEnded(record)) return record;
    await this.#remove(name);
    return undefined;
  }

  async #remove(name: string): Promise<void> {
    await this.#store.update(name, () => ({ value: undefined, result: undefined }));
  }

  #hasEnded({ expiresAt }: StoredRecord): boolean {
    return this.#clock.now() >= expiresAt;
  }

  #state(): RequestState {
    const state = this.#request.getStore();
    if (!state) throw new Error('This is not a request of the authorization server.');
    return state;
  }
}

const parse = (stored: unknown): StoredRecord | undefined => recordSchema.safeParse(stored).data;

const sealOf = (id: string) => new Seal(derivedKey(id, 'record'));

/** `id` is the one that the name was made of, so the record can be opened. */
function contentOf({ sealed }: StoredRecord, name: string, id: string) {
  const text = sealOf(id).open(Buffer.from(sealed, 'base64'), Buffer.from(name));
  const { payload, grantKey } = contentSchema.parse(parseJson(text));
  return { payload, grantKey: grantKey === undefined ? undefined : Buffer.from(grantKey, 'base64') };
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
