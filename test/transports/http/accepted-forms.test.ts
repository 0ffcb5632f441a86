import { describe, expect, it } from 'vitest';
import { exchange, requestOf } from '../../raw-http.helper.ts';
import {
  begin,
  initialize,
  listenRequest,
  modernRequest,
  ping,
  startServing,
  streamRequest,
} from '../http-serving.helper.ts';

const JSON_FORM = 'application/json';
const STREAM_FORM = 'text/event-stream';

/** The message of an answer in either form. */
const messageOf = ({ body }: { readonly body: string }): unknown =>
  JSON.parse(
    body.includes('data: ')
      ? (/^data: (.+)$/m.exec(body)?.[1] ?? '')
      : body.replace(/^[\da-f]+\r\n|\r\n0\r\n\r\n$/g, ''),
  );

describe('the form of an answer', () => {
  it.each([
    [STREAM_FORM, STREAM_FORM],
    ['TEXT/EVENT-STREAM;Q=0.5', STREAM_FORM],
    ['text/*', STREAM_FORM],
    [`${JSON_FORM};q=0, */*`, STREAM_FORM],
    [JSON_FORM, JSON_FORM],
    ['Application/*; q=0.1, text/html', JSON_FORM],
    [`*/*, ${STREAM_FORM};q=0`, JSON_FORM],
  ])('a host that accepts %s gets %s in both eras, also when a session begins', async (accept, form) => {
    const serving = await startServing();
    const answers = [
      await initialize(serving, { accept }),
      await ping(serving, await begin(serving), { accept }),
      await exchange(serving.port, modernRequest('notify', { accept })),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 200,
        headers: { 'content-type': expect.stringContaining(form) },
      });
      expect(messageOf(answer)).toMatchObject({ jsonrpc: '2.0', result: expect.any(Object) });
    }
  });

  it.each(['*/*', '', `${STREAM_FORM}, ${JSON_FORM}`, '*/*;q=0.1, text/html'])(
    'a host that accepts both, by the header "%s", begins a session and opens its stream',
    async (accept) => {
      const serving = await startServing();
      const begun = await initialize(serving, { accept });
      expect(begun).toMatchObject({ status: 200, headers: { 'content-type': STREAM_FORM } });
    },
  );

  it.each(['text/html', '*/*;q=0', `${JSON_FORM};q=0, ${STREAM_FORM};q=0.0`])(
    'a host that accepts neither form, by the header "%s", is answered with 406, and nothing is begun',
    async (accept) => {
      const serving = await startServing();
      const session = await begin(serving);
      expect((await exchange(serving.port, modernRequest('wait', { accept }))).status).toBe(406);
      expect((await exchange(serving.port, streamRequest(session, { accept }))).status).toBe(406);
      expect(serving.callers).toHaveLength(1);
    },
  );

  it('a host that accepts JSON alone cannot listen', async () => {
    const serving = await startServing();
    const answer = await exchange(serving.port, listenRequest('budget://x', { accept: JSON_FORM }));
    expect(answer).toMatchObject({ status: 406, body: expect.stringContaining(STREAM_FORM) });
  });
});

describe('methods and addresses', () => {
  it('/mcp/ is /mcp', async () => {
    const serving = await startServing();
    const request = modernRequest('notify').replace(' /mcp ', ' /mcp/ ');
    expect((await exchange(serving.port, request)).status).toBe(200);
  });

  it.each([[], ['a-token-that-this-request-does-not-have-1']])(
    'OPTIONS names the methods, with or without tokens: %s',
    async (...tokens) => {
      const serving = await startServing(tokens);
      const answer = await exchange(serving.port, requestOf('OPTIONS', '/mcp'));
      expect(answer).toMatchObject({ status: 204, headers: { allow: 'GET, POST, DELETE, OPTIONS' } });
    },
  );

  it('HEAD in a session is answered with 405 and the allowed methods, and opens no stream', async () => {
    const serving = await startServing();
    const headers = { 'mcp-session-id': await begin(serving) };
    const answer = await exchange(serving.port, requestOf('HEAD', '/mcp', { headers }));
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, POST, DELETE, OPTIONS' }, body: '' });
  });
});

it('a server on 127.0.0.1 answers on ::1 too', async () => {
  const serving = await startServing();
  const url = `http://[::1]:${serving.port}/healthz`;
  expect((await fetch(url)).status).toBe(200);
  await serving.close();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
