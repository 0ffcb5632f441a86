/** What a tool learns about the way of its answer to the host. */
import { describe, expect, it } from 'vitest';
import { connected, exchange } from '../raw-http.helper.ts';
import {
  begin,
  callRequest,
  cancelIn,
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
