/**
 * The watches of one principal: begun, found, renewed and ended. The id of a watch follows from its principal, its address, its
 * event and its arguments, so that the same is watched once. It does not know the forms of requests.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ProtocolError } from '@modelcontextprotocol/server';
import type { Clock } from '../base/clock.ts';
import { canonicalJson } from '../base/json.ts';
import { word } from '../base/quote.ts';
import { jsonRecord } from '../base/schema/fields.ts';
import type { WatchEvent } from '../features/watch/watch-event.ts';
import { findEvent } from '../features/watch/watch-events.ts';
import type { Callback, Watch, Watches } from '../session/watches.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { schemasOf } from './tool-schemas.ts';
import { verify } from './watch-deliveries.ts';
import type { Watcher } from './watcher.ts';

/** The codes of the extension. */
export const NOT_FOUND = -32_011;
const EXHAUSTED = -32_013;
const CALLBACK_FAILED = -32_015;

const SECRETS_OVERLAP_MS = 10 * 60_000;
/** Of one sign-in, which bounds its record and is divided among its callers, and of one person. */
const MAX_WATCHES = { ofSignIn: 20, ofPerson: 50 };

/** What is to be watched, as a client says it. */
export interface Wanted {
  readonly name: string;
  readonly arguments: Watch['arguments'];
}

export interface EventWatchesDeps {
  readonly watcher: Watcher;
  readonly executor: ToolExecutor;
  readonly clock: Clock;
  /** Whose watches these are, if several callers share a sign-in. */
  readonly principal: string;
  /** The ids of those callers that the settings name. */
  readonly namedCallers?: (() => readonly string[]) | undefined;
}

/** Of deliveries that begin or go on. */
const FRESH = { attempts: 0, isPaused: false, lostShown: 0 };

type Receiver = Pick<Callback, 'url' | 'secret'>;

