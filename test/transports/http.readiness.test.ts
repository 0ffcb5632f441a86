import { expect, it } from 'vitest';
import { exchange, opened, requestOf } from '../raw-http.helper.ts';
import { begin, cancelIn, ping, type Serving, startServing, waitRequest } from './http-serving.helper.ts';

const ask = async ({ port }: Serving, path: string) => {
  const { status, body } = await exchange(port, requestOf('GET', path));
  return { status, body: JSON.parse(body) as unknown };
};

it('a server of one person is ready until it drains, and answers everything while it drains', async () => {
  const serving = await startServing();
  const session = await begin(serving);
  expect(await ask(serving, '/readyz')).toEqual({ status: 200, body: { status: 'ready' } });
  serving.drain();
  expect(await ask(serving, '/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', reason: 'The server is stopping.' },
  });
  expect(await ask(serving, '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await ping(serving, session)).status).toBe(200);
  expect((await begin(serving)).length).toBeGreaterThan(0);
});

it('a request that a server refuses because it stops is to be sent again, on another connection', async () => {
  const serving = await startServing();
  const { socket, until } = await opened(serving.port, waitRequest());
  const call = await serving.calls.next();
  const other = await opened(serving.port, waitRequest());
  const otherCall = await serving.calls.next();
  const closed = serving.close();
  call.end();
  await until('"done"');
  socket.write(waitRequest());
  const answers = (await until('The server is stopping.')).toLowerCase();
  expect(answers).toContain('http/1.1 503');
  expect(answers).toContain('retry-after: 5\r\n');
  expect(answers).toContain('connection: close\r\n');
  otherCall.end();
  await other.until('"done"');
  await closed;
});

it('a server that has too much to do refuses new calls, and takes what ends the others', async () => {
  let isOver = false;
  const serving = await startServing([], 0, { isOverloaded: () => isOver });
  const session = await begin(serving);
  const { until } = await opened(serving.port, waitRequest());
  const call = await serving.calls.next();
  isOver = true;
  const refused = await ping(serving, session);
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('5');
  expect(refused.body).toContain('Nothing was begun');
  expect((await cancelIn(serving, session, 7)).status).toBe(202);
  call.end();
  await until('"done"');
  isOver = false;
  expect((await ping(serving, session)).status).toBe(200);
});
