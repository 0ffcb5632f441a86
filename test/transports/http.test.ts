import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EndedRequest } from '../../src/transports/http/observed-request.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { closed, connected, exchange, opened, requestOf } from '../raw-http.helper.ts';
import {
  begin,
  callRequest,
  cancelIn,
  initialize,
  LONG,
  listenRequest,
  modernRequest,
  notifyIn,
  ping,
  requestIn,
  type Serving,
  startServing,
  streamRequest,
  waitIn,
  waitRequest,
} from './http-serving.helper.ts';

const OURS = { authorization: 'Bearer our-own-token-for-calls-by-http-0001' };
const THEIRS = { authorization: 'Bearer the-token-of-another-caller-by-http-2' };
const OTHERS = { authorization: 'Bearer the-token-of-a-third-caller-by-http-3' };
const TOKENS = [OURS, THEIRS, OTHERS].map(({ authorization }) => authorization.slice('Bearer '.length));
const MINUTE = 60_000;
const HEALTH = requestOf('GET', '/healthz');

/** Resolves when the session's host has its stream open. */
async function listening({ port }: Serving, session: string, caller = {}) {
  const stream = await opened(port, streamRequest(session, caller));
  expect(await stream.until('\r\n\r\n')).toContain('text/event-stream');
  return stream;
}

describe('a connection', () => {
  it('a connection that closes while responses wait behind another one frees the places of all its requests', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    for (let round = 0; round < 2; round += 1) {
      const { socket, until } = await opened(
        serving.port,
        streamRequest(session) + waitRequest().repeat(200),
      );
      await until('\r\n\r\n');
      socket.destroy();
      await closed(socket);
    }
    expect((await ping(serving, session)).status).toBe(200);
  });
});

describe('connections without a request', () => {
  /** Each has had a request before, since one without any is closed after five seconds. */
  const idle = async ({ port }: Serving, number: number) => {
    const sockets: Socket[] = [];
    for (let opened = 0; opened < number; opened += 1) {
      const socket = await connected(port);
      socket.write(HEALTH);
      await once(socket, 'data');
      sockets.push(socket);
    }
    return sockets;
  };

  it('of more than 1,000 connections without a request, the oldest is closed', async () => {
    const serving = await startServing();
    const [first, second] = await idle(serving, 999);
    // One that has had no request counts too.
    await connected(serving.port);
    const [newest] = await idle(serving, 1);
    if (!first || !second || !newest) throw new Error('There are 1,001.');
    await closed(first);
    // A request makes its connection the newest.
    second.write(HEALTH);
    await once(second, 'data');
    await idle(serving, 990);
    newest.write(HEALTH);
    second.write(HEALTH);
    for (const socket of [newest, second]) expect(String(await once(socket, 'data'))).toContain('200 OK');
  });

  it('a connection whose second request is still unanswered does not count as one without a request', async () => {
    const serving = await startServing();
    const asking = await opened(serving.port, HEALTH + waitRequest());
    const { end } = await serving.calls.next();
    await asking.until('{"status":"ok"}');
    await idle(serving, 1_050);
    end();
    expect(await asking.until('done')).toContain('done');
  });
});