export function eventWatchesOf({ watcher, executor, clock, principal, namedCallers }: EventWatchesDeps) {
  const idOf = ({ name, arguments: given }: Wanted, url = ''): string => {
    const text = canonicalJson([principal, url, name, given]);
    return `sub_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
  };

  const watchesOf = async (signal: AbortSignal): Promise<Watches> =>
    (await executor.begin({ signal }).watching()).watches;

  /** Undefined if another watch may begin. */
  const refusalOf = (known: readonly Watch[], elsewhere: number): ProtocolError | undefined => {
    const { ofSignIn, ofPerson } = MAX_WATCHES;
    const callers = Math.max(namedCallers?.().length ?? 0, 1);
    const ofCaller = Math.max(Math.floor(ofSignIn / callers), 1);
    const refuse = (reason: string, max: number) =>
      new ProtocolError(EXHAUSTED, reason, { limit: 'subscriptions', max });
    if (callers > 1 && known.filter((each) => each.principal === principal).length >= ofCaller)
      return refuse(`At most ${ofCaller} things can be watched by each of ${callers} callers.`, ofCaller);
    if (known.length >= ofSignIn) return refuse(`At most ${ofSignIn} things can be watched.`, ofSignIn);
    if (known.length < ofPerson - elsewhere) return undefined;
    const others = `other applications have ${elsewhere}`;
    return refuse(
      `At most ${ofPerson} things can be watched for one person, and ${others}.`,
      ofPerson - elsewhere,
    );
  };

  const checkReceiver = async (id: string, callback: Receiver, signal: AbortSignal): Promise<void> => {
    const { webhooks } = watcher;
    const outcome = webhooks && (await verify(id, callback, webhooks, signal));
    if (!outcome || 'accepted' in outcome) return;
    if ('isPostponed' in outcome)
      throw new ProtocolError(EXHAUSTED, 'Too many addresses have to confirm now. Try again in a minute.', {
        limit: 'challenges',
      });
    const { error: reason } = outcome;
    throw new ProtocolError(CALLBACK_FAILED, 'The address did not confirm that it wants this.', { reason });
  };

  const beginWatch = async (
    event: WatchEvent,
    { arguments: given }: Wanted,
    id: string,
    lifeMs: number,
    signal: AbortSignal,
    callback?: Receiver,
  ): Promise<Watch> => {
    const parsed = schemasOf(event).parse(given);
    const { call, input } = await executor.resolve(event, parsed, executor.begin({ signal }));
    const { watches } = await call.watching();
    const all = await watches.list();
    const elsewhere = await watcher.countElsewhere();
    const refusal = refusalOf(all, elsewhere);
    if (refusal) throw refusal;
    const rule = await watcher.begin(event, input, call);
    const isVerified = all.some(
      (each) => each.principal === principal && each.callback?.url === callback?.url,
    );
    if (callback && !isVerified) await checkReceiver(id, callback, signal);
    const begin = randomBytes(6).toString('base64url');
    const begun = await watches.change<Watch | ProtocolError>((known, { wall }) => {
      // Another process may have begun it meanwhile.
      const same = known.find((each) => each.id === id);
      if (same) return { value: known, result: same };
      const tooMany = refusalOf(known, elsewhere);
      if (tooMany) return { value: known, result: tooMany };
      const watch: Watch = {
        ...{ id, begin, principal, event: event.name, arguments: given, input: jsonRecord.parse(input) },
        budgetId: call.budget?.id ?? '',
        ...(callback && { callback: { ...callback, ...FRESH, nextAt: wall } }),
        ...{ expiresAt: wall + lifeMs, checkedAt: wall, rule, last: 0, lost: 0, occurrences: [] },
      };
      return { value: [...known, watch], result: watch };
    });
    if (begun instanceof ProtocolError) throw begun;
    await watcher.changed(watches);
    return begun;
  };

  return {
    /** The watch, which begins if there is none. It ends after `lifeMs` without another call. */
    async keep(wanted: Wanted, lifeMs: number, signal: AbortSignal, callback?: Receiver) {
      const event = findEvent(wanted.name);
      if (!event)
        throw new ProtocolError(NOT_FOUND, `There is no event ${word(wanted.name)}.`, { kind: 'event' });
      const id = idOf(wanted, callback?.url);
      const watches = await watchesOf(signal);
      const known = (await watches.list()).find((each) => each.id === id);
      watcher.start();
      if (!known)
        return { watch: await beginWatch(event, wanted, id, lifeMs, signal, callback), isNew: true };
      // That of a client that asks again and again is not changed each time, because a change costs more than a read.
      if (callback || known.expiresAt - clock.now() < lifeMs / 2)
        await watches.changeOne(known, (each, { wall }) =>
          renewed(each, wall, lifeMs, callback && { secret: callback.secret, lostShown: known.lost }),
        );
      return { watch: known, isNew: false };
    },

    /** Whether it is watched without an address. */
    async has(wanted: Wanted, signal: AbortSignal): Promise<boolean> {
      const id = idOf(wanted);
      return (await (await watchesOf(signal)).list()).some((each) => each.id === id);
    },

    async end(wanted: Wanted, url: string, signal: AbortSignal): Promise<void> {
      const watches = await watchesOf(signal);
      if (!(await watches.remove(idOf(wanted, url))))
        throw new ProtocolError(NOT_FOUND, 'There is no such subscription.', { kind: 'subscription' });
    },
  };
}

/** The watch goes on, also if its deliveries were paused. */
function renewed(
  watch: Watch,
  now: number,
  lifeMs: number,
  given?: Pick<Callback, 'secret' | 'lostShown'>,
): Watch {
  const { callback } = watch;
  const expiresAt = now + lifeMs;
  if (!callback || !given) return { ...watch, expiresAt };
  const { secret } = given;
  const { failedSince: _, ...rest } = callback;
  const isOther = secret !== callback.secret;
  const earlier = isOther ? { secret: callback.secret, until: now + SECRETS_OVERLAP_MS } : callback.earlier;
  return {
    ...watch,
    expiresAt,
    callback: { ...rest, ...FRESH, ...given, ...(earlier && { earlier }), nextAt: now },
  };
}
