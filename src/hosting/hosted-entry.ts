/**
 * Who may call a hosted server: every client that has an access token of its authorization server. Each grant has its own endpoint.
 * A client without a token, or with one that does not suffice, learns where to get one (RFC 9728, section 5.1; RFC 6750,
 * section 3.1).
 */
import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { LRUCache } from 'lru-cache';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { currentHostRequest } from '../base/host-request.ts';
import { isTooDeep, parseJson } from '../base/json.ts';
import type { Access } from '../transports/http/access.ts';
import { type HttpEntry, readBody } from '../transports/http/app.ts';
import { bearerTokenOf } from '../transports/http/callers.ts';
import {
  errorResponse,
  TOO_SLOW,
  tooManyResponse,
  unavailableResponse,
} from '../transports/http/error-response.ts';
import { guards } from '../transports/http/guards.ts';
import type { AcceptedRequest, RequestContext } from '../transports/http/request-context.ts';
import { createRefusal, idOf } from '../transports/messages.ts';
import type { Authorization, VerifiedToken } from './authorization.ts';
import { hashOf } from './derived-key.ts';
import type { OpenGrants } from './open-grants.ts';
import { paths, TOKEN_PATH_WITHOUT_METADATA } from './provider.ts';
import { accessLimits, addressOf, publicLimits, tokenLookups } from './public-limits.ts';
import { SCOPES } from './scopes.ts';
import { isLate, isUnavailable, TOKEN_ANSWER_MS, UNAVAILABLE } from './unavailable.ts';

export interface HostedEntryDeps {
  readonly access: Pick<Access, 'hosts' | 'origins'>;
  readonly authorization: Authorization;
  readonly clock: Clock;
  readonly grants: OpenGrants<VerifiedToken>;
  readonly isWrite: (message: unknown) => boolean;
  readonly isReady: () => Promise<boolean>;
  readonly onBug: (error: Error) => void;
}

const UNAUTHORIZED = 401;
const NOT_ALLOWED =
  'The person who allowed this access is not on the list of people of this server (--allow-people). Its operator can add them.';
const CAME_BACK_LATE =
  'This call came back with a new token more than ten seconds after it first arrived, so its client may have given it up. It wrote nothing. Call again, unless you already have.';
/** For one client of a person, streams included: more than a host with a stream for each of its conversations needs. */
const OF_GRANT = { concurrent: 64 };
/** For all clients of a person together, so that the work of one person leaves time for the others. */
const OF_PERSON = { concurrent: 128, perMinute: 600 };
/** Of the id of a grant: enough to distinguish callers in a log. */
const LABEL_LENGTH = 8;
/** Where clients send codes and tokens. */
const TOKEN_PATHS: readonly string[] = [paths.token, TOKEN_PATH_WITHOUT_METADATA, paths.revocation];

