/**
 * Grants: what a person has allowed a client here, with the tokens that the budgeting service gave for it. The tokens are
 * sealed with the key of the grant, which is in no record in the clear (`provider-records.ts`). A token of this server is
 * valid only while its grant exists, so removing one record ends all of them at once.
 */
import { z } from 'zod';
import { parseSignIn, type SignIn, type TokenStore } from '../auth/token-store.ts';
import type { Clock } from '../base/clock.ts';
import { Seal } from '../store/seal.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { noteExpiry } from './expiries.ts';
import { SCOPES } from './scopes.ts';

const grantSchema = z.object({
  personId: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  /** Where the client gets its codes, as the person saw it. */
  redirectHost: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** When the last token ends. */
  expiresAt: z.number(),
  /** Whether this server may work for the person while the client is not connected. */
  mayWatch: z.boolean().exactOptional(),
  /** When each of the things that are watched with it ends. Missing if there are none. */
  watchEnds: z.array(z.number()).exactOptional(),
  /** The key of the grant, in base64. Only with that permission, and only while something is watched. */
  awayKey: z.base64().exactOptional(),
  /** Whether the access has ended. The record is removed when everything else that belongs to it is. */
  hasEnded: z.boolean().exactOptional(),
});

export type GrantDetails = z.output<typeof grantSchema>;

export type Grant = GrantDetails & { readonly id: string };

/** The oldest first. */
export const grantIds = z.array(z.string()).catch([]);

const endedSchema = z.object({ grantId: z.string(), at: z.number() });
const changedSchema = z.object({ changedGrantIds: z.array(z.string()), at: z.number() });
/** What has happened to grants. Other processes read it every second. */
const newsSchema = z.union([endedSchema, changedSchema]);
const NEWS_LOG = 'ended-grants';
const NEWS_KEPT_MS = 3_600_000;

/** Of one person. The oldest one ends when there are more. */
const MAX_GRANTS = 20;

const PREFIX = 'grant/';
export const recordOf = (grantId: string) => `${PREFIX}${grantId}`;
const grantsOf = (personId: string) => `person/${personId}/grants`;
const upstreamOf = (grantId: string) => `upstream/${grantId}`;

export class Grants {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #endListeners: ((grantId: string) => void)[] = [];
  readonly #changeListeners: ((grantId: string) => void)[] = [];
  /** The grants that this process is ending. */
  readonly #ending = new Map<string, Promise<void>>();
  /** The number of the last entry of the log that was read. */
  #lastNews = 0;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async create(grant: Grant, grantKey: Uint8Array, signIn: SignIn): Promise<void> {
    const { id, ...details } = grant;
    // The state of the grant is stored under the id of its sign-in, and is found by it at the end of the grant.
    const sealed = sealSignIn({ ...signIn, id }, id, grantKey);
    // First, so that what is written is removed one day even if this process ends before it is complete.
    await noteExpiry(this.#store, recordOf(id), details.expiresAt);
    await this.#store.update(upstreamOf(id), () => ({ value: sealed, result: undefined }));
    await this.#store.update(recordOf(id), () => ({ value: details, result: undefined }));
    const ids = await this.#changeGrantsOf(details.personId, (before) => [...before, id]);
    for (const excess of ids.slice(0, -MAX_GRANTS)) await this.end(excess);
  }

  /** Undefined if the grant has ended. */
  async read(id: string): Promise<Grant | undefined> {
    return this.parse(id, await this.#store.read(recordOf(id)));
  }

  /** `stored` is the record of the grant, if there is one. */
  parse(id: string, stored: unknown): Grant | undefined {
    const { data } = grantSchema.safeParse(stored);
    return data && !data.hasEnded && this.#clock.now() < data.expiresAt ? { id, ...data } : undefined;
  }

  /** The grants of a person, the newest first. */
  async ofPerson(personId: string): Promise<Grant[]> {
    const ids = await this.#idsOf(personId);
    const { records } = await this.#store.look({ records: ids.map(recordOf) });
    return ids
      .flatMap((id) => this.parse(id, records.get(recordOf(id))) ?? [])
      .toSorted((a, b) => b.createdAt - a.createdAt);
  }

  /** Ends all grants of a person. Returns their ids, with those whose time was over but which were not removed yet. */
  async endAllOf(personId: string): Promise<string[]> {
    const ids = await this.#idsOf(personId);
    for (const id of ids) await this.end(id, personId);
    return ids;
  }

  /** Called for each new token of the grant. */
  async keepUntil(id: string, expiresAt: number): Promise<void> {
    const isLater = (grant: GrantDetails) => !grant.hasEnded && grant.expiresAt < expiresAt;
    const before = await this.change(id, (grant) => (isLater(grant) ? { ...grant, expiresAt } : grant));
    if (before && isLater(before)) await noteExpiry(this.#store, recordOf(id), expiresAt);
  }

  /** Returns the grant before the change, also if it has ended. Leaves one that it cannot read. */
  change(id: string, change: (grant: GrantDetails) => GrantDetails): Promise<GrantDetails | undefined> {
    return this.#store.update(recordOf(id), (stored) => {
      const { data } = grantSchema.safeParse(stored);
      return { value: data ? change(data) : (stored ?? undefined), result: data };
    });
  }

