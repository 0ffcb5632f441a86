/**
 * The requests of the Events extension (SEP-3415), in the forms that its clients check: which events there are, and watches whose
 * findings a client asks for, gets while it is connected, or has posted to an address. `watcher.ts` does the work.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { shapeInUnits } from '../answers/units.ts';
import { BudgetError } from '../base/errors.ts';
import { jsonRecord } from '../base/schema/fields.ts';
import { payload } from '../features/watch/watch-event.ts';
import { watchEvents } from '../features/watch/watch-events.ts';
import type { Callback, Watch } from '../session/watches.ts';
import { advertise } from './advertised-schema.ts';
import { type EventWatchesDeps, eventWatchesOf, NOT_FOUND } from './event-watches.ts';
import { schemasOf } from './tool-schemas.ts';
import { cursorAt, eventOf } from './watch-deliveries.ts';
import { CHECK_MS } from './watcher.ts';

const UNSUPPORTED = -32_014;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long a watch is kept without a sign of its client. */
const LIFE_MS = { least: MINUTE_MS, usual: 7 * DAY_MS, most: 30 * DAY_MS, ofPoll: 2 * 60 * MINUTE_MS };
const HEARTBEAT_MS = 25_000;
const MAX_URL = 2_000;
const SECRET_BYTES = { least: 24, most: 64 };

const listHint = { ttlMs: MINUTE_MS, cacheScope: 'private' };

const listing = z.looseObject({}).optional();
const watched = z.object({ name: z.string(), arguments: jsonRecord.default({}) });
const asking = watched.extend({ cursor: z.string().nullish(), maxAgeMs: z.int().min(0).optional() });
const polling = asking.extend({ maxEvents: z.int().min(1).optional() });

function isSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  return length >= SECRET_BYTES.least && length <= SECRET_BYTES.most;
}

const subscribing = asking.extend({
  delivery: z.object({
    mode: z.string().default('webhook'),
    url: z
      .string()
      .max(MAX_URL)
      .refine((text) => URL.canParse(text), 'must be an address'),
    secret: z.string().refine(isSecret, 'must be whsec_ and base64 of 24 to 64 bytes'),
  }),
  ttlMs: z.number().nullish(),
});
const unsubscribing = watched.extend({ delivery: z.object({ url: z.string() }) });

