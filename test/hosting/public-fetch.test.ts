import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createPublicFetch, isPublicAddress } from '../../src/hosting/public-fetch.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { serveNames } from '../name-server.helper.ts';
import { certificate, serveHttps } from './local-https.helper.ts';

async function start(answer: RequestListener) {
  const server = await serveHttps(answer);
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const names = await serveNames({ localhost: '127.0.0.1' });
  const options = { clock, nameServers: [names.address] };
  return {
    clock,
    server,
    names,
    url: `https://localhost:${server.port}/client.json`,
    /** As in production. */
    fetchPublic: createPublicFetch({ ...options, ca: certificate.cert }),
    /** Takes this machine for a public one. */
    fetchLocal: createPublicFetch({ ...options, ca: certificate.cert, isAllowed: () => true }),
    /** The same, and knows no certificate. */
    fetchUntrusting: createPublicFetch({ ...options, isAllowed: () => true }),
  };
}

const ok: RequestListener = (_, response) => {
  response.writeHead(200, { 'cache-control': 'max-age=60' });
  response.end('{"client_id":"x"}');
};

describe('a document', () => {
  it('is loaded from an address that is allowed, with how long it may be kept', async () => {
    const { fetchLocal, url } = await start(ok);
    const response = await fetchLocal(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('max-age=60');
    expect(await response.json()).toEqual({ client_id: 'x' });
  });

  it('is not loaded from this machine: there is not even a connection', async () => {
    const { fetchPublic, url, server } = await start(ok);
    for (const address of [url, url.replace('localhost', '127.0.0.1'), url.replace('localhost', '[::1]')])
      await expect(fetchPublic(address)).rejects.toThrow('not a public one');
    expect(server.connections).toEqual([]);
  });

  it('is loaded from the address that was checked, because the name is looked up once', async () => {
    const server = await serveHttps(ok);
    const answers = ['127.0.0.1'];
    const names = {
      get 'rebinding.test'() {
        return answers.shift() ?? '127.0.0.2';
      },
    };
    const { address } = await serveNames(names);
    const fetchChecked = createPublicFetch({
      clock: new ManualClock('2026-11-21T12:00:00Z'),
      nameServers: [address],
      ca: certificate.cert,
      isAllowed: (each) => each === '127.0.0.1',
    });
    const url = `https://rebinding.test:${server.port}/client.json`;
    expect((await fetchChecked(url)).status).toBe(200);
    await expect(fetchChecked(url)).rejects.toThrow('not a public one');
    expect(server.connections).toHaveLength(1);
  });

  it('is loaded only over encrypted connections with a valid certificate', async () => {
    const { fetchLocal, fetchUntrusting, url } = await start(ok);
    await expect(fetchLocal(url.replace('https', 'http'))).rejects.toThrow('not a public one');
    await expect(fetchUntrusting(url)).rejects.toThrow('certificate');
  });

  it('is not followed to another address', async () => {
    const asked: string[] = [];
    const { fetchLocal, url } = await start((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: '/secret' }).end('{}');
    });
    expect((await fetchLocal(url)).status).toBe(502);
    expect(asked).toEqual(['/client.json']);
  });

  it('may have five kilobytes', async () => {
    let size = 5 * 1_024;
    const { fetchLocal, url } = await start((_, response) => response.end('x'.repeat(size)));
    expect((await (await fetchLocal(url)).text()).length).toBe(size);
    size += 1;
    await expect(fetchLocal(url)).rejects.toThrow('exceeded max size');
  });

  it('that never ends is given up after two seconds', async () => {
    const { fetchLocal, url, clock, server } = await start((_, response) => {
      response.write('{');
    });
    const loading = fetchLocal(url);
    const failed = expect(loading).rejects.toThrow();
    await expect.poll(() => server.connections.length).toBe(1);
    clock.advance(2_000);
    await failed;
    const [connection] = server.connections;
    if (connection && !connection.closed) await once(connection, 'close');
  });

  it('is loaded while any number of others never come', async () => {
    const { fetchLocal, url, clock, server } = await start((request, response) => {
      if (request.url === '/client.json') ok(request, response);
    });
    const slow = Array.from({ length: 100 }, () => fetchLocal(url.replace('client', 'slow')));
    const failed = Promise.allSettled(slow);
    await expect.poll(() => server.connections.length).toBe(100);
    expect((await fetchLocal(url)).status).toBe(200);
    clock.advance(2_000);
    expect(new Set((await failed).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('of a name whose server never answers keeps no other name of this process waiting', async () => {
    const { fetchLocal, url, clock, names } = await start(ok);
    const slow = Array.from({ length: 100 }, (_, nth) =>
      fetchLocal(`https://slow-${nth}.example/client.json`),
    );
    const failed = Promise.allSettled(slow);
    await expect.poll(() => names.asked.size).toBe(100);
    expect((await fetchLocal(url)).status).toBe(200);
    await lookup('localhost');
    clock.advance(2_000);
    expect(new Set((await failed).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});

describe('an address', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '2a00:1450:4001::200e'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    'localhost',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