  /**
   * Ends a grant and everything that belongs to it. If this process is killed meanwhile, the access has ended, and the rest is
   * done by the next call or when the time of the grant is over. A second call does nothing.
   */
  end(id: string, personId?: string): Promise<void> {
    const ending = this.#ending.get(id) ?? this.#end(id, personId).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  /** `personId` is whose list has the grant, if that is known. */
  async #end(id: string, personId?: string): Promise<void> {
    const end = ({ awayKey: _, ...grant }: GrantDetails) => ({ ...grant, hasEnded: true });
    const ended = await this.change(id, end).catch(async (error: unknown) => {
      // A store that is full still removes what it has, and the access ends in any case.
      await this.#remove(recordOf(id));
      await this.#remove(upstreamOf(id));
      throw error;
    });
    await this.#remove(upstreamOf(id));
    const owner = ended?.personId ?? personId;
    if (owner === undefined) return;
    await this.#tell({ grantId: id, at: this.#clock.now() });
    await this.#changeGrantsOf(owner, (ids) => ids.filter((other) => other !== id));
    await this.#remove(recordOf(id));
  }

  #remove(name: string): Promise<void> {
    return this.#store.update(name, () => ({ value: undefined, result: undefined }));
  }

  /** Tells all processes that the settings of a person have changed. */
  async settingsChanged(personId: string): Promise<void> {
    await this.changed(await this.#idsOf(personId));
  }

  /** Tells all processes that other settings count for these grants. */
  async changed(changedGrantIds: string[]): Promise<void> {
    await this.#tell({ changedGrantIds, at: this.#clock.now() });
  }

  /** `listener` is called with each grant that was ended, here or by another process. */
  onEnded(listener: (grantId: string) => void): void {
    this.#endListeners.push(listener);
  }

  /** `listener` is called with each grant for which other settings count from now on. */
  onChanged(listener: (grantId: string) => void): void {
    this.#changeListeners.push(listener);
  }

  /** Tells the listeners what this process or another one has done to grants since the last call. */
  async noticeNews(): Promise<void> {
    for await (const { number, value } of this.#store.entries(NEWS_LOG, this.#lastNews)) {
      // Two calls may read at the same time.
      if (number <= this.#lastNews) continue;
      this.#lastNews = number;
      const { data } = newsSchema.safeParse(value);
      if (!data) continue;
      if ('grantId' in data) for (const listener of this.#endListeners) listener(data.grantId);
      else for (const id of data.changedGrantIds) for (const listener of this.#changeListeners) listener(id);
    }
  }

  async #tell(news: z.output<typeof newsSchema>): Promise<void> {
    await this.#store.append(NEWS_LOG, news);
    await this.noticeNews();
  }

  /** Ends the grant whose record this is if its time is over. Does nothing for the names of other records. */
  async expire(name: string): Promise<void> {
    if (!name.startsWith(PREFIX)) return;
    const id = name.slice(PREFIX.length);
    if (!(await this.read(id))) await this.end(id);
  }

  /** Removes from the log what every process has read. */
  async trimNews(): Promise<void> {
    let last = 0;
    for await (const { number, value } of this.#store.entries(NEWS_LOG)) {
      const { data } = newsSchema.safeParse(value);
      if (data && data.at > this.#clock.now() - NEWS_KEPT_MS) break;
      last = number;
    }
    if (last > 0) await this.#store.trim(NEWS_LOG, last);
  }

  /** The sign-in of one grant. Its profile has any name. Nothing is written after the grant has ended. */
  tokenStore(id: string, grantKey: Uint8Array): TokenStore {
    const place = 'the store of this server';
    const name = upstreamOf(id);
    const open = (stored: unknown) =>
      typeof stored === 'string' ? openSignIn(stored, id, grantKey, place) : undefined;
    return {
      place,
      read: async () => open(await this.#store.read(name)),
      write: (_, signIn, mayReplace = () => true) =>
        this.#store.update(name, (stored) => {
          const current = open(stored);
          const isWritten = current !== undefined && mayReplace(current);
          const value = isWritten ? sealSignIn(signIn, id, grantKey) : (stored ?? undefined);
          return { value, result: isWritten };
        }),
      remove: () =>
        this.#store.update(name, (stored) => ({ value: undefined, result: stored !== undefined })),
    };
  }

  async #idsOf(personId: string): Promise<string[]> {
    return grantIds.parse(await this.#store.read(grantsOf(personId)));
  }

  /** Returns the ids after the change. A person without grants has no record. */
  #changeGrantsOf(personId: string, change: (ids: string[]) => string[]): Promise<string[]> {
    return this.#store.update(grantsOf(personId), (stored) => {
      const ids = change(grantIds.parse(stored));
      return { value: ids.length === 0 ? undefined : ids, result: ids };
    });
  }
}

const sealSignIn = (signIn: SignIn, grantId: string, grantKey: Uint8Array): string =>
  new Seal(grantKey).close(JSON.stringify(signIn), Buffer.from(grantId)).toString('base64');

const openSignIn = (sealed: string, grantId: string, grantKey: Uint8Array, place: string): SignIn =>
  parseSignIn(new Seal(grantKey).open(Buffer.from(sealed, 'base64'), Buffer.from(grantId)), place);
