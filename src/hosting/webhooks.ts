/**
 * Posts messages to the receivers of watches, signed by Standard Webhooks. Receivers are strangers: `public-fetch.ts` connects to
 * public addresses only, which it checks at each message, and follows no redirect. It does not know what is watched.
 */
import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../base/clock.ts';
import { RequestLimits } from '../transports/http/request-limits.ts';
import {
  addressIn,
  createPublicRequest,
  isPublicAddress,
  type PublicFetchOptions,
  TimeoutError,
} from './public-fetch.ts';

export interface WebhookOptions extends Pick<PublicFetchOptions, 'ca' | 'nameServers'> {
  readonly clock: Clock;
  /** Also addresses of this machine and of its network, with every port and without encryption. */
  readonly allowsAll: boolean;
}

interface Message {
  readonly url: string;
  readonly watchId: string;
  readonly messageId: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly isOnDemand?: boolean;
}

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4_096;
/** So that this server is of no use for a flood. Of a host, one person leaves a part to the others. */
const OF_HOST = { concurrent: 16, perMinute: 600 };
/** Of one person, whatever the host: challenges and tests. */
const ON_DEMAND = { perMinute: 10 };
/** Of messages that wait, more are forgotten: such a message may be tried again at once. */
const MAX_WAITING = 50_000;

export function createWebhooks({ allowsAll, ...options }: WebhookOptions) {
  const { clock } = options;
  const isAllowed = (address: string) => allowsAll || isPublicAddress(address);
  const send = createPublicRequest({ ...options, isAllowed });
  const limits = new RequestLimits(clock);
  const waiting = new WaitingMessages(clock);
  return (personId: string) => ({
    accepts(url: URL): boolean {
      const { protocol, port, username, password, hash } = url;
      const address = addressIn(url);
      if (username !== '' || password !== '' || hash !== '') return false;
      if (address !== undefined && !isAllowed(address)) return false;
      return allowsAll ? protocol === 'https:' || protocol === 'http:' : protocol === 'https:' && port === '';
    },
    async post(
      { url: text, watchId, messageId, body, secrets, isOnDemand = false }: Message,
      signal?: AbortSignal,
    ) {
      const url = new URL(text);
      const message = `${personId} ${watchId}`;
      const leftMs = isOnDemand ? 0 : waiting.leftMs(message);
      if (leftMs > 0) return { isPostponed: true as const, waitMs: leftMs };
      const release = limits.admit([
        ...(isOnDemand ? [{ of: `person ${personId}`, ...ON_DEMAND }] : []),
        { of: `host ${url.host}`, ...OF_HOST, sender: personId },
      ]);
      if (typeof release !== 'function') {
        const atLeastMs = release.retryAfterSeconds * 1_000;
        const waitMs = isOnDemand ? atLeastMs : waiting.add(message, url.host, atLeastMs);
        return { isPostponed: true as const, waitMs };
      }
      try {
        const now = new Date(clock.now());
        const signatures = secrets
          .toReversed()
          .map((secret) => new Webhook(secret).sign(messageId, now, body));
        const { status, body: answer } = await send(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
            'webhook-id': messageId,
            'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
            'webhook-signature': signatures.join(' '),
            'x-mcp-subscription-id': watchId,
          },
          body,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
          allowsPlain: allowsAll,
        });
        if (status >= 200 && status < 300) return { accepted: answer.toString() };
        // A redirect could lead to an address that is not public.
        return { error: status >= 500 ? ('http_5xx' as const) : ('http_4xx' as const), status };
      } catch (error) {
        if (error instanceof TimeoutError) return { error: 'timeout' as const };
        return { error: isOfTls(error) ? ('tls_error' as const) : ('connection_refused' as const) };
      } finally {
        release();
      }
    },
  });
}

/**
 * When each message that a host has no room for may be tried again. They wait one behind the other, as far apart as the host takes
 * messages, so that all of them together are tried no more often than that, however many there are.
 */
class WaitingMessages {
  readonly #clock: Clock;
  /** By the monotonic clock. */
  readonly #dueAt = new LRUCache<string, number>({ max: MAX_WAITING });
  /** Of the last message for each host. */
  readonly #lastDueAt = new LRUCache<string, number>({ max: MAX_WAITING });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long it still waits. */
  leftMs(message: string): number {
    return (this.#dueAt.get(message) ?? 0) - this.#clock.monotonic();
  }

  /** Returns how long it waits. */
  add(message: string, host: string, atLeastMs: number): number {
    const now = this.#clock.monotonic();
    const afterLast = (this.#lastDueAt.get(host) ?? 0) + MINUTE_MS / OF_HOST.perMinute;
    const dueAt = Math.max(now + atLeastMs, afterLast);
    this.#lastDueAt.set(host, dueAt);
    this.#dueAt.set(message, dueAt);
    return dueAt - now;
  }
}

/** By the codes of Node.js and OpenSSL. */
const isOfTls = (error: unknown) =>
  error instanceof Error && 'code' in error && /TLS|SSL|CERT|ISSUER|SIGNED|VERIFY/.test(String(error.code));
