/**
 * Posts messages to the receivers of watches, signed by Standard Webhooks. Receivers are strangers: `public-fetch.ts` connects to
 * public addresses only, which it checks at each message, and follows no redirect. It does not know what is watched.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../base/clock.ts';
import {
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
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4_096;
/** For one receiving host, so that this server is of no use for a flood. */
const PER_HOST = { concurrent: 16, perMinute: 600 };
/** Of these for one person, so that nobody takes the messages of others. */
const PER_PERSON = { concurrent: 8, perMinute: 60 };
const MINUTE_MS = 60_000;

/** Returns what posts the messages for one person, by the person's id. All have the limits of a host together. */
export function createWebhooks({ clock, allowsAll, ca, nameServers }: WebhookOptions) {
  const send = createPublicRequest({
    clock,
    isAllowed: (address) => allowsAll || isPublicAddress(address),
    ...(ca !== undefined && { ca }),
    ...(nameServers && { nameServers }),
  });
  const hosts = new MessageLimits(clock, PER_HOST);
  const people = new MessageLimits(clock, PER_PERSON);
  const admit = (personId: string, host: string) => {
    const releasePerson = people.admit(`${personId} ${host}`);
    const releaseHost = releasePerson && hosts.admit(host);
    if (!releaseHost) releasePerson?.();
    return (
      releaseHost &&
      (() => {
        releaseHost();
        releasePerson();
      })
    );
  };
  return (personId: string) => ({
    accepts({ protocol, port, username, password, hash }: URL): boolean {
      if (username !== '' || password !== '' || hash !== '') return false;
      return allowsAll ? protocol === 'https:' || protocol === 'http:' : protocol === 'https:' && port === '';
    },
    async post({ url: text, watchId, messageId, body, secrets }: Message, signal?: AbortSignal) {
      const url = new URL(text);
      const release = admit(personId, url.host);
      if (!release) return { error: 'timeout' as const, isPostponed: true };
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

/** By the codes of Node.js and OpenSSL. */
const isOfTls = (error: unknown) =>
  error instanceof Error && 'code' in error && /TLS|SSL|CERT|ISSUER|SIGNED|VERIFY/.test(String(error.code));

/** How many messages there are for each key at once and in a minute. */
class MessageLimits {
  readonly #clock: Clock;
  readonly #limits: { readonly concurrent: number; readonly perMinute: number };
  readonly #keys = new Map<string, { current: number; sent: number }>();
  #since = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: { readonly concurrent: number; readonly perMinute: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Undefined if there are too many. */
  admit(key: string): (() => void) | undefined {
    const now = this.#clock.monotonic();
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now;
      for (const [name, known] of this.#keys)
        if (known.current === 0) this.#keys.delete(name);
        else known.sent = 0;
    }
    const known = this.#keys.get(key) ?? { current: 0, sent: 0 };
    if (known.current >= this.#limits.concurrent || known.sent >= this.#limits.perMinute) return undefined;
    this.#keys.set(key, known);
    known.current += 1;
    known.sent += 1;
    return () => {
      known.current -= 1;
    };
  }
}