describe('a session', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2024-11-05'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-11-25'],
  ])('a host that asks for %s gets %s, because batches are not answered', async (wanted, agreed) => {
    const { body } = await initialize(await startServing(), {}, {}, wanted);
    expect(body).toContain(`"protocolVersion":"${agreed}"`);
  });

  it.each([
    ['null counts as no arguments', null],
    ['the JSON text of an object counts as the object', '{}'],
  ])('%s, for tools and prompts', async (_, args) => {
    const serving = await startServing();
    const session = await begin(serving);
    const answer = requestIn(serving, session, 'tools/call', { name: 'wait', arguments: args });
    (await serving.calls.next()).end();
    expect((await answer).body).toContain('done');
    const prompt = await requestIn(serving, session, 'prompts/get', { name: 'greet', arguments: args });
    expect(prompt.body).toContain('hello');
  });

  it('a session ends after half an hour without use', async () => {
    const serving = await startServing();
    const [used, unused] = [await begin(serving), await begin(serving)];
    serving.clock.advance(29 * MINUTE);
    expect((await ping(serving, used)).status).toBe(200);
    // Sessions are checked every three minutes.
    serving.clock.advance(4 * MINUTE);
    expect((await ping(serving, used)).status).toBe(200);
    expect((await ping(serving, unused)).status).toBe(404);
  });

  it('a session does not end while its host has a stream open', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    await listening(serving, session);
    serving.clock.advance(24 * 60 * MINUTE);
    expect((await ping(serving, session)).status).toBe(200);
  });

  it('when all sessions are taken, a new one replaces the least recently used one', async () => {
    const serving = await startServing();
    const [first = '', second = '', ...others] = await Promise.all(
      Array.from({ length: 512 }, () => begin(serving)),
    );
    expect(new Set(others).size).toBe(510);
    await ping(serving, first);
    await begin(serving);
    const statuses = await Promise.all(
      [first, second, ...others].map(async (id) => (await ping(serving, id)).status),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(1);
    expect(statuses[0]).toBe(200);
  });

  it('no session can begin while all are in use', async () => {
    const serving = await startServing(TOKENS);
    for (const caller of [OURS, THEIRS]) {
      const sessions = await Promise.all(Array.from({ length: 256 }, () => begin(serving, { caller })));
      await Promise.all(sessions.map((id) => listening(serving, id, caller)));
    }
    expect(await initialize(serving, OTHERS)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '60' },
    });
  });
});

describe('a call in a session', () => {
  it('cancelled calls in a session free their places, however many there are', async () => {
    const serving = await startServing();
    const session = await begin(serving, { capabilities: { elicitation: {} } });
    for (let round = 0; round < 300; round += 1) {
      const name = round % 2 === 0 ? 'wait' : 'consent';
      const call = await opened(serving.port, callRequest(session, name, {}, round));
      const { signal, end } = await serving.calls.next();
      if (name === 'consent') {
        end();
        await call.until('elicitation/create');
      }
      expect((await cancelIn(serving, session, round)).status).toBe(202);
      expect(signal.aborted).toBe(true);
      await call.until('0\r\n\r\n');
      call.socket.destroy();
    }
    await serving.close();
  });

  it('a call in a session is cancelled and frees its place when its host disconnects', async () => {
    const serving = await startServing(TOKENS);
    const session = await begin(serving, { caller: OURS });
    for (let round = 0; round < 300; round += 1) {
      const { socket } = await opened(serving.port, callRequest(session, 'wait', {}, round, OURS));
      const { signal } = await serving.calls.next();
      const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
      socket.destroy();
      await closed(socket);
      await aborted;
    }
    expect((await initialize(serving, OURS)).status).toBe(200);
  });

  it('a call in a session with the id of an unanswered call is refused', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    const first = await opened(serving.port, callRequest(session, 'wait', {}, 7));
    const { end } = await serving.calls.next();
    expect((await exchange(serving.port, callRequest(session, 'wait', {}, 7))).status).toBe(400);
    end();
    expect(await first.until('"result"')).toContain('done');
    const again = exchange(serving.port, callRequest(session, 'wait', {}, 7));
    (await serving.calls.next()).end();
    expect((await again).body).toContain('done');
  });
});

describe('notifications for a session', () => {
  const news = (text: string) => [...text.matchAll(/"uri":"(\w+:\w+)"/g)].map(([, uri]) => uri);

  it('notifications for a session without a stream are sent on the next stream, each once and in order', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    for (const uri of ['b:1', 'b:2', 'b:1']) await notifyIn(serving, session, uri);
    const first = await listening(serving, session);
    expect(news(await first.until('b:2'))).toEqual(['b:1', 'b:2']);

    first.socket.destroy();
    await closed(first.socket);
    await ping(serving, session);
    await notifyIn(serving, session, 'b:3');
    const second = await listening(serving, session);
    await notifyIn(serving, session, 'b:4');
    expect(news(await second.until('b:4'))).toEqual(['b:3', 'b:4']);
  });

  it('notifications for a session are sent on its newest stream, because the host may have lost the earlier one', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    const first = await listening(serving, session);
    const second = await listening(serving, session);
    expect(await first.until('\r\n0\r\n'), 'and the earlier one ends').toContain('\r\n0\r\n');
    await notifyIn(serving, session, 'b:1');
    expect(news(await second.until('b:1'))).toEqual(['b:1']);
  });

  it('notifications for a session are not sent to another session', async () => {
    const serving = await startServing();
    const [session, other] = [await begin(serving), await begin(serving)];
    await notifyIn(serving, session, 'b:1');
    await notifyIn(serving, other, 'b:2');
    expect(news(await (await listening(serving, other)).until('b:2'))).toEqual(['b:2']);
  });
});