export function createHostedEntry(deps: HostedEntryDeps): HttpEntry {
  const { access, authorization, clock, grants, isWrite, isReady, onBug } = deps;
  const findToken = tokenLookups(clock);
  /** A client can send any number of forms with one token, so they do not displace the tokens of calls. */
  const findTokenOfForm = tokenLookups(clock);
  const readPublicBody = publicBodyReader(clock);
  const readRefusedBody = publicBodyReader(clock);
  const refused = refusedCalls(clock);

  const challenge = (parameters: Readonly<Record<string, string>>) =>
    Object.entries({ ...parameters, scope: SCOPES.join(' '), resource_metadata: authorization.metadataUrl })
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ');
  const refuse = (status: number, message: string, parameters: Readonly<Record<string, string>> = {}) =>
    errorResponse(status, message, { headers: { 'www-authenticate': `Bearer ${challenge(parameters)}` } });

  /** While the store cannot be used, nothing is known about tokens. */
  const whileAvailable = <Answer>(work: Promise<Answer>): Promise<Answer | Response> =>
    work.catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      onBug(error);
      return unavailableResponse(UNAVAILABLE);
    });

  /** The client then renews its token, and sends the request again. */
  const refuseToken = () =>
    isLate()
      ? unavailableResponse(TOO_SLOW)
      : refuse(UNAUTHORIZED, 'This access token is not valid any more, or not for this server.', {
          error: 'invalid_token',
        });

  /** A token for reading only gets no further than the question for more. */
  const answer = async (verified: VerifiedToken, request: AcceptedRequest): Promise<Response> => {
    const { grantId, scopes } = verified;
    const { message } = request;
    if (isWrite(message)) {
      if (!scopes.has('budget:write'))
        return refuse(403, 'This access allows reading only.', { error: 'insufficient_scope' });
      // An answer to the call. After another status, the official client before 2.0 does not renew its next token.
      if (refused.comesBackLate(nameOf(grantId, request.request, message)))
        return Response.json(createRefusal(CAME_BACK_LATE, undefined, idOf(message)));
    }
    const endpoint = await grants.endpoint(grantId, verified);
    return endpoint ? endpoint.answer(request) : refuseToken();
  };

  /** A call with a token that was valid. The bodies of others are not read. */
  const refuseCall = async (c: Context<RequestContext>, grantId: string): Promise<Response> => {
    // Only a write of hundreds of transactions is larger.
    if (Number(c.req.header('content-length')) > MAX_BODY_BYTES) return refuseToken();
    const body = await readRefusedBody(c);
    // The client has to learn that it needs a new token in any case.
    const refusal = refuseToken();
    const message = typeof body === 'string' ? parseJson(body) : undefined;
    // The rest of the body may be under way.
    if (typeof body !== 'string') refusal.headers.set('connection', 'close');
    if (refusal.status === UNAUTHORIZED && !isTooDeep(message) && isWrite(message))
      refused.note(nameOf(grantId, c.req.raw, message));
    return refusal;
  };

  /** Returns a response only if the request is refused. */
  const admit = async (c: Context<RequestContext>): Promise<Response | undefined> => {
    const header = c.req.header('authorization');
    if (header === undefined) return refuse(UNAUTHORIZED, 'Sign in: an access token is required.');
    const token = bearerTokenOf(header);
    if (token === undefined) return refuseToken();
    const address = addressOf(c.env.incoming);
    const lookup = await findToken(token, address, (grantId) => authorization.verify(token, grantId));
    if ('refusal' in lookup) return tooManyResponse(lookup.refusal);
    const { found: verified } = lookup;
    if (!verified) return lookup.grantId === undefined ? refuseToken() : refuseCall(c, lookup.grantId);
    const { grantId, personId, scopes } = verified;
    // A new sign-in shows the person what to do, so it is not a 403.
    if (!authorization.isAllowed(personId))
      return refuse(UNAUTHORIZED, NOT_ALLOWED, { error: 'invalid_token', error_description: NOT_ALLOWED });
    // A session that was begun with a token for writing is not continued with one for reading only.
    const level = scopes.has('budget:write') ? 'write' : 'read';
    c.set('owner', `${grantId} ${level} ${c.var.owner}`);
    c.set('caller', grantId);
    c.set('label', grantId.slice(0, LABEL_LENGTH));
    c.set('limits', [
      { of: grantId, ...OF_GRANT },
      { of: `person ${personId}`, ...OF_PERSON },
    ]);
    c.set('endpoint', { answer: (request) => whileAvailable(answer(verified, request)) });
    return undefined;
  };

  const checkToken: MiddlewareHandler<RequestContext> = createMiddleware(
    async (c, next) => (await whileAvailable(admit(c))) ?? next(),
  );

  /** The access that a request of a client is about. While the store cannot be used, it is not known. */
  const accessOf = async (body: string, address: string): Promise<string | undefined> => {
    const find = () => authorization.grantOf(new URLSearchParams(body));
    const lookup = await whileAvailable(findTokenOfForm(body, address, find));
    return 'found' in lookup ? lookup.found?.grantId : undefined;
  };

  const limitPages: MiddlewareHandler<RequestContext> = createMiddleware(async (c, next) => {
    const body = await readPublicBody(c);
    if (body instanceof Response) return body;
    const address = addressOf(c.env.incoming);
    const grantId = TOKEN_PATHS.includes(c.req.path) ? await accessOf(body, address) : undefined;
    c.set('caller', address);
    c.set('limits', grantId === undefined ? publicLimits(c.req.path, address) : accessLimits(grantId));
    return next();
  });

  return {
    guards: guards(access, checkToken),
    pages: { guard: limitPages, routes: authorization.routes },
    // What is open of the grant is closed in `compose-hosted.ts`.
    onAccessEnded: (listener) => authorization.grants.onEnded(listener),
    finish: () => grants.finish(),
    close: () => grants.closeAll(),
    isReady,
    isEncrypted: authorization.metadataUrl.startsWith('https:'),
  };
}

