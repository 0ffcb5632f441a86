/** Where Redis is, and how it is reached. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { addressesOf } from '../../src/store/redis-client.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { selfSignedFiles } from '../certificate.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { noRedis, startRedis } from './redis.helper.ts';

/** Where nothing listens, and where no other test can listen. */
const NO_PORT = 1;
const storeError = (reason: unknown) => ({ name: 'StoreError', reason });

/** The error of a Redis that cannot be reached, after the seconds in which that is tried. */
async function failureOf(url: string): Promise<unknown> {
  const clock = new ManualClock(Date.now());
  const opening = RedisConnection.open({ url, clock }).catch((error: unknown) => error);
  // The first attempt has failed, and the next one waits.
  await expect.poll(() => clock.nextWakeIn).toBe(25);
  clock.advance(5_000);
  return opening;
}

describe.skipIf(noRedis)('the address of Redis', () => {
  it.each([
    'no address',
    'http://user:hidden@127.0.0.1:6379',
    'redis://user:hidden@127.0.0.1:6379/name',
    'redis://user:hidden@127.0.0.1:6379?keyPrefix=a',
    'redis://user:hidden%@127.0.0.1:6379',
  ])('%s is refused, without a password in the error', async (url) => {
    const error = await RedisConnection.open({ url, clock: systemClock }).catch((error: unknown) => error);
    expect(error).toMatchObject({
      name: 'StoreError',
      reason: expect.stringContaining('redis://user:password@host:port'),
    });
    expect(inspect(error, { depth: 9 })).not.toContain('hidden');
  });

  it('with a wrong password is refused with an error that does not have the password', async () => {
    const { port } = await startRedis('--requirepass', 'right');
    const open = (password: string) =>
      RedisConnection.open({ url: `redis://:${password}@127.0.0.1:${port}`, clock: systemClock });
    const error = await open('hidden').catch((error: unknown) => error);
    expect(error).toMatchObject(storeError('refusing the user or the password'));
    expect(inspect(error, { depth: 9 })).not.toContain('hidden');
    await (await open('right')).close();
  });

  it('where nothing listens fails after some seconds', async () => {
    const error = await failureOf(`redis://127.0.0.1:${NO_PORT}`);
    expect(error).toMatchObject(storeError('not reachable (ECONNREFUSED)'));
  });
});

describe('the parts of an address', () => {
  it('are the host, the port, the number of the database, the user and the password', () => {
    expect(addressesOf('redis://us%40er:p%2Fw@[::1]:7000/3')).toEqual([
      { host: '::1', port: 7_000, db: 3, username: 'us@er', password: 'p/w' },
    ]);
    expect(addressesOf('rediss://redis.example')).toEqual([
      { host: 'redis.example', port: 6_379, db: 0, tls: {} },
    ]);
  });

  it('are those of several nodes with commas between them, and a password may have a comma too', () => {
    expect(addressesOf('redis://:p,w@a:1,redis://:p,w@b:2')).toEqual([
      { host: 'a', port: 1, db: 0, password: 'p,w' },
      { host: 'b', port: 2, db: 0, password: 'p,w' },
    ]);
  });

  it.each([
    'redis://:hidden@a,redis://:other@b',
    'redis://:hidden@a,rediss://:hidden@b',
    'redis://:hidden@a/1,redis://:hidden@b/1',
  ])('%s is refused, because the nodes of a cluster have the same', (text) => {
    expect(() => addressesOf(text)).toThrow(
      expect.objectContaining(storeError(expect.stringMatching(/need the same user and password/))),
    );
  });
});

describe.skipIf(noRedis)('an address with TLS', () => {
  async function startWithTls() {
    const { key, certificate: cert } = await selfSignedFiles();
    const { port } = new URL(await unusedUrl());
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    await startRedis('--tls-port', port, ...files);
    return { url: `rediss://127.0.0.1:${port}`, cert };
  }

  it('is refused if its certificate is not trusted', async () => {
    const { url } = await startWithTls();
    const error = await failureOf(url);
    expect(error).toMatchObject(storeError('not reachable (DEPTH_ZERO_SELF_SIGNED_CERT)'));
  });

  it('is used if the system trusts its certificate', async () => {
    const { url, cert } = await startWithTls();
    const script = fileURLToPath(new URL('redis-process.helper.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, url, '60000'], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('locked');
  });
});