describe('a token that is removed', () => {
  /** The hosts of three callers. The token of the first one is removed. */
  async function start() {
    const serving = await startServing(TOKENS);
    const sessions = await Promise.all([OURS, THEIRS].map((caller) => begin(serving, { caller })));
    const [ours = '', theirs = ''] = sessions;
    return { serving, ours, theirs };
  }
  const [removed = '', ...others] = TOKENS;

  it('a removed token ends the sessions of its caller at the next request of any caller, and no other sessions', async () => {
    const { serving, ours, theirs } = await start();
    serving.replaceTokens(others);
    expect((await ping(serving, theirs, THEIRS)).status).toBe(200);
    expect((await ping(serving, ours, OURS)).status).toBe(401);
    serving.replaceTokens([...others, removed]);
    expect((await ping(serving, ours, OURS)).status).toBe(404);
    expect((await ping(serving, theirs, THEIRS)).status).toBe(200);
  });

  it('a removed token ends the streams of its caller in both eras within ten seconds, even without requests', async () => {
    const { serving, ours, theirs } = await start();
    const listen = await opened(serving.port, listenRequest('budget://v1/budgets', OURS));
    await listen.until('acknowledged');
    const streams = [await listening(serving, ours, OURS), listen];
    const kept = await listening(serving, theirs, THEIRS);
    serving.replaceTokens(others);
    const ended = streams.map(({ socket, until }) => Promise.race([closed(socket), until('\r\n0\r\n')]));
    serving.clock.advance(10_000);
    await Promise.all(ended);
    expect(kept.socket.closed).toBe(false);
  });

  it('a removed token cancels the calls of its caller in a session', async () => {
    const { serving, ours } = await start();
    await opened(serving.port, callRequest(ours, 'wait', {}, 7, OURS));
    const { signal } = await serving.calls.next();
    const aborted = once(signal, 'abort');
    serving.replaceTokens(others);
    serving.clock.advance(10_000);
    await aborted;
  });

  it('a removed token cannot begin a session, and another token can', async () => {
    const { serving } = await start();
    serving.replaceTokens(others);
    expect((await initialize(serving, OURS)).status).toBe(401);
    expect((await initialize(serving, OTHERS)).status).toBe(200);
  });
});

