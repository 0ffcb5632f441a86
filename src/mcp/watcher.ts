/**
 * Carries out what is watched: checks each watched budget every ten minutes by one read for all its watches, stores what is
 * new, and has it delivered. One process at a time does this for a sign-in. It knows neither requests of hosts nor HTTP.
 */
import { plainAmounts, valuesToUnits } from '../answers/units.ts';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { quoteStart } from '../base/quote.ts';
import { jsonRecord } from '../base/schema/fields.ts';
import { checkRule, eventIdOf } from '../features/watch/rules.ts';
import {
  type Observation,
  payload,
  type WatchEvent,
  type WatchScope,
} from '../features/watch/watch-event.ts';
import { findEvent } from '../features/watch/watch-events.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import type { RuleState, Watch, Watches } from '../session/watches.ts';
import type { ErrorLog } from './tool-executor.ts';
import { deliverAll, type Webhooks } from './watch-deliveries.ts';

export interface WatcherDeps {
  readonly client: Pick<BudgetClient, 'begin'>;
  readonly clock: Clock;
  readonly log: ErrorLog;
  /** Without it nothing is posted. */
  readonly webhooks?: Webhooks | undefined;
  /** Called at each look, and when a watch has begun or ended. */
  readonly onWatches?: ((watches: readonly Watch[]) => Promise<void>) | undefined;
  /** How many watches the person has with other sign-ins. */
  readonly countElsewhere?: (() => Promise<number>) | undefined;
}

export const CHECK_MS = 10 * 60_000;
/** How often a process looks what it has to do, where something is watched. */
const LOOK_MS = 60_000;
/** After this time without a check, what came and went is not known. */
const MISSED_MS = 24 * 3_600_000;
const MAX_BUDGET_NAME = 80;

export class Watcher {
  readonly #deps: WatcherDeps;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  #loop: Promise<void> | undefined;
  #running: Promise<number> | undefined;
  #isAnythingWatched = true;
  /** When each budget was read last, or tried to be, in milliseconds since the epoch. */
  readonly #triedAt = new Map<string, number>();
  /** Ends the pause until the next look. */
  #wake = new AbortController();

  constructor(deps: WatcherDeps) {
    this.#deps = deps;
  }

  get webhooks(): Webhooks | undefined {
    return this.#deps.webhooks;
  }

  countElsewhere(): Promise<number> {
    return this.#deps.countElsewhere?.() ?? Promise.resolve(0);
  }

  /** Works until `close`, from when there is a sign-in. A second call does nothing. */
  start(): void {
    this.#loop ??= this.#repeat();
  }

