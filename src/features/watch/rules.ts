/**
 * The rule of a watch: from what was true at the last check and what is true now to what is new. Pure. What was true when the
 * watch began is not new. The same is new at most once a day.
 */
import { createHash } from 'node:crypto';
import { addDays } from '../../base/calendar.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RuleState } from '../../session/watches.ts';
import type { Observation, WatchEvent, WatchScope } from './watch-event.ts';

/** Of one check, so that what was missed does not come all at once. */
const MAX_NEWS = 10;
/** What is observed beyond this number is left out, the oldest first. */
const MAX_OBSERVED = 1_000;

export interface Checked {
  readonly state: RuleState;
  readonly news: readonly Observation[];
  /** Whether there was more that is new. It is never reported. */
  readonly isTruncated: boolean;
}

/** Without `before`, the watch begins. */
export function checkRule(
  { combine, observe }: Pick<WatchEvent, 'combine' | 'observe'>,
  input: JsonObject,
  scope: WatchScope,
  before?: RuleState,
): Checked {
  const observed = observe(scope, input).slice(0, MAX_OBSERVED);
  const digests = new Map(observed.map((each) => [each, digestOf(each.key)]));
  const active = [...new Set(digests.values())];
  const { today } = scope;
  if (!before) return { state: { day: today, active, reported: [] }, news: [], isTruncated: false };
  // A clock that was set back by hours does not make a new day. One that was set to another year does.
  const isSameDay = today <= before.day && before.day <= addDays(today, 1);
  const [day, reported] = isSameDay ? [before.day, before.reported] : [today, []];
  const known = new Set([...before.active, ...reported]);
  const fresh = observed.filter((each) => !known.has(digests.get(each) ?? ''));
  if (!combine) {
    const reportedNow = [...reported, ...fresh.map((each) => digestOf(each.key))];
    const state = { day, active, reported: [...new Set(reportedNow)] };
    return { state, news: fresh.slice(0, MAX_NEWS), isTruncated: fresh.length > MAX_NEWS };
  }
  if (fresh.length === 0 || reported.length > 0) {
    // What is new stays new until tomorrow.
    const state = { day, active: active.filter((each) => before.active.includes(each)), reported };
    return { state, news: [], isTruncated: false };
  }
  const news = [combine(fresh, scope)];
  return { state: { day, active, reported: news.map(({ key }) => digestOf(key)) }, news, isTruncated: false };
}

/** Follows from the watch and from what became true, so that every process gives it the same id. */
export function eventIdOf(
  watchId: string,
  { repeats }: WatchEvent,
  { key }: Observation,
  day: string,
): string {
  const parts = [watchId, key, ...(repeats === 'daily' ? [day] : [])];
  return `evt_${hash(JSON.stringify(parts)).slice(0, 32)}`;
}

/** Long enough that two of one budget are never the same. */
const digestOf = (key: string) => hash(key).slice(0, 11);

const hash = (content: string) => createHash('sha256').update(content).digest('base64url');