describe('a request', () => {
  it('a request of the newer era ends after five minutes, and its call is cancelled', async () => {
    const serving = await startServing();
    const answer = exchange(serving.port, waitRequest());
    const { signal } = await serving.calls.next();
    serving.clock.advance(5 * MINUTE);
    expect(await answer).toMatchObject({ status: 504, body: expect.stringContaining('took too long') });
    expect(signal.aborted).toBe(true);
  });

  it('a request of the older era ends after five minutes, and its call is cancelled', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    const answer = waitIn(serving, session);
    const { signal } = await serving.calls.next();
    serving.clock.advance(5 * MINUTE);
    expect((await answer).body).toContain('It took too long and was cancelled.');
    expect(signal.aborted).toBe(true);
    expect((await ping(serving, session)).status, 'the session goes on').toBe(200);
  });

  it.each([
    ['newer', async () => modernRequest('read')],
    ['older', async (serving: Serving) => callRequest(await begin(serving), 'read')],
  ])(
    'a request of the %s era whose answer is not read is closed half a minute after the time limit',
    async (_, requestTo) => {
      const serving = await startServing();
      const socket = await connected(serving.port);
      socket.write(await requestTo(serving));
      const [chunk] = await once(socket, 'data');
      socket.pause();
      let received = chunk.length;
      serving.clock.advance(5 * MINUTE);
      expect((await exchange(serving.port, HEALTH)).status, 'and everything goes on').toBe(200);
      serving.clock.advance(MINUTE / 2);
      socket.on('data', ({ length }) => {
        received += length;
      });
      socket.resume();
      await closed(socket);
      expect(received).toBeLessThan(LONG);
    },
  );

  it.each([
    ['goes away', (socket: Socket) => socket.destroy()],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ])(
    'a request whose host %s before its body is complete is not reported as an error',
    async (_, disconnect) => {
      const serving = await startServing();
      const socket = await connected(serving.port);
      socket.write(waitRequest().slice(0, -1));
      await ping(serving, await begin(serving));
      disconnect(socket);
      await ping(serving, await begin(serving));
      expect(serving.errors).toEqual([]);
    },
  );

  it('a request counts from its headers on, before its body is complete', async () => {
    const serving = await startServing(TOKENS);
    const half = waitRequest(OURS).slice(0, -1);
    const sockets = await Promise.all(Array.from({ length: 256 }, () => connected(serving.port)));
    for (const socket of sockets) socket.write(half);
    expect((await initialize(serving, THEIRS)).status).toBe(200);
    expect((await initialize(serving, OURS)).status).toBe(429);
    sockets[0]?.destroy();
    await initialize(serving, THEIRS);
    expect((await initialize(serving, OURS)).status).toBe(200);
  });

  it.each([
    ['goes away', (socket: Socket) => socket.destroy()],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ])('a request is cancelled when its host %s', async (_, disconnect) => {
    const serving = await startServing();
    const socket = await connected(serving.port);
    socket.write(waitRequest());
    const { signal } = await serving.calls.next();
    const aborted = once(signal, 'abort');
    disconnect(socket);
    await aborted;
  });

  it('a caller may have at most 256 requests open, and other callers are still served', async () => {
    const serving = await startServing(TOKENS);
    const answers = Array.from({ length: 256 }, () => exchange(serving.port, waitRequest(OURS)));
    const calls = await Promise.all(answers.map(() => serving.calls.next()));
    const refused = await exchange(serving.port, waitRequest(OURS));
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await initialize(serving, THEIRS)).status).toBe(200);

    calls[0]?.end();
    await Promise.race(answers);
    const next = exchange(serving.port, waitRequest(OURS));
    calls.push(await serving.calls.next());
    for (const { end } of calls) end();
    expect(await Promise.all([...answers, next])).toEqual(
      Array(257).fill(expect.objectContaining({ status: 200, body: expect.stringContaining('done') })),
    );
  });
});

describe('the server of a host', () => {
  it('each server is created for the caller with the token, in both eras', async () => {
    const serving = await startServing(TOKENS);
    for (const caller of [OURS, THEIRS]) {
      await begin(serving, { caller });
      const answer = exchange(serving.port, waitRequest(caller));
      (await serving.calls.next()).end();
      await answer;
    }
    const [older, newer, ...theirs] = serving.callers;
    expect(newer).toBe(older);
    expect(new Set(theirs).size).toBe(1);
    expect(theirs).not.toContain(older);
  });
});

