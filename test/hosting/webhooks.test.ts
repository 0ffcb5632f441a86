import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWebhooks } from '../../src/hosting/webhooks.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { serveNames } from '../name-server.helper.ts';
import { certificate, serveHttps } from './local-https.helper.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

async function receiver(answer: RequestListener, allowsAll = true) {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = await serveHttps(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    answer(request, response);
  });
  // The library that verifies looks at the clock of the machine.
  const clock = new ManualClock(Date.now());
  const names: Record<string, string> = { localhost: '127.0.0.1' };
  const attempts = connectionAttempts();
  const { address } = await serveNames(names);
  const webhooksOf = createWebhooks({ clock, allowsAll, ca: certificate.cert, nameServers: [address] });
  const { accepts, post } = webhooksOf('person');
  const url = `https://localhost:${server.port}/hook`;
  const message = { url, watchId: 'sub_1', messageId: 'evt_1', body: '{"a":1}', secrets: [SECRET] };
  const send = (to = url, secrets: readonly string[] = [SECRET]) => post({ ...message, url: to, secrets });
  return { server, clock, received, send, message, webhooksOf, accepts, names, attempts };
}

const ok: RequestListener = (_, response) => void response.end('{"challenge":"x"}');
const status =
  (code: number, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end();

describe('a message', () => {
  it('has the headers of Standard Webhooks, and a signature that its library verifies', async () => {
    const { send, received } = await receiver(ok);
    expect(await send()).toEqual({ accepted: '{"challenge":"x"}' });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'x-mcp-subscription-id': 'sub_1',
    });
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(SECRET).verify(body, given)).toEqual({ a: 1 });
    expect(() => new Webhook(OTHER).verify(body, given)).toThrow();
  });

  it('is signed with both secrets while they are replaced', async () => {
    const { send, received } = await receiver(ok);
    await send(undefined, [OTHER, SECRET]);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    for (const secret of [SECRET, OTHER]) expect(new Webhook(secret).verify(body, given)).toEqual({ a: 1 });
  });

  it.each([
    [500, { error: 'http_5xx', status: 500 }],
    [404, { error: 'http_4xx', status: 404 }],
    [410, { error: 'http_4xx', status: 410 }],
  ])('with the answer %s has failed', async (code, outcome) => {
    const { send } = await receiver(status(code));
    expect(await send()).toEqual(outcome);
  });

  it.each([300, 301, 302, 303, 307, 308])('is not sent on where the answer is %s', async (code) => {
    const { send, received, server } = await receiver((request, response) => {
      const location = `https://${request.headers.host}/other`;
      response.writeHead(request.url === '/hook' ? code : 200, { location }).end();
    });
    expect(await send()).toEqual({ error: 'http_4xx', status: code });
    expect(received).toHaveLength(1);
    expect(server.connections).toHaveLength(1);
  });

  it('fails after ten seconds without an answer, or with one that does not end', async () => {
    for (const answer of [() => {}, (_, response) => void response.write('{')] as RequestListener[]) {
      const { send, clock, received } = await receiver(answer);
      const sending = send();
      await expect.poll(() => received.length).toBe(1);
      clock.advance(10_000);
      expect(await sending).toEqual({ error: 'timeout' });
    }
  });

  it('fails with an answer that is too long, and where nothing listens', async () => {
    const { send } = await receiver((_, response) => void response.end('x'.repeat(10_000)));
    expect(await send()).toEqual({ error: 'connection_refused' });
    expect(await send('https://localhost:1/')).toEqual({ error: 'connection_refused' });
  });

  it('fails with an answer that wants another protocol', async () => {
    const { send } = await receiver(
      (_, response) =>
        void response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
        ),
    );
    expect(await send()).toEqual({ error: 'connection_refused' });
  });

  it('fails where the certificate is for another name', async () => {
    const { send, server, names } = await receiver(ok);
    names['other.test'] = '127.0.0.1';
    expect(await send(`https://other.test:${server.port}/`)).toEqual({ error: 'tls_error' });
  });

  it('goes to a host at most sixteen at once, of which one person leaves some to the others', async () => {
    const { webhooksOf, message, received, clock } = await receiver(() => {});
    const sendingOf = (person: string) => Array.from({ length: 20 }, () => webhooksOf(person).post(message));
    const sending = [...'abcdefgh'].map(sendingOf);
    await expect.poll(() => received.length).toBe(16);
    clock.advance(10_000);
    const sent = (await Promise.all(sending.map((each) => Promise.all(each)))).map((each) => {
      const timeouts = each.filter((outcome) => 'error' in outcome && outcome.error === 'timeout').length;
      expect(each.filter((outcome) => 'isPostponed' in outcome)).toHaveLength(20 - timeouts);
      return timeouts;
    });
    expect(sent).toEqual([9, 2, 1, 1, 1, 1, 1, 0]);
    expect(received).toHaveLength(16);
  });

  it('for which a host has no room waits behind the others, so that they are tried as often as the host takes them', async () => {
    const { webhooksOf, message, received, clock } = await receiver(() => {});
    const { post } = webhooksOf('one');
    const sending = [...'abcdefgh'].flatMap((person) =>
      Array.from({ length: 20 }, () => webhooksOf(person).post(message)),
    );
    await expect.poll(() => received.length).toBe(16);
    const waitsOf = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, nth) => post({ ...message, watchId: `sub_${nth + 2}` })));
    const waits = await waitsOf(100);
    const first = waits[0] && 'waitMs' in waits[0] ? waits[0].waitMs : 0;
    expect(waits).toEqual(waits.map((_, nth) => ({ isPostponed: true, waitMs: first + nth * 100 })));
    // Early tries change nothing, and those that were tried when they could be are the last again.
    clock.advance(first + 150);
    const later = await waitsOf(100);
    expect(later).toEqual(
      later.map((_, nth) => ({ isPostponed: true, waitMs: (nth < 2 ? 100 + nth : nth) * 100 - 150 })),
    );
    clock.advance(10_000);
    await Promise.all(sending);
  });

  it('is sent on demand ten times in a minute for one person, to whatever hosts, and others are not affected', async () => {
    const { webhooksOf, message, received, names, server, send, clock } = await receiver(ok);
    const ask = (person: string, host = 'localhost') => {
      names[host] = '127.0.0.1';
      const url = `https://${host}:${server.port}/hook`;
      return webhooksOf(person).post({ ...message, url, isOnDemand: true });
    };
    for (let count = 0; count < 10; count += 1) await ask('one');
    expect(await ask('one')).toMatchObject({ isPostponed: true });
    expect(await ask('one', 'other.test')).toMatchObject({ isPostponed: true });
    expect(received).toHaveLength(10);
    expect(await ask('other')).toHaveProperty('accepted');
    expect(await send()).toHaveProperty('accepted');
    clock.advance(6_000);
    expect(await ask('one')).toHaveProperty('accepted');
  });
});

