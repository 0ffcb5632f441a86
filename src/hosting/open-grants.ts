/**
 * The grants that are in use, each with an endpoint of its own, so that nothing of one person reaches another one. A grant is
 * opened by its first request. It is closed when it has not been used for some time. If cached budgets take too much memory,
 * those that were used least recently are removed.
 */
import { repeat } from '../base/background.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import type { AcceptedRequest, Endpoint } from '../transports/http/request-context.ts';

export interface OpenedGrant {
  readonly endpoint: Endpoint;
  readonly cachedBytes: number;
  freeMemory(): void;
  /** Does what is due for what is watched. Returns when something is due next, in milliseconds since the epoch. */
  runWatches(): Promise<number>;
  close(): Promise<void>;
}

export interface OpenGrantsOptions<Grant> {
  /** Undefined if the grant has ended, or its person may not use the server. */
  readonly open: (grant: Grant) => Promise<OpenedGrant | undefined>;
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Called if a grant that is not used any more cannot be closed. */
  readonly onBug: (error: Error) => void;
}

interface GrantInUse {
  readonly opening: Promise<OpenedGrant | undefined>;
  opened?: OpenedGrant;
  /** Requests and streams that are open. */
  requests: number;
  usedAt: Moment;
  /** The memory of its cached budgets when it was last counted. Zero after they were removed. */
  cachedBytes: number;
}

/** As long as the sessions of the older era, which end with their grant. */
const IDLE_MS = 30 * 60_000;
const CHECK_MS = 60_000;

export class OpenGrants<Grant> {
  readonly #options: OpenGrantsOptions<Grant>;
  /** The least recently used comes first. */
  readonly #grants = new Map<string, GrantInUse>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: OpenGrantsOptions<Grant>) {
    this.#options = options;
    const { clock, onBug } = options;
    const work = () => this.#closeIdle();
    void repeat({ work, everyMs: CHECK_MS, clock, signal: this.#closed.signal, onBug });
  }

  get size(): number {
    return this.#grants.size;
  }

  /** The endpoint of the grant with this id, which is opened if it is not open. Undefined if the grant has ended. */
  async endpoint(id: string, grant: Grant): Promise<Pick<Endpoint, 'answer'> | undefined> {
    const used = this.#grants.get(id) ?? this.#open(id, grant);
    this.#touch(id, used);
    const opened = await used.opening;
    // It may have been closed while it was opened.
    if (opened && this.#grants.get(id) !== used) return this.endpoint(id, grant);
    return opened && { answer: (request) => this.#answer(id, used, opened.endpoint, request) };
  }

  /** Does something for a grant without a request. One that was not open is closed afterwards, unless it is used by then. */
  async use<Result>(id: string, grant: Grant, work: (opened: OpenedGrant) => Promise<Result>) {
    const known = this.#grants.get(id);
    const used = known ?? this.#open(id, grant);
    const { usedAt } = used;
    try {
      const opened = await used.opening;
      return opened && (await work(opened));
    } finally {
      if (!known && used.requests === 0 && used.usedAt === usedAt && this.#grants.get(id) === used)
        await this.close(id);
    }
  }

  /** Closes a grant that was revoked or has changed. Resolves when nothing of it is open any more. */
  async close(id: string): Promise<void> {
    const grant = this.#grants.get(id);
    this.#grants.delete(id);
    if (grant) {
      const closing = Promise.all([this.#closing.get(id), closed(grant)])
        .then(() => {})
        .finally(() => {
          if (this.#closing.get(id) === closing) this.#closing.delete(id);
        });
      this.#closing.set(id, closing);
    }
    await this.#closing.get(id);
  }

  /** Stops notifications and questions to hosts. Requests in progress are still answered. */
  finish(): void {
    for (const { opened } of this.#grants.values()) opened?.endpoint.finish();
  }

  async closeAll(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#grants.keys(), ...this.#closing.keys()].map((id) => this.close(id)));
  }

  #open(id: string, grant: Grant): GrantInUse {
    const { open, clock } = this.#options;
    const used: GrantInUse = { opening: open(grant), requests: 0, usedAt: momentOf(clock), cachedBytes: 0 };
    this.#grants.set(id, used);
    const forgetUnopened = () => {
      if (this.#grants.get(id) === used) this.#grants.delete(id);
    };
    used.opening.then((opened) => {
      if (opened) used.opened = opened;
      else forgetUnopened();
    }, forgetUnopened);
    return used;
  }

  #answer(id: string, grant: GrantInUse, endpoint: Endpoint, request: AcceptedRequest): Promise<Response> {
    grant.requests += 1;
    void request.inFlight.disconnected.then(() => {
      grant.requests -= 1;
      this.#touch(id, grant);
      this.#limitMemory(grant);
    });
    return endpoint.answer(request);
  }

  /** Makes a grant that is open the one that was used last. */
  #touch(id: string, grant: GrantInUse): void {
    if (this.#grants.get(id) !== grant) return;
    grant.usedAt = momentOf(this.#options.clock);
    this.#grants.delete(id);
    this.#grants.set(id, grant);
  }

  /** The grant that was used last keeps its budgets. Looks at all of them only if those of `used` have grown by a hundredth. */
  #limitMemory(used: GrantInUse): void {
    const cachedBytes = cachedBytesOf(used);
    const hasGrown = cachedBytes > used.cachedBytes * 1.01;
    used.cachedBytes = hasGrown ? cachedBytes : Math.min(used.cachedBytes, cachedBytes);
    if (!hasGrown) return;
    const grants = [...this.#grants.values()];
    let bytes = grants.reduce((sum, grant) => sum + cachedBytesOf(grant), 0);
    for (const grant of grants.slice(0, -1)) {
      if (bytes <= this.#options.maxBytes) return;
      bytes -= cachedBytesOf(grant);
      grant.opened?.freeMemory();
      grant.cachedBytes = 0;
    }
  }

  async #closeIdle(): Promise<void> {
    const { clock, onBug } = this.#options;
    for (const [id, { requests, usedAt }] of this.#grants)
      if (requests === 0 && ageOf(clock, usedAt) >= IDLE_MS) await this.close(id).catch(onBug);
  }
}

const cachedBytesOf = ({ opened }: GrantInUse) => opened?.cachedBytes ?? 0;

const closed = async ({ opening }: GrantInUse) => (await opening.catch(() => undefined))?.close();
