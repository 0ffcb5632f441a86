/**
 * The grants for which this server works while no client is connected, because their people allow it. Only for these, and only
 * while something is watched, the key of the grant is stored for the server too.
 */
import type { SharedStore } from '../store/shared-store.ts';
import { type Grant, type Grants, grantIds, grantSchema, recordOf } from './grants.ts';

const LIST = 'watched-grants';

export interface WatchedGrant {
  readonly grant: Grant;
  readonly grantKey: Uint8Array;
}

export class WatchedGrants {
  readonly #store: SharedStore;
  readonly #grants: Grants;

  constructor(store: SharedStore, grants: Grants) {
    this.#store = store;
    this.#grants = grants;
  }

  /** Keeps the key of the grant if its person allows that, or removes it. */
  async keepKey(grantId: string, grantKey: Uint8Array | undefined): Promise<void> {
    const awayKey = grantKey && Buffer.from(grantKey).toString('base64');
    const isKept = await this.#store.update(recordOf(grantId), (stored) => {
      const { data } = grantSchema.safeParse(stored);
      if (!data) return { value: stored ?? undefined, result: false };
      const { awayKey: _, ...rest } = data;
      const isKept = awayKey !== undefined && data.mayWatch === true && !data.hasEnded;
      return { value: isKept ? { ...rest, awayKey } : rest, result: isKept };
    });
    await this.#change((ids) => [...ids.filter((id) => id !== grantId), ...(isKept ? [grantId] : [])]);
  }

  /** Takes back the permission. What is watched goes on while a client is connected. */
  async forbid({ id, personId }: Grant): Promise<void> {
    await this.#store.update(recordOf(id), (stored) => {
      const { data } = grantSchema.safeParse(stored);
      if (!data) return { value: stored ?? undefined, result: undefined };
      const { awayKey: _, mayWatch: __, ...rest } = data;
      return { value: rest, result: undefined };
    });
    await this.#change((ids) => ids.filter((each) => each !== id));
    await this.#grants.settingsChanged(personId);
  }

  async list(): Promise<WatchedGrant[]> {
    const ids = grantIds.parse(await this.#store.read(LIST));
    const grants = await Promise.all(ids.map((id) => this.#grants.read(id)));
    const watched = grants.flatMap((grant) =>
      grant?.awayKey === undefined ? [] : [{ grant, grantKey: Buffer.from(grant.awayKey, 'base64') }],
    );
    const kept = new Set(watched.map(({ grant }) => grant.id));
    if (kept.size < ids.length)
      await this.#change((now) => now.filter((id) => kept.has(id) || !ids.includes(id)));
    return watched;
  }

  /** Only one server at a time works for the people who are away. Undefined if it is another one. */
  lock() {
    return this.#store.lock('watched-grants', { waitMs: 0 });
  }

  #change(change: (ids: string[]) => string[]): Promise<void> {
    return this.#store.update(LIST, (stored) => {
      const ids = change(grantIds.parse(stored));
      return { value: ids.length === 0 ? undefined : ids, result: undefined };
    });
  }
}