/** The largest form of a client is a tenth of it. */
const MAX_BODY_BYTES = 64 * 1_024;
const TIME_LIMIT_MS = 5_000;
const MAX_WAITING = 512;

/**
 * Reads the bodies of requests that need no token, before these count for a limit: a body that never comes takes no place.
 * Where too many have not come, the request that has waited longest is given up.
 */
function publicBodyReader(clock: Clock) {
  /** The oldest first. */
  const waiting = new Set<AbortController>();
  const end = (request: AbortController) => {
    waiting.delete(request);
    request.abort();
  };

  const inTime = async <Body>(body: Promise<Body>): Promise<Body | 'late'> => {
    const ended = new AbortController();
    waiting.add(ended);
    const [oldest = ended] = waiting;
    if (waiting.size > MAX_WAITING) end(oldest);
    const timeOver = clock.sleep(TIME_LIMIT_MS, ended.signal).catch(() => {});
    const first = await Promise.race([body, timeOver.then(() => 'late' as const)]);
    end(ended);
    return first;
  };

  /** The body, which can be read from the request once more. Empty if its method has none. A response if it is refused. */
  return async (c: Context<RequestContext>): Promise<string | Response> => {
    if (c.req.method !== 'POST') return '';
    const body = await inTime(readBody(c.req.raw, MAX_BODY_BYTES).catch(() => 'incomplete' as const));
    if (body === 'late') return errorResponse(408, 'The request body did not arrive within 5 seconds.');
    if (body === 'incomplete') return errorResponse(400, 'The request body is incomplete.');
    if (body.tooLarge) return errorResponse(413, `A request may have at most ${MAX_BODY_BYTES} bytes.`);
    c.req.raw = new Request(c.req.raw, { body: body.text });
    return body.text;
  };
}

/** `message` is the whole call, with its id. Calls of another session of the older era may have the same one. */
const nameOf = (grantId: string, { headers }: Request, message: unknown) =>
  hashOf(JSON.stringify([grantId, headers.get('mcp-session-id'), message]));

const MAX_CALLS = 10_000;
/** A client that is started again may use the id of an earlier call. */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Writes whose tokens were refused. The official clients renew the token and send the call again, in the older era also one that
 * they have given up meanwhile and replaced by another. Only the time since the call first arrived shows which it is.
 */
function refusedCalls(clock: Clock) {
  /** `waitedMs` is how long the client had waited at the moment `at`. */
  const calls = new LRUCache<string, { readonly at: Moment; readonly waitedMs: number }>({ max: MAX_CALLS });
  const find = (name: string) => {
    const call = calls.get(name);
    return call && ageOf(clock, call.at) < REMEMBERED_MS ? call : undefined;
  };
  return {
    /** If the call was refused before, that time counts. */
    note(name: string): void {
      if (find(name)) return;
      const waitedMs = currentHostRequest()?.waitedMs() ?? 0;
      calls.set(name, { at: momentOf(clock), waitedMs });
    },
    /** Whether this is a refused call that comes back so late that its client may have given it up. Each is late only once. */
    comesBackLate(name: string): boolean {
      const call = find(name);
      calls.delete(name);
      return call !== undefined && ageOf(clock, call.at) + call.waitedMs > TOKEN_ANSWER_MS;
    },
  };
}
