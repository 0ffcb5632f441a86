import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closed, connected, exchange, opened, requestOf } from '../raw-http.ts';
import {
  begin,
  callRequest,
  cancelIn,
  initialize,
  LONG,
  listenRequest,
  modernRequest,
  ping,
  type Serving,
  startServing,
  streamRequest,
  tellIn,
  waitIn,
  waitRequest,
} from './http-serving.ts';

const OURS = { authorization: 'Bearer our-own-token-for-calls-by-http-0001' };
const THEIRS = { authorization: 'Bearer the-token-of-somebody-else-by-http-2' };
const OTHERS = { authorization: 'Bearer the-token-of-a-third-caller-by-http-3' };
const TOKENS = [OURS, THEIRS, OTHERS].map(({ authorization }) => authorization.slice('Bearer '.length));
const MINUTE = 60_000;
const HEALTH = requestOf('GET', '/healthz');

/** Resolves once the session's host is told of changes. */
async function listening({ port }: Serving, session: string, caller = {}) {
  const stream = await opened(port, streamRequest(session, caller));
  expect(await stream.until('\r\n\r\n')).toContain('text/event-stream');
  return stream;
}

describe('a connection', () => {
  it('that ends with answers waiting behind an open one gives up the places of all of them', async () => {
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

describe('of the connections on which nothing is asked', () => {
  const idle = async ({ port }: Serving, number: number) => {
    const sockets: Socket[] = [];
    for (let opened = 0; opened < number; opened += 1) sockets.push(await connected(port));
    return sockets;
  };

  it('the oldest gives way to the newest, once there are 256', async () => {
    const serving = await startServing();
    const [first, second] = await idle(serving, 256);
    const [newest] = await idle(serving, 1);
    if (!first || !second || !newest) throw new Error('There are 257.');
    await closed(first);
    // One on which something was asked is young again.
    second.write(HEALTH);
    await once(second, 'data');
    await idle(serving, 250);
    newest.write(HEALTH);
    second.write(HEALTH);
    for (const socket of [newest, second]) expect(String(await once(socket, 'data'))).toContain('200 OK');
  });

  it('none is one on which an answer is still to come, after another one', async () => {
    const serving = await startServing();
    const asking = await opened(serving.port, HEALTH + waitRequest());
    const { end } = await serving.calls.next();
    await asking.until('{"status":"ok"}');
    await idle(serving, 300);
    end();
    expect(await asking.until('done')).toContain('done');
  });
});

describe('a session', () => {
  it('ends when nobody has used it for half an hour', async () => {
    const serving = await startServing();
    const [used, left] = [await begin(serving), await begin(serving)];
    serving.clock.advance(29 * MINUTE);
    expect((await ping(serving, used)).status).toBe(200);
    // It is looked for every three minutes.
    serving.clock.advance(4 * MINUTE);
    expect((await ping(serving, used)).status).toBe(200);
    expect((await ping(serving, left)).status).toBe(404);
  });

  it('does not end while its host listens', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    await listening(serving, session);
    serving.clock.advance(24 * 60 * MINUTE);
    expect((await ping(serving, session)).status).toBe(200);
  });

  it('gives its place to a new one when all are taken, the one used longest ago first', async () => {
    const serving = await startServing();
    const [first = '', second = '', ...others] = await Promise.all(
      Array.from({ length: 512 }, () => begin(serving)),
    );
    expect(new Set(others).size).toBe(510);
    await ping(serving, first);
    await begin(serving);
    const gone = await Promise.all(
      [first, second, ...others].map(async (id) => (await ping(serving, id)).status),
    );
    expect(gone.filter((status) => status === 404)).toHaveLength(1);
    expect(gone[0]).toBe(200);
  });

  it('is not to be had while all are in use', async () => {
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
  it('that is taken back gives its place up, however many', async () => {
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

  it('is cancelled when its host hangs up, since its answer can reach nobody, and gives its place up', async () => {
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

  it('is refused an id that another one has which is not answered yet', async () => {
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

describe('news for a session', () => {
  const news = (text: string) => [...text.matchAll(/"uri":"(\w+:\w+)"/g)].map(([, uri]) => uri);

  it('is kept while its host has no stream open, each once and in order, and told by the next one', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    for (const uri of ['b:1', 'b:2', 'b:1']) await tellIn(serving, session, uri);
    const first = await listening(serving, session);
    expect(news(await first.until('b:2'))).toEqual(['b:1', 'b:2']);

    first.socket.destroy();
    await closed(first.socket);
    await ping(serving, session);
    await tellIn(serving, session, 'b:3');
    const second = await listening(serving, session);
    await tellIn(serving, session, 'b:4');
    expect(news(await second.until('b:4'))).toEqual(['b:3', 'b:4']);
  });

  it('goes to the newest stream, where an earlier one is there whose host may have lost it', async () => {
    const serving = await startServing();
    const session = await begin(serving);
    const first = await listening(serving, session);
    const second = await listening(serving, session);
    expect(await first.until('\r\n0\r\n'), 'and the earlier one ends').toContain('\r\n0\r\n');
    await tellIn(serving, session, 'b:1');
    expect(news(await second.until('b:1'))).toEqual(['b:1']);
  });

  it('is not told to another session', async () => {
    const serving = await startServing();
    const [session, other] = [await begin(serving), await begin(serving)];
    await tellIn(serving, session, 'b:1');
    await tellIn(serving, other, 'b:2');
    expect(news(await (await listening(serving, other)).until('b:2'))).toEqual(['b:2']);
  });
});

describe('a token that is removed', () => {
  /** The hosts of all three callers; what the first one has is to end. */
  async function start() {
    const serving = await startServing(TOKENS);
    const sessions = await Promise.all([OURS, THEIRS].map((caller) => begin(serving, { caller })));
    const [ours = '', theirs = ''] = sessions;
    return { serving, ours, theirs };
  }
  const [removed = '', ...others] = TOKENS;

  it('ends the sessions of its caller with the next request of anybody, and those of no other', async () => {
    const { serving, ours, theirs } = await start();
    serving.replaceTokens(others);
    expect((await ping(serving, theirs, THEIRS)).status).toBe(200);
    expect((await ping(serving, ours, OURS)).status).toBe(401);
    serving.replaceTokens([...others, removed]);
    expect((await ping(serving, ours, OURS)).status).toBe(404);
    expect((await ping(serving, theirs, THEIRS)).status).toBe(200);
  });

  it('ends what its caller listens to in both eras, within ten seconds where nobody asks anything', async () => {
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

  it('cancels the calls of its caller in a session', async () => {
    const { serving, ours } = await start();
    await opened(serving.port, callRequest(ours, 'wait', {}, 7, OURS));
    const { signal } = await serving.calls.next();
    const aborted = once(signal, 'abort');
    serving.replaceTokens(others);
    serving.clock.advance(10_000);
    await aborted;
  });

  it('opens nothing for a new caller that has another one', async () => {
    const { serving } = await start();
    serving.replaceTokens(others);
    expect((await initialize(serving, OURS)).status).toBe(401);
    expect((await initialize(serving, OTHERS)).status).toBe(200);
  });
});

describe('a request', () => {
  it('ends after five minutes in the newer era, and what it asked for is cancelled', async () => {
    const serving = await startServing();
    const answer = exchange(serving.port, waitRequest());
    const { signal } = await serving.calls.next();
    serving.clock.advance(5 * MINUTE);
    expect(await answer).toMatchObject({ status: 504, body: expect.stringContaining('took too long') });
    expect(signal.aborted).toBe(true);
  });

  it('ends after five minutes in the older era, and what it asked for is cancelled', async () => {
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
  ])('of the %s era ends where its answer is not read half a minute after that', async (_, requestTo) => {
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
  });

  it.each([
    ['goes away', (socket: Socket) => socket.destroy()],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ])('whose host %s before its body has come is nothing to write of', async (_, leave) => {
    const serving = await startServing();
    const socket = await connected(serving.port);
    socket.write(waitRequest().slice(0, -1));
    await ping(serving, await begin(serving));
    leave(socket);
    await ping(serving, await begin(serving));
    expect(serving.errors).toEqual([]);
  });

  it('counts from its headers on, before its body has come', async () => {
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
  ])('is cancelled when its host %s', async (_, leave) => {
    const serving = await startServing();
    const socket = await connected(serving.port);
    socket.write(waitRequest());
    const { signal } = await serving.calls.next();
    const aborted = once(signal, 'abort');
    leave(socket);
    await aborted;
  });

  it('is one of at most 256 that a caller has open, and others are served all the same', async () => {
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
  it('is made for the holder of its token, in both eras alike, so that writes are told to their own caller', async () => {
    const serving = await startServing(TOKENS);
    for (const caller of [OURS, THEIRS]) {
      await begin(serving, { caller });
      const answer = exchange(serving.port, waitRequest(caller));
      (await serving.calls.next()).end();
      await answer;
    }
    const [older, newer, ...theirs] = serving.holders;
    expect(newer).toBe(older);
    expect(new Set(theirs).size).toBe(1);
    expect(theirs).not.toContain(older);
  });
});

describe('a server that is told to stop', () => {
  it('finishes what is under way in both eras, and takes nothing new', async () => {
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

  it('ends the streams of those who listen at once', async () => {
    const serving = await startServing();
    const { socket } = await listening(serving, await begin(serving));
    const listen = await opened(serving.port, listenRequest('budget://v1/budgets'));
    expect(await listen.until('acknowledged')).toContain('acknowledged');
    const ended = [closed(socket), closed(listen.socket)];
    await serving.close();
    await Promise.all(ended);
  });

  it('waits for no answer of a person, who can give none any more, and answers what they were asked for', async () => {
    const serving = await startServing();
    const session = await begin(serving, { capabilities: { elicitation: {} } });
    const asked = await opened(serving.port, callRequest(session, 'consent'));
    (await serving.calls.next()).end();
    await asked.until('elicitation/create');
    const asking = await opened(serving.port, callRequest(session, 'consent'));
    const { end } = await serving.calls.next();
    const closing = serving.close();
    end();
    for (const { until } of [asked, asking]) expect(await until('"result"')).toContain('consent: cancel');
    await closing;
  });

  it('waits no longer than ten seconds', async () => {
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

describe('an address that holds credentials', () => {
  it.each(['GET', 'POST', 'DELETE'])('is refused to %s, and written nowhere', async (method) => {
    const serving = await startServing();
    const target = `http://somebody:secret@127.0.0.1:${serving.port}/mcp`;
    const answer = await exchange(serving.port, requestOf(method, target, { body: '{}' }));
    expect(answer).toMatchObject({ status: 400, body: expect.not.stringContaining('secret') });
    expect(serving.errors).toEqual([]);
  });
});

describe('a server that cannot listen', () => {
  it('says that the port is in use', async () => {
    const { port } = await startServing();
    await expect(startServing([], port)).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining('port is in use'),
    });
  });
});