  /** Calls `listener` after each check that has found something, until the returned function is called. */
  onFound(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Does what is due now. Returns when something will be due next, in milliseconds since the epoch. */
  run(): Promise<number> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** What is true in a budget now, which is not news. Throws if the budget cannot be read. */
  async begin(event: WatchEvent, input: JsonObject, call: BudgetCall): Promise<RuleState> {
    return checkRule(event, input, await scopeOf(call)).state;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#loop;
    await this.#running?.catch(() => {});
  }

  async #repeat(): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // Before the look: what begins during it is seen by another one.
      this.#wake = new AbortController();
      const next = await this.run().catch((err: unknown) => {
        // The next call of a host shows expected errors, such as that the sign-in has ended.
        if (!(err instanceof BudgetError)) log.error({ err, operation: 'watches' }, 'internal error');
        return clock.now() + LOOK_MS;
      });
      const mostMs = this.#isAnythingWatched ? LOOK_MS : CHECK_MS;
      const waitMs = Math.min(Math.max(next - clock.now(), 1_000), mostMs);
      await clock.sleep(waitMs, AbortSignal.any([signal, this.#wake.signal]), true).catch(() => {});
    }
  }

  async #run(): Promise<number> {
    const { clock, webhooks } = this.#deps;
    const { watches } = await this.#deps.client.begin().watching();
    let nextDelivery: number | undefined = Number.POSITIVE_INFINITY;
    if ((await watches.list()).length > 0)
      nextDelivery = await watches.alone(async () => {
        await this.#check(watches);
        return webhooks ? deliverAll(watches, webhooks, clock, this.#closed.signal) : nextDelivery;
      });
    const now = clock.now();
    const left = await watches.list();
    this.#isAnythingWatched = left.length > 0;
    await this.#note(watches, left);
    const nextCheck = ({ checkedAt, budgetId }: Watch) =>
      Math.max(checkedAt, this.#triedAt.get(budgetId) ?? 0) + CHECK_MS;
    // Without it, another process delivers, which may end.
    const look = now + LOOK_MS;
    return Math.min(
      ...left.map((each) => Math.max(nextCheck(each), look)),
      nextDelivery ?? look,
      now + CHECK_MS,
    );
  }

  /** After a watch has begun or was ended. */
  async changed(watches: Watches): Promise<void> {
    this.#wake.abort();
    await this.#note(watches, await watches.list());
  }

  async #note(watches: Watches, first: readonly Watch[]): Promise<void> {
    const { onWatches } = this.#deps;
    if (!onWatches) return;
    let all = first;
    let noted: readonly Watch[] | undefined;
    // Another process may begin or end a watch meanwhile.
    while (!noted || !areSame(all, noted)) {
      noted = all;
      await onWatches(noted);
      all = await watches.list();
    }
  }

  async #check(watches: Watches): Promise<void> {
    const { clock, client } = this.#deps;
    const { signal } = this.#closed;
    // A clock that was set back makes it due, too.
    const isDue = (at: number) => Math.abs(clock.now() - at) >= CHECK_MS;
    const all = await watches.list();
    const begins = new Set(all.map(({ begin }) => begin));
    const due = all.filter(
      ({ checkedAt, budgetId }) => isDue(checkedAt) && isDue(this.#triedAt.get(budgetId) ?? 0),
    );
    for (const budgetId of new Set(due.map((each) => each.budgetId))) {
      if (signal.aborted) return;
      const call = client.begin({ signal });
      if (!(await call.watching()).maySpend) return;
      this.#triedAt.set(budgetId, clock.now());
      try {
        await call.resolveBudget(budgetId);
        const scope = await scopeOf(call);
        const hasNews = await watches.change((current, now) => {
          let hasNews = false;
          const value = current.map((each) => {
            // One that has begun meanwhile may know what was not read here.
            if (each.budgetId !== budgetId || !begins.has(each.begin)) return each;
            const checked = afterCheck(each, scope, now.wall);
            hasNews ||= checked.last > each.last;
            return checked;
          });
          return { value, result: hasNews };
        });
        if (hasNews) for (const listener of this.#listeners) listener();
      } catch (error) {
        // Another budget may still be read. What stays wrong is shown by the next call about this one.
        if (!(error instanceof BudgetError) || error.code === 'cancelled') throw error;
        if (error.code === 'sign_in_ended' || error.code === 'not_signed_in') throw error;
      }
    }
  }
}

const areSame = (all: readonly Watch[], others: readonly Watch[]) =>
  all.length === others.length && all.every(({ begin }, at) => others[at]?.begin === begin);

/** Throws if the budget is not cached, or older than it should be: then the next check finds what is new. */
async function scopeOf(call: BudgetCall): Promise<WatchScope> {
  const found = await call.replica();
  if (!found) throw await call.whyNotCached();
  const { replica, freshness } = found;
  if (freshness.stale_reason !== undefined)
    throw new BudgetError('service_unavailable', `This needs the newest budget. ${freshness.stale_reason}`);
  return { replica, today: call.today, money: plainAmounts(replica.head.currency_format) };
}

/** A watch after a check, with what is new. */
function afterCheck(watch: Watch, scope: WatchScope, now: number): Watch {
  const event = findEvent(watch.event);
  if (!event) return watch;
  const { state, news, isTruncated } = checkRule(event, watch.input, scope, watch.rule);
  const isMissed = isTruncated || now - watch.checkedAt > MISSED_MS;
  // What was left out has a number too, so that a position before it is known to lack something.
  const first = isMissed ? watch.last + 1 : watch.last;
  const occurrences = news.map((each, at) => ({
    number: first + at + 1,
    eventId: eventIdOf(watch.id, event, each, state.day),
    at: now,
    data: dataOf(each, scope),
  }));
  return {
    ...watch,
    rule: state,
    checkedAt: now,
    last: first + occurrences.length,
    lost: isMissed ? first : watch.lost,
    occurrences: [...watch.occurrences, ...occurrences],
  };
}

/** What a receiver gets of it. */
function dataOf({ message, amount, next }: Observation, { replica }: WatchScope) {
  const { id, name, currency_format } = replica.head;
  const data = valuesToUnits(payload, {
    message,
    amount,
    currency: currency_format?.iso_code ?? null,
    budget: quoteStart(name, MAX_BUDGET_NAME),
    next: { ...next, arguments: { ...next.arguments, budget_id: id } },
  });
  return jsonRecord.parse(data);
}
