/**
 * One HTTP exchange: it knows connections, time limits, sizes and proxies, and nothing of budgets. It never retries
 * and never follows a redirect, which would carry the token elsewhere.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { refuseUncheckedCertificate } from '../auth/service-address.ts';
import { BudgetError } from '../errors.ts';
import { cancelledError } from '../platform/abort.ts';
import type { Clock } from '../platform/clock.ts';
import { word } from '../platform/quote.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How large an answer may be, unpacked; that of a token endpoint is small. */
  readonly maxBytes?: number;
}

/** Where nothing else is said. */
const SMALL = 64 * 2 ** 10;

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Told of the bytes of a body that have come so far, as they were sent. */
export type OnProgress = (received: number) => void;

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

export interface HttpSenderOptions {
  readonly clock: Clock;
  readonly proxy?: ProxySettings;
  /** False where Node.js was told to accept any certificate: then nothing is sent to other machines. */
  readonly checksCertificates?: boolean;
  /** For one whole exchange. The service itself gives up after 30 s (specification, Limits). */
  readonly timeoutMs?: number;
}

export class HttpSender {
  /** Since the first request: the library takes longer to load than all else of a start. */
  #dispatcher: ReturnType<typeof createDispatcher> | undefined;
  readonly #proxy: ProxySettings | undefined;
  readonly #checksCertificates: boolean;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor({ clock, proxy, checksCertificates = true, timeoutMs = 40_000 }: HttpSenderOptions) {
    this.#clock = clock;
    this.#proxy = proxy;
    this.#checksCertificates = checksCertificates;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The response, whatever its status. A `BudgetError` where there is none, or where it is larger than allowed; of a
   * failure that is too large the status is what counts, and its body is given as empty.
   */
  async send(
    request: HttpRequest,
    signal?: AbortSignal,
    onBytes?: OnProgress,
    timeoutMs = this.#timeoutMs,
  ): Promise<HttpResponse> {
    if (!this.#checksCertificates) refuseUncheckedCertificate(request.url);
    const exchange = new AbortController();
    const timeout = this.#clock.sleep(timeoutMs, exchange.signal).then(
      () => exchange.abort(new BudgetError('timed_out', `No answer within ${timeoutMs / 1000} s.`)),
      () => {},
    );
    const cancel = () => exchange.abort(cancelledError());
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const { origin, pathname, search } = new URL(request.url);
      const dispatcher = await this.#dispatch();
      const response = await dispatcher.request({
        origin,
        path: pathname + search,
        method: request.method,
        headers: { 'accept-encoding': 'gzip', ...request.headers },
        body: request.body ?? null,
        signal: exchange.signal,
      });
      const { statusCode: status, headers } = response;
      const isSuccess = status >= 200 && status < 300;
      const maxBytes = isSuccess ? (request.maxBytes ?? SMALL) : SMALL;
      const packed = await read(response.body, maxBytes, onBytes);
      const body = packed && (await unpack(packed, headers['content-encoding'], maxBytes));
      if (!body && isSuccess)
        throw new BudgetError(
          'unexpected_response',
          'The answer of the service is larger than can be taken in.',
        );
      return { status, headers, body: body?.toString('utf8') ?? '' };
    } catch (error) {
      throw exchange.signal.aborted ? exchange.signal.reason : toBudgetError(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      exchange.abort();
      await timeout;
    }
  }

  #dispatch(): ReturnType<typeof createDispatcher> {
    this.#dispatcher ??= createDispatcher(this.#proxy).catch((error: unknown) => {
      this.#dispatcher = undefined;
      throw error;
    });
    return this.#dispatcher;
  }

  async close(): Promise<void> {
    const dispatcher = await this.#dispatcher?.catch(() => undefined);
    await dispatcher?.destroy();
  }
}

async function createDispatcher(proxy: ProxySettings | undefined) {
  // The names of a CommonJS module are not there once it is bundled; its default is.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  // The one time limit is the sender's, by its clock; a connection is made fast or not at all.
  const options = { connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 };
  return proxy ? new EnvHttpProxyAgent({ ...options, ...proxy }) : new Agent(options);
}

/** Undefined where it is larger than allowed. */
async function read(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  onBytes?: OnProgress,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
    onBytes?.(size);
  }
  return Buffer.concat(chunks);
}

const unzip = promisify(gunzip);

/** Undefined where it is larger than allowed. */
async function unpack(
  body: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding === 'gzip')
    return unzip(body, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return undefined;
      throw error;
    });
  const name = word(String(encoding));
  throw new BudgetError('unexpected_response', `The service's answer is packed in an unknown way (${name}).`);
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  // A proxy that refuses the tunnel; whatever we abort ourselves has its own reason.
  'UND_ERR_ABORTED',
]);

const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function toBudgetError(error: unknown): unknown {
  if (error instanceof BudgetError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === 'ERR_MODULE_NOT_FOUND')
    return new BudgetError('program_replaced', 'The files of this server are others now.', { cause: error });
  // A route that vanishes later, under a connection that was there, may have carried the request.
  const connected = 'syscall' in error && (error.syscall === 'read' || error.syscall === 'write');
  if (UNREACHABLE.has(code) && !connected)
    return new BudgetError('unreachable', `The service cannot be reached (${code}).`, { cause: error });
  if (LOST.has(code) || connected)
    return new BudgetError('connection_lost', `The connection broke off (${code}).`, { cause: error });
  // Certificates, protocol violations, broken compression: the peer is not what it should be.
  return new BudgetError('unexpected_response', `The exchange failed (${code || error.name}).`, {
    cause: error,
  });
}
