/** What a tool learns about the way of its answer to the host. */
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { currentHostRequest, type HostRequest } from '../../src/base/host-request.ts';
import { observed } from '../../src/transports/http/observed-request.ts';
import { listen } from '../../src/transports/http.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { connected, exchange } from '../raw-http.helper.ts';
import {
  begin,
  callRequest,
  cancelIn,
  LONG,
  type Serving,
  startServing,
  waitRequest,
} from './http-serving.helper.ts';

describe.each([
  ['the newer era', async () => waitRequest()],
  ['the older era', async (serving: Serving) => callRequest(await begin(serving), 'wait')],
])('a call of %s', (_, requestIn) => {
  it('knows that its answer was sent, and how long its host has waited', async () => {
    const serving = await startServing();
    const answer = exchange(serving.port, await requestIn(serving));
    const { end, request } = await serving.calls.next();
    serving.clock.advance(2_000);
    expect(request?.waitedMs()).toBe(2_000);
    end();
    expect(await request?.answered).toBe(true);
    expect((await answer).body).toContain('done');
  });

  it('knows that its answer could not be sent, because the host has disconnected', async () => {
    const serving = await startServing();
    const socket = await connected(serving.port);
    socket.write(await requestIn(serving));
    const { end, request } = await serving.calls.next();
    socket.destroy();
    expect(await request?.answered).toBe(false);
    end();
  });
});

it('a call of the older era knows that it got no answer, because its host has cancelled it', async () => {
  const serving = await startServing();
  const session = await begin(serving);
  const answer = exchange(serving.port, callRequest(session, 'wait', {}, 77));
  const { end, request } = await serving.calls.next();
  await cancelIn(serving, session, 77);
  end();
  expect(await request?.answered).toBe(false);
  expect((await answer).body).not.toContain('done');
});

it('an answer that the host does not read to the end was not sent', async () => {
  const requests = new Arrivals<HostRequest | undefined>();
  const listener = observed(
    (_, outgoing) => {
      outgoing.end('x'.repeat(LONG));
      requests.add(currentHostRequest());
    },
    new ManualClock('2026-11-21T12:00:00Z'),
    () => {},
  );
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  const socket = await connected(await listen(server, '127.0.0.1', 0));
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const request = await requests.next();
  socket.destroy();
  expect(await request?.answered).toBe(false);
});
