/**
 * The grants for which this server works while no client is connected, because their people allow it. Only for these, and only
 * while something is watched, the key of the grant is stored for the server too.
 */
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { type Grant, type GrantDetails, type Grants, grantIds } from './grants.ts';

export class WatchedGrants {
  readonly #store: SharedStore;
  readonly #grants: Grants;
  readonly #list: SharedRecord<typeof grantIds>;

  constructor(store: SharedStore, grants: Grants) {
    this.#store = store;
    this.#grants = grants;
    this.#list = new SharedRecord(store, 'watched-grants', grantIds, []);
  }

  /** Keeps the key of the grant if its person allows that, or removes it. */
  async keepKey(grantId: string, grantKey: Uint8Array | undefined): Promise<void> {
    const awayKey = grantKey && Buffer.from(grantKey).toString('base64');
    const [grant, ids] = await Promise.all([this.#grants.read(grantId), this.ids()]);
    if (grant?.awayKey === awayKey && ids.includes(grantId) === (awayKey !== undefined)) return;
    await this.#change(grantId, ({ awayKey: _, ...rest }) => {
      const isKept = awayKey !== undefined && rest.mayWatch === true && !rest.hasEnded;
      return isKept ? { ...rest, awayKey } : rest;
    });
  }

  /** Takes back the permission. What is watched goes on while a client is connected. */
  async forbid({ id, personId }: Grant): Promise<void> {
    await this.#change(id, ({ awayKey: _, mayWatch: __, ...rest }) => rest);
    await this.#grants.settingsChanged(personId);
  }

  ids(): Promise<readonly string[]> {
    return this.#list.read();
  }

  /** Undefined if nothing is watched for it any more, or it has ended. */
  async find(id: string) {
    const grant = await this.#grants.read(id);
    if (grant?.awayKey !== undefined) return { grant, grantKey: Buffer.from(grant.awayKey, 'base64') };
    await this.#change(id, (details) => details);
    return undefined;
  }

  /** Only one server at a time works for the people who are away. Undefined if it is another one. */
  lock() {
    return this.#store.lock('watched-grants', { waitMs: 0 });
  }

  /** The list has the grants with a key. */
  async #change(grantId: string, change: (details: GrantDetails) => GrantDetails): Promise<void> {
    const before = await this.#grants.change(grantId, change);
    const after = before && change(before);
    const hasKey = after?.awayKey !== undefined && !after.hasEnded;
    await this.#list.update((ids) => ({
      value: [...ids.filter((id) => id !== grantId), ...(hasKey ? [grantId] : [])],
      result: undefined,
    }));
  }
}
