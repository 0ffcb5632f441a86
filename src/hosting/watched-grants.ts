/**
 * The grants for which this server works while no client is connected, because their people allow it. Only for these, and only
 * while something is watched, the key of the grant is stored for the server too.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { type Grant, type GrantDetails, type Grants, grantIds } from './grants.ts';

export class WatchedGrants {
  readonly #store: SharedStore;
  readonly #grants: Grants;
  readonly #clock: Clock;
  readonly #list: SharedRecord<typeof grantIds>;

  constructor(store: SharedStore, clock: Clock, grants: Grants) {
    this.#store = store;
    this.#clock = clock;
    this.#grants = grants;
    this.#list = new SharedRecord(store, 'watched-grants', grantIds, []);
  }

  /**
   * `ends` is when each of the things that are watched ends, in milliseconds since the epoch. Keeps the key of the grant if its
   * person allows that, or removes it.
   */
  async note(grantId: string, ends: readonly number[], grantKey?: Uint8Array): Promise<void> {
    const wanted = grantKey && Buffer.from(grantKey).toString('base64');
    const changed = ({ awayKey: _, watchEnds: __, ...rest }: GrantDetails): GrantDetails => {
      const isKept = wanted !== undefined && rest.mayWatch === true && !rest.hasEnded;
      return {
        ...rest,
        ...(ends.length > 0 && { watchEnds: [...ends] }),
        ...(isKept && { awayKey: wanted }),
      };
    };
    const [grant, ids] = await Promise.all([this.#grants.read(grantId), this.ids()]);
    if (!grant) return this.#change(grantId, (details) => details);
    const { awayKey, watchEnds } = changed(grant);
    const isListed = ids.includes(grantId) === (awayKey !== undefined);
    if (isListed && awayKey === grant.awayKey && isDeepStrictEqual(watchEnds, grant.watchEnds)) return;
    await this.#change(grantId, changed, awayKey !== undefined);
  }

  /** How many things are watched with a grant. */
  countOf({ watchEnds = [] }: Grant): number {
    return watchEnds.filter((end) => end > this.#clock.now()).length;
  }

  /** How many things a person watches with other grants than this one. */
  async countElsewhere(personId: string, grantId: string): Promise<number> {
    const others = (await this.#grants.ofPerson(personId)).filter(({ id }) => id !== grantId);
    return others.reduce((count, grant) => count + this.countOf(grant), 0);
  }

  /** Takes back the permission. What is watched goes on while a client is connected. */
  async forbid({ id }: Grant): Promise<void> {
    await this.#change(id, ({ awayKey: _, mayWatch: __, ...rest }) => rest);
    await this.#grants.changed([id]);
  }

  ids(): Promise<readonly string[]> {
    return this.#list.read();
  }

  /** Undefined if nothing is watched for it any more, or it has ended. */
  async find(id: string) {
    const grant = await this.#grants.read(id);
    if (grant?.awayKey !== undefined) return { grant, grantKey: Buffer.from(grant.awayKey, 'base64') };
    const isOver = ({ expiresAt }: GrantDetails) => expiresAt <= this.#clock.now();
    const withoutKey = ({ awayKey: _, ...rest }: GrantDetails) => rest;
    await this.#change(id, (details) => (isOver(details) ? withoutKey(details) : details));
    return undefined;
  }

  /** Only one server at a time works for the people who are away. Undefined if it is another one. */
  lock() {
    return this.#store.lock('watched-grants', { waitMs: 0 });
  }

  /** The list has the grants with a key. It has one before there is the key, so that no key is left that no look finds. */
  async #change(
    grantId: string,
    change: (details: GrantDetails) => GrantDetails,
    mayKeepKey = false,
  ): Promise<void> {
    if (mayKeepKey) await this.#setListed(grantId, true);
    const before = await this.#grants.change(grantId, change);
    const after = before && change(before);
    await this.#setListed(grantId, after?.awayKey !== undefined && !after.hasEnded);
  }

  async #setListed(grantId: string, isListed: boolean): Promise<void> {
    if ((await this.ids()).includes(grantId) === isListed) return;
    await this.#list.update((ids) => ({
      value: [...ids.filter((id) => id !== grantId), ...(isListed ? [grantId] : [])],
      result: undefined,
    }));
  }
}
