/**
 * Sends one HTTP request and reads its response. It handles connections, time limits, size limits and proxies. It never
 * retries. It never follows a redirect, because that would send the token to another server.
 */

import { Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { refuseUncheckedCertificate } from '../../auth/service-address.ts';
import { cancelledError, OVER, onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { errnoOf } from '../../base/errno.ts';
import { BudgetError, errorOfImport, unexpectedResponse } from '../../base/errors.ts';
import { word } from '../../base/quote.ts';
import { inTurns } from '../../base/turns.ts';
import type { OnProgress } from '../freshness/shared-request.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The maximum size of the decompressed body of a successful response. */
  readonly maxBytes?: number;
}

/** The maximum size without `maxBytes`, and of any error response. */
const DEFAULT_MAX_BYTES = 64 * 2 ** 10;

export interface HttpResponse<Body = string> {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

export interface HttpSenderOptions {
  readonly clock: Clock;
  readonly proxy?: ProxySettings;
  /** False if Node.js is configured to accept any certificate. Requests to other machines are then refused. */
  readonly checksCertificates?: boolean;
  /** The time limit from sending to the end of the body. */
  readonly timeoutMs?: number;
}

/** The service itself needs up to 30 s (docs/interface.md, Limits). */
export const REQUEST_TIMEOUT_MS = 40_000;

export class HttpSender {
  /** Created at the first request, because loading the library would slow down the start of the program. */
  #dispatcher: ReturnType<typeof createDispatcher> | undefined;
  readonly #options: HttpSenderOptions;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
  }

  /** As `exchange`, with the text of the body. For small responses, because decoding a large one takes long. */
  async send(...request: Parameters<HttpSender['exchange']>): Promise<HttpResponse> {
    const response = await this.exchange(...request);
    return { ...response, body: response.body.toString('utf8') };
  }

  /** Returns a response with any status. Throws a `BudgetError` if there is none, or a success is too large. Too large an error gets an empty body. */
  async exchange(
    request: HttpRequest,
    signal?: AbortSignal,
    onProgress?: OnProgress,
    timeoutMs = this.#options.timeoutMs ?? REQUEST_TIMEOUT_MS,
  ): Promise<HttpResponse<Buffer>> {
    const { clock, checksCertificates = true } = this.#options;
    if (!checksCertificates) refuseUncheckedCertificate(request.url);
    const abortController = new AbortController();
    const timeout = clock.sleep(timeoutMs, abortController.signal).then(
      () => abortController.abort(new BudgetError('timed_out', `No response within ${timeoutMs / 1000} s.`)),
      () => {},
    );
    const stopListening = onAbort(signal, () => abortController.abort(cancelledError()));
    try {
      const { origin, pathname, search } = new URL(request.url);
      const dispatcher = await this.#dispatch();
      const response = await dispatcher.request({
        origin,
        path: pathname + search,
        method: request.method,
        headers: { 'accept-encoding': 'gzip', ...request.headers },
        body: request.body ?? null,
        signal: abortController.signal,
      });
      const { statusCode: status, headers } = response;
      const isSuccess = status >= 200 && status < 300;
      const maxBytes = isSuccess ? (request.maxBytes ?? DEFAULT_MAX_BYTES) : DEFAULT_MAX_BYTES;
      const received = await read(response.body, maxBytes, onProgress);
      const body = received && (await decompress(received, headers['content-encoding'], maxBytes));
      if (!body && isSuccess)
        throw unexpectedResponse('The response of the service is larger than this server accepts.');
      return { status, headers, body: await inTurns(joined(body ?? [])) };
    } catch (error) {
      throw abortController.signal.aborted ? abortController.signal.reason : toBudgetError(error);
    } finally {
      stopListening();
      abortController.abort(OVER);
      await timeout;
    }
  }

  #dispatch(): ReturnType<typeof createDispatcher> {
    this.#dispatcher ??= createDispatcher(this.#options.proxy).catch((error: unknown) => {
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
  // esbuild exposes only `default` for a bundled CommonJS module.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  // The sender has its own time limit, by its own clock. Only connecting has a shorter one.
  const options = { connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 };
  return proxy ? new EnvHttpProxyAgent({ ...options, ...proxy }) : new Agent(options);
}

/** Undefined if the body is too large. */
async function read(body: AsyncIterable<Buffer>, maxBytes: number, onProgress?: OnProgress) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
    onProgress?.(size);
  }
  return chunks;
}

/** Small bodies, such as changes of a budget, are decompressed at once, since a stream takes longer. They become 4 MiB at most. */
const MAX_BYTES_AT_ONCE = 4_096;

/** Undefined if the body is too large. */
async function decompress(
  chunks: Buffer[],
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer[] | undefined> {
  if (encoding === undefined || encoding === 'identity') return chunks;
  if (encoding === 'gzip') {
    const [first, second] = chunks;
    if (!first || second || first.length > MAX_BYTES_AT_ONCE)
      return read(Readable.from(chunks).pipe(createGunzip({ chunkSize: 65_536 })), maxBytes);
    const body = gunzipSync(first);
    return body.length <= maxBytes ? [body] : undefined;
  }
  const name = word(String(encoding));
  throw unexpectedResponse(`The service's response has an unknown content encoding (${name}).`);
}

/** Copying a large body at once would take long. */
function* joined(chunks: readonly Buffer[]): Generator<void, Buffer> {
  const [first, ...others] = chunks;
  if (first && others.length === 0) return first;
  const body = Buffer.allocUnsafe(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const [i, chunk] of chunks.entries()) {
    at += chunk.copy(body, at);
    if (i % CHUNKS_IN_STEP === CHUNKS_IN_STEP - 1) yield;
  }
  return body;
}

const CHUNKS_IN_STEP = 32;

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  // A proxy refused the tunnel. Our own aborts have another error.
  'UND_ERR_ABORTED',
]);

const CONNECTION_LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

function toBudgetError(error: unknown): unknown {
  if (error instanceof BudgetError || !(error instanceof Error)) return error;
  const code = errnoOf(error);
  if (code === 'ERR_MODULE_NOT_FOUND') return errorOfImport(error);
  // A network error while reading or writing comes after connecting, so the request may have arrived.
  const connected = 'syscall' in error && (error.syscall === 'read' || error.syscall === 'write');
  if (UNREACHABLE.has(code) && !connected)
    return new BudgetError('unreachable', `The service cannot be reached (${code}).`, { cause: error });
  if (CONNECTION_LOST.has(code) || connected)
    return new BudgetError('connection_lost', `The connection was lost (${code}).`, { cause: error });
  // Invalid certificates, protocol violations and invalid compression.
  return unexpectedResponse(`The request failed (${code || error.name}).`, { cause: error });
}
