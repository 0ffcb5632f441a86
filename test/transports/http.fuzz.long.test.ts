import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuzzRuns } from '../fuzz.helper.ts';
import { closed, connected, exchange, requestOf } from '../raw-http.helper.ts';
import { frame } from './arbitrary-frames.helper.ts';
import { begin, modernRequest, ping, startServing } from './http-serving.helper.ts';
import { cuts, pieces } from './pieces.helper.ts';

/** Sends bytes in pieces. Returns the status of the response, or 0 if the connection ended without one. */
async function statusOf(port: number, bytes: Buffer, at: readonly number[]): Promise<number> {
  const socket = await connected(port);
  let text = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\r\n\r\n')) resolve();
    });
  });
  for (const piece of pieces(bytes, at)) socket.write(piece);
  await Promise.race([answered, closed(socket)]);
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
}

const NOT_FROM_A_BUG = [200, 202, 400, 404, 405, 406, 413, 415];

test('every body is answered in both eras, and so is the next valid call', async () => {
  const serving = await startServing();
  const session = await begin(serving);
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    { 'mcp-session-id': session },
    { 'mcp-session-id': 'none' },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'notify' },
    { 'mcp-protocol-version': 'x' },
  );
  await fc.assert(
    fc.asyncProperty(headers, frame, cuts, async (given, body, at) => {
      const length = { 'content-type': 'application/json', 'content-length': String(body.length) };
      const head = requestOf('POST', '/mcp', { headers: { ...given, ...length } });
      const status = await statusOf(serving.port, Buffer.concat([Buffer.from(head), body]), at);
      expect(NOT_FROM_A_BUG).toContain(status);
      expect((await ping(serving, session)).status).toBe(200);
      expect((await exchange(serving.port, modernRequest('notify'))).body).toContain('"result"');
    }),
    { numRuns: fuzzRuns(300) },
  );
});