describe('a server that stops', () => {
  it('a server that stops answers the requests in progress in both eras and refuses new ones', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    const answers = [exchange(serving.port, waitRequest()), waitIn(serving, session)];
    const calls = [await serving.calls.next(), await serving.calls.next()];
    const closing = serving.close();
    await expect(connected(serving.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const { end } of calls) end();
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('done') });
    await closing;
  });

  it('a server that stops ends all streams at once', async () => {
    const serving = await startServing();
    const { socket } = await listening(serving, await begin(serving));
    const listen = await opened(serving.port, listenRequest('budget://v1/budgets'));
    expect(await listen.until('acknowledged')).toContain('acknowledged');
    const ended = [closed(socket), closed(listen.socket)];
    await serving.close();
    await Promise.all(ended);
  });

  it('a server that stops dismisses questions to a person and answers the calls that asked them', async () => {
    const serving = await startServing();
    const session = await begin(serving, { capabilities: { elicitation: {} } });
    const question = await opened(serving.port, callRequest(session, 'consent'));
    (await serving.calls.next()).end();
    await question.until('elicitation/create');
    const asking = await opened(serving.port, callRequest(session, 'consent'));
    const { end } = await serving.calls.next();
    const closing = serving.close();
    end();
    for (const { until } of [question, asking]) expect(await until('"result"')).toContain('consent: cancel');
    await closing;
  });

  it('a server that stops waits at most ten seconds', async () => {
    const serving = await startServing();
    const answer = exchange(serving.port, waitRequest());
    const { signal } = await serving.calls.next();
    const closing = serving.close();
    serving.clock.advance(9_999);
    expect(signal.aborted).toBe(false);
    serving.clock.advance(1);
    await closing;
    await answer;
    expect(signal.aborted).toBe(true);
  });
});

describe('GET without a session', () => {
  it.each(['2025-11-25', '2025-03-26', undefined])(
    'GET without a session is answered with 405 and the allowed method, at protocol version %s',
    async (version) => {
      const serving = await startServing();
      const headers = { ...(version !== undefined && { 'mcp-protocol-version': version }) };
      const answer = await exchange(serving.port, requestOf('GET', '/mcp', { headers }));
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.any(String) } });
    },
  );

  it('GET with the id of an unknown session is answered with 404', async () => {
    const serving = await startServing();
    expect((await exchange(serving.port, streamRequest('unknown'))).status).toBe(404);
  });

  it('GET without a session and without a valid token is answered with 401', async () => {
    const serving = await startServing(TOKENS);
    expect((await exchange(serving.port, requestOf('GET', '/mcp'))).status).toBe(401);
  });

  it('a host that tries SSE first falls back to Streamable HTTP', async () => {
    const serving = await startServing();
    const url = new URL(serving.url);
    const tried = new Client({ name: 'sse-first', version: '1' });
    await expect(tried.connect(new SSEClientTransport(url))).rejects.toMatchObject({ code: 405 });
    const host = new Client({ name: 'sse-first', version: '1' });
    await host.connect(new StreamableHTTPClientTransport(url));
    onTestFinished(() => host.close());
    expect((await host.listTools()).tools).not.toEqual([]);
  });
});

describe('an address with credentials', () => {
  it.each(['GET', 'POST', 'DELETE'])(
    'an address with credentials is refused for %s, and not logged',
    async (method) => {
      const serving = await startServing();
      const target = `http://user:secret@127.0.0.1:${serving.port}/mcp`;
      const answer = await exchange(serving.port, requestOf(method, target, { body: '{}' }));
      expect(answer).toMatchObject({ status: 400, body: expect.not.stringContaining('secret') });
      expect(serving.errors).toEqual([]);
    },
  );
});

describe('a server that cannot listen', () => {
  it('a server whose port is in use says so', async () => {
    const { port } = await startServing();
    await expect(startServing([], port)).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('port is in use'),
    });
  });
});

it.each([
  ['of known length', { 'content-length': 30 * 2 ** 20 }],
  ['of unknown length', {}],
])('a host that sends a body %s that is too long gets an answer', async (_, length) => {
  const { url } = await startServing();
  const status = await new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers: length }, (answer) => {
      resolve(answer.resume().statusCode);
    });
    sending.on('error', reject);
    Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(2 ** 20, 'x'))).pipe(sending);
  });
  expect(status).toBe(413);
});

it('the log has the route of each request, and nothing else of its address', async () => {
  const ended = new Arrivals<EndedRequest>();
  const { url } = await startServing([], 0, { onRequest: (each) => ended.add(each) });
  const routeOf = async (path: string, method = 'GET') => {
    await fetch(new URL(path, url), { method });
    return (await ended.next()).route;
  };
  expect(await routeOf('/mcp?code=secret', 'PUT')).toBe('/mcp');
  expect(await routeOf('/mcp', 'POST')).toBe('/mcp');
  expect(await routeOf('/healthz')).toBe('/healthz');
  expect(await routeOf('/secret')).toBe('other');
});