export function handleEvents(server: Server, deps: EventWatchesDeps): void {
  const { watcher, executor, clock } = deps;
  const watches = eventWatchesOf(deps);

  const subscribe = async (wanted: z.output<typeof subscribing>, { mcpReq }: ServerContext) => {
    const { delivery, cursor, ttlMs } = wanted;
    const { webhooks } = watcher;
    if (!webhooks || delivery.mode !== 'webhook') {
      const data = { feature: 'deliveryMode', value: delivery.mode };
      throw new ProtocolError(UNSUPPORTED, 'This mode of delivery is not supported.', data);
    }
    if (!webhooks.accepts(new URL(delivery.url)))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'delivery.url must be a public https address with the usual port, without user, password and fragment.',
      );
    const asked = ttlMs ?? (ttlMs === null ? LIFE_MS.most : LIFE_MS.usual);
    const lifeMs = Math.min(Math.max(asked, LIFE_MS.least), LIFE_MS.most);
    const { watch, isNew } = await watches.keep(wanted, lifeMs, mcpReq.signal, delivery);
    const { callback, occurrences, last } = watch;
    return {
      id: watch.id,
      refreshBefore: timeOf(clock.now() + lifeMs),
      cursor: cursorAt(watch, (occurrences[0]?.number ?? last + 1) - 1),
      // A message that was delivered after what is missing has moved the position of the client.
      truncated: isTruncated(watch, cursor) || watch.lost > (callback?.lostShown ?? watch.lost),
      ...(!isNew && callback && { deliveryStatus: statusOf(callback) }),
    };
  };

  const poll = async (wanted: z.output<typeof polling>, { mcpReq }: ServerContext) => {
    const { watch } = await watches.keep(wanted, LIFE_MS.ofPoll, mcpReq.signal);
    const { cursor, maxAgeMs, maxEvents = watch.occurrences.length } = wanted;
    const after = positionOf(watch, cursor) ?? watch.last;
    const unseen = watch.occurrences.filter(({ number }) => number > after);
    const recent = unseen.filter(({ at }) => maxAgeMs === undefined || at >= clock.now() - maxAgeMs);
    const given = recent.slice(0, maxEvents);
    const hasMore = given.length < recent.length;
    return {
      events: given.map((each) => eventOf(watch, each)),
      cursor: cursorAt(watch, hasMore ? (given.at(-1)?.number ?? after) : watch.last),
      truncated: isTruncated(watch, cursor) || recent.length < unseen.length,
      hasMore,
      nextPollMs: Math.max(watch.checkedAt + CHECK_MS - clock.now(), MINUTE_MS),
    };
  };

  /** Sends what is found until the client ends the request, or the watch has ended. */
  const stream = async (wanted: z.output<typeof asking>, context: ServerContext) => {
    const { signal, id, notify } = context.mcpReq;
    const send = (what: string, params: object) =>
      notify({
        method: `notifications/events/${what}`,
        params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
      });
    let { cursor } = wanted;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // Before the look, so that nothing is found unnoticed after it.
      const found = new AbortController();
      const stopListening = watcher.onFound(() => found.abort());
      try {
        if (!isFirst && !(await watches.has(wanted, signal))) {
          await send('terminated', { error: { code: NOT_FOUND, message: 'The watch has ended.' } });
          break;
        }
        const { events: news, cursor: next, truncated } = await poll({ ...wanted, cursor }, context);
        if (isFirst || truncated) await send('active', { cursor: cursor ?? next, truncated });
        else if (news.length === 0) await send('heartbeat', { cursor: next });
        for (const event of news) await send('event', event);
        cursor = next;
        await clock.sleep(HEARTBEAT_MS, AbortSignal.any([signal, found.signal]), true).catch(() => {});
      } finally {
        stopListening();
      }
    }
    return { _meta: {} };
  };

  server.setRequestHandler('events/list', { params: listing }, () => ({
    events: listEvents(watcher.webhooks !== undefined),
    ...listHint,
  }));
  const handle = <Wanted>(
    method: string,
    params: z.ZodType<Wanted>,
    answer: (wanted: Wanted, context: ServerContext) => Promise<object>,
  ) =>
    server.setRequestHandler(method, { params }, async (wanted, context) => {
      try {
        return { ...(await answer(wanted, context)) };
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const { InvalidParams, InternalError } = ProtocolErrorCode;
        const code = error instanceof BudgetError && isRefusal(error) ? InvalidParams : InternalError;
        throw new ProtocolError(code, executor.explainError(error, method));
      }
    });
  handle('events/subscribe', subscribing, subscribe);
  handle('events/unsubscribe', unsubscribing, async (wanted, { mcpReq }) => {
    await watches.end(wanted, wanted.delivery.url, mcpReq.signal);
    return {};
  });
  handle('events/poll', polling, poll);
  handle('events/stream', asking, stream);
}

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** What the client can mend. */
const isRefusal = ({ code }: BudgetError) =>
  ['invalid_input', 'unknown_budget', 'ambiguous_budget', 'resource_not_found'].includes(code);

function listEvents(hasCallbacks: boolean) {
  const inputOf = advertise(
    watchEvents.map((event) => schemasOf(event).input),
    'input',
  );
  const payloadSchema = advertise([payloadInUnits], 'output')(payloadInUnits);
  return watchEvents.map((event) => ({
    name: event.name,
    description: event.description,
    delivery: ['poll', 'push', ...(hasCallbacks ? ['webhook'] : [])],
    inputSchema: inputOf(schemasOf(event).input),
    payloadSchema,
  }));
}

const payloadInUnits = z.object(shapeInUnits(payload.shape));

/** Undefined for a position of a watch that has ended, or of a state that was replaced by an older one. */
function positionOf({ begin, last }: Watch, cursor: string | null | undefined): number | undefined {
  const [of, number] = cursor?.split('.') ?? [];
  return of === begin && Number(number) <= last ? Number(number) : undefined;
}

/** Whether something after the position of a client is missing. */
const isTruncated = (watch: Watch, cursor: string | null | undefined): boolean =>
  typeof cursor === 'string' && watch.lost > (positionOf(watch, cursor) ?? Number.NEGATIVE_INFINITY);

/** In words that tell nothing of what the receiver has answered. */
const statusOf = ({ isPaused, deliveredAt, lastError, failedSince }: Callback) => ({
  active: !isPaused,
  lastDeliveryAt: deliveredAt === undefined ? null : timeOf(deliveredAt),
  lastError: lastError ?? null,
  ...(failedSince !== undefined && { failedSince: timeOf(failedSince) }),
});
