import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenForWorkers, passedOn, socketOf } from '../../../src/transports/http/workers.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { serveHttp } from '../../local-server.helper.ts';

test('the workers of one server meet at pipes on Windows, whose names other servers do not use', () => {
  const place = { directory: 'C:\\Temp\\budget-mcp-a1B2c3', number: 2 };
  expect(socketOf(place, 'win32')).toBe('\\\\.\\pipe\\budget-mcp-a1B2c3-2');
});

test('a token leads to one worker, however its header is written', async () => {
  const directory = await temporaryDirectory();
  const count = 4;
  const answers = Array.from(
    { length: count },
    (_, number): RequestListener =>
      (_, response) =>
        void response.end(`${number}`),
  );
  for (const [number, answer] of answers.entries()) {
    const server = createServer(answer);
    await listenForWorkers(server, { directory, number, count });
    onTestFinished(() => void server.close());
  }
  const [first = () => {}] = answers;
  const { url } = await serveHttp(passedOn({ directory, number: 0, count }, () => '', first));
  const workerOf = async (authorization: string) =>
    (await fetch(url, { headers: { authorization, connection: 'close' } })).text();
  const tokens = Array.from({ length: 8 }, (_, nth) => `token-${nth}`);
  const workers = await Promise.all(tokens.map((token) => workerOf(`Bearer ${token}`)));
  expect(new Set(workers).size).toBeGreaterThan(1);
  for (const scheme of ['Bearer  ', 'Bearer        ', 'bearer ', 'BEARER   '])
    expect(await Promise.all(tokens.map((token) => workerOf(scheme + token)))).toEqual(workers);
});
