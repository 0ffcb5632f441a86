/**
 * What is watched on a hosted server while no client is connected: one server at a time goes through the grants whose people allow
 * it, opens each when it is due, and closes it again. And what the account page shows and tests of all watches.
 */

import { repeat } from '../../base/background.ts';
import { type Clock, yieldTurn } from '../../base/clock.ts';
import { BudgetError, errorOf } from '../../base/errors.ts';
import type { TestNotice, WatchView } from '../../hosting/account-page.ts';
import type { VerifiedToken } from '../../hosting/authorization.ts';
import type { Grant } from '../../hosting/grants.ts';
import type { OpenGrants } from '../../hosting/open-grants.ts';
import type { People } from '../../hosting/people.ts';
import type { WatchedGrants } from '../../hosting/watched-grants.ts';
import { sendTest, type Webhooks } from '../../mcp/watch-deliveries.ts';
import { Watches } from '../../session/watches.ts';
import type { Release } from '../../store/shared-store.ts';
import { SharedStores, type Sharing } from '../../store/shared-stores.ts';
import type { StateOwner } from '../../store/state-directory.ts';

export type OpenableGrant = Pick<VerifiedToken, 'grantId' | 'personId' | 'clientName' | 'grantKey'>;

export interface HostedWatchesDeps {
  readonly watched: WatchedGrants;
  readonly grants: OpenGrants<OpenableGrant>;
  readonly people: People;
  /** True if this person may use the server. */
  readonly isAllowed: (personId: string) => boolean;
  readonly webhooksOf: (personId: string) => Webhooks;
  readonly sharing: Sharing;
  readonly ownerOf: (grantId: string) => StateOwner;
  readonly clock: Clock;
  readonly onBug: (error: Error) => void;
}

const LOOK_MS = 5_000;
const AFTER_ERROR_MS = 60_000;
/** Grants that are opened at the same time, and stores for the account page. */
const MAX_OPEN = 4;

export function createHostedWatches(deps: HostedWatchesDeps) {
  const { watched, grants, people, isAllowed, webhooksOf, sharing, ownerOf, clock, onBug } = deps;
  const closed = new AbortController();
  /** When something of a grant is due, by the monotonic clock. */
  let dueAt = new Map<string, number>();
  let working: Promise<void> | undefined;

  const inPlace = placesFor(MAX_OPEN);

  function withWatches<Result>(
    { id, personId }: Grant,
    work: (watches: Watches) => Promise<Result>,
  ): Promise<Result> {
    return inPlace(async () => {
      const stores = new SharedStores({ sharing, clock, warn: () => {} });
      try {
        const store = await stores.open(ownerOf(id), () => people.dataKey(personId));
        return await work(new Watches(store, clock));
      } finally {
        await stores.close();
      }
    });
  }

  const watchesOf = (grant: Grant) => withWatches(grant, (watches) => watches.list());

  /** The key last: without it, the grant is not looked at again. */
  async function removeAll(grant: Grant): Promise<void> {
    await withWatches(grant, (watches) => watches.change(() => ({ value: [], result: undefined })));
    await watched.note(grant.id, []);
  }

  async function workUntilClosed(): Promise<void> {
    let release: Release | undefined;
    const work = async () => {
      release ??= await watched.lock();
      if (release) await runAll(await watched.ids());
    };
    await repeat({ work, everyMs: LOOK_MS, clock, signal: closed.signal, onBug });
    await release?.();
  }

  async function runAll(ids: readonly string[]): Promise<void> {
    const now = clock.monotonic();
    dueAt = new Map(ids.map((id) => [id, dueAt.get(id) ?? now]));
    const waiting = ids.filter((id) => (dueAt.get(id) ?? now) <= now).values();
    const work = async () => {
      for (const id of waiting) {
        if (closed.signal.aborted) return;
        await run(id);
        await yieldTurn();
      }
    };
    await Promise.all(Array.from({ length: MAX_OPEN }, work));
  }

  async function run(id: string): Promise<void> {
    let waitMs = AFTER_ERROR_MS;
    try {
      const found = await watched.find(id);
      if (!found) return;
      const { personId, clientName } = found.grant;
      if (!isAllowed(personId)) return await removeAll(found.grant);
      const opened = { grantId: id, personId, clientName, grantKey: found.grantKey };
      const next = await grants.use(id, opened, (each) => each.runWatches());
      if (next !== undefined) waitMs = next - clock.now();
    } catch (error) {
      // The service may not answer now. Anything else is a bug.
      if (!(error instanceof BudgetError)) onBug(errorOf(error));
    } finally {
      dueAt.set(id, clock.monotonic() + waitMs);
    }
  }

  return {
    start(): void {
      working ??= workUntilClosed();
    },
    async close(): Promise<void> {
      closed.abort();
      await working;
    },
    async list(grant: Grant): Promise<WatchView[]> {
      const watches = await watchesOf(grant);
      return watches.map(({ event, arguments: args, callback }) => ({
        event,
        arguments: JSON.stringify(args),
        host: callback && new URL(callback.url).host,
        isPaused: callback?.isPaused ?? false,
      }));
    },
    /** Whether there is a receiver, and each has taken the message. */
    async test(grant: Grant): Promise<TestNotice> {
      const outcome = await sendTest(await watchesOf(grant), webhooksOf(grant.personId), clock.now());
      if (outcome && 'isPostponed' in outcome) return 'test-later';
      return outcome && 'accepted' in outcome ? 'tested' : 'not-tested';
    },
  };
}

/** Runs at most so many works at the same time. The others wait, in their order. */
function placesFor(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