const privateHosts = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.1.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[::ffff:169.254.169.254]',
  '[0000:0000:0000:0000:0000:FFFF:7F00:0001]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2001:0:7f00:1::]',
  '127.0.0.1.',
  '169.254.169.254.',
  '0x7f.0x0.0x0.0x1',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '127.0.1',
  '00000177.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
];

const privateNames = [
  'localhost',
  'LOCALHOST.',
  'sub.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'metadata.google.internal',
  '127.0.0.1.nip.io',
  'xn--lcalhost-54a.test',
];

/** The addresses to which this process tries to connect. */
function connectionAttempts(): string[] {
  const attempts: string[] = [];
  const { connect } = Socket.prototype;
  Object.assign(Socket.prototype, {
    connect(this: Socket, ...args: unknown[]) {
      this.on('connectionAttempt', (address: string) => attempts.push(address));
      return Reflect.apply(connect, this, args);
    },
  });
  onTestFinished(() => void Object.assign(Socket.prototype, { connect }));
  return attempts;
}

describe('an address that is not public', () => {
  it.each(privateHosts)('%s is not accepted, and never connected to', async (host) => {
    const { accepts, send, server, attempts } = await receiver(ok, false);
    expect(accepts(new URL(`https://${host}/`))).toBe(false);
    expect(await send(`https://${host}:${server.port}/`)).toEqual({ error: 'connection_refused' });
    expect(attempts).toEqual([]);
  });

  it.each(privateNames)('behind the name %s is never connected to', async (name) => {
    const { send, server, names, attempts } = await receiver(ok, false);
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0']) {
      names[new URL(`https://${name}`).hostname] = address;
      expect(await send(`https://${name}:${server.port}/`)).toEqual({ error: 'connection_refused' });
    }
    expect(attempts).toEqual([]);
  });

  it('is connected to if all are allowed, so these tests would notice it', async () => {
    const { send, server, attempts } = await receiver(ok);
    await send(`https://127.1:${server.port}/`);
    expect(attempts).toEqual(['127.0.0.1']);
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://example.com:8443/',
    'https://example.com:22/',
    'https://example.com/#part',
  ])('%s is not accepted', async (url) => {
    const { accepts } = await receiver(ok, false);
    expect(accepts(new URL(url))).toBe(false);
    expect(accepts(new URL('https://example.com:443/hook?key=1'))).toBe(true);
  });

  it('is not reached by a name that changes between the check and the connection, or until the next message', async () => {
    const { send, server, names, attempts, clock } = await receiver(ok, false);
    const answers = ['203.0.114.1'];
    Object.defineProperty(names, 'rebinding.test', { get: () => answers.shift() ?? '127.0.0.1' });
    const url = `https://rebinding.test:${server.port}/`;
    const sending = send(url);
    await expect.poll(() => attempts).toEqual(['203.0.114.1']);
    clock.advance(10_000);
    expect(await sending).toHaveProperty('error');
    expect(await send(url)).toEqual({ error: 'connection_refused' });
    expect(attempts).toEqual(['203.0.114.1']);
    expect(server.connections).toHaveLength(0);
  });
});
