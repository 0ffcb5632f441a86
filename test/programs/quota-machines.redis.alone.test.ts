/**
 * The requests of one person's token, who uses three servers with one Redis, on clocks that the test advances. The clock of
 * Redis is real.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { rm } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startService } from '../../src/service/server.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { noCaddy } from '../caddy.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { KeptSignIn } from './kept-sign-in.helper.ts';
import { MachineClock } from './machine-clock.helper.ts';
import { Machines } from './machines.helper.ts';
import { DistantBrowser, signInOnPages } from './sign-in-pages.helper.ts';

const LIMIT = 200;
/** A request that is free, or one that is tried because it is not known when one is. */
const SAYS_WHEN = / (is free (at the latest )?|one request is tried )in \d+ s, at \d{4}-/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const finished = z.object({
  request: z.object({ url: z.string(), headers: z.object({ authorization: z.string().optional() }) }),
  response: z.instanceof(ServerResponse),
});

/** What the service is asked for with each token, at which time, and whether it refused that. */
function countRequests(now: () => number) {
  const requests: { readonly token: string; readonly at: number; readonly status: number }[] = [];
  const count = (message: unknown) => {
    const { request, response } = finished.parse(message);
    const token = request.headers.authorization;
    if (token && request.url.startsWith('/v1/'))
      requests.push({ token, at: now(), status: response.statusCode });
  };
  subscribe('http.server.response.finish', count);
  onTestFinished(() => void unsubscribe('http.server.response.finish', count));
  return requests;
}

async function start() {
  const clock = await MachineClock.start(Date.now());
  const publicUrl = await unusedUrl();
  const service = await startService({
    clock: clock.service,
    transactions: 200,
    rateLimit: LIMIT,
    // One token for the whole test.
    accessTokenSeconds: 100_000,
    redirectUris: ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path),
    others: [{ transactions: 200 }],
  });
  onTestFinished(() => service.close());
  const requests = countRequests(() => clock.service.monotonic());
  const machines = await Machines.start({
    directory: await temporaryDirectory(),
    service,
    publicUrl,
    servers: 3,
    store: 'redis',
    isInTurn: true,
    env: () => clock.env,
  });
  onTestFinished(async () => void (await machines.close()));
  const { issuer, url } = machines;
  const [person] = service.people;
  const signIn = { ...(person?.signIn ?? expect.unreachable()), budgetId: person?.user.ledgers[0]?.id ?? '' };

  return {
    clock,
    machines,
    requests,
    /** The person signs in, and has an assistant. Caddy gives each of its requests to the next server. */
    async connect(): Promise<Host> {
      const browser = new DistantBrowser(1, [issuer, service.appUrl]);
      const options = { browser, decision: 'allow', clientName: 'Assistant' } as const;
      const { clientId, tokens } = await signInOnPages({ issuer, resource: url }, signIn, options);
      return connectModern({ http: { url, authProvider: new KeptSignIn(issuer, clientId, tokens) } });
    },
    /** Resolves when all servers were started again, and the proxy knows it. */
    async restarted(): Promise<void> {
      while (machines.servers.some(({ ends, pid }) => ends.length === 0 || pid === undefined))
        await setTimeout(100);
      // The answer of any server.
      while (!(await fetch(`${issuer}/.well-known/oauth-protected-resource`)).ok) await setTimeout(100);
    },
    /** Short steps, so that the servers renew their leases in Redis. */
    async pass(milliseconds: number): Promise<void> {
      for (let left = milliseconds; left > 0; left -= MINUTE_MS / 2) {
        clock.advance(Math.min(left, MINUTE_MS / 2));
        await setTimeout(50);
      }
    },
  };
}

/** Reads, three at a time, and then writes, until each of them is refused. Returns what the write was told. */
async function useUp(host: Host): Promise<string> {
  let isSpent = false;
  const refresh = async () => {
    const { isError, text } = await host.call('refresh_budget');
    if (isError) expect(text).toMatch(SAYS_WHEN);
    if (isError) isSpent = true;
  };
  while (!isSpent) await Promise.all([refresh(), refresh(), refresh()]);
  for (let amount = -1; ; amount -= 1) {
    const transaction = { account_id: 'Checking', date: 'today', amount, payee_name: 'Lantern' };
    const { isError, text } = await host.call('create_transactions', { transactions: [transaction] });
    if (isError) return text;
  }
}

/** The most requests of one token in an hour. */
const mostInAnHour = (requests: readonly { readonly token: string; readonly at: number }[]) =>
  Math.max(
    ...requests.map(
      ({ token, at: end }) =>
        requests.filter((each) => each.token === token && each.at <= end && each.at > end - HOUR_MS).length,
    ),
  );

describe.skipIf(noRedis || noCaddy)('one token over three servers', () => {
  it('gets all requests of the hour and none more, also when the clocks of the servers jump, and errors say when to go on', async () => {
    const { clock, requests, connect, pass } = await start();
    const use = async () => {
      const host = await connect();
      for (let count = 0; count < LIMIT / 2; count += 1) await host.call('refresh_budget');
      // The clock of Redis shows that this time has not passed, so no request comes back.
      clock.shiftWallClock(10 * MINUTE_MS);
      await pass(40 * MINUTE_MS);
      expect(await useUp(host)).toMatch(SAYS_WHEN);
      expect(requests.length).toBeGreaterThan(LIMIT - 10);
      clock.shiftWallClock(-20 * MINUTE_MS);
      await pass(25 * MINUTE_MS);
      expect(await useUp(host)).toMatch(SAYS_WHEN);
    };
    await clock.passing(use(), 1);
    expect(requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual(LIMIT);
  });

  it('has a new quota after a new sign-in, when Redis has lost its data', async () => {
    const { clock, machines, requests, connect, restarted } = await start();
    const [redis] = machines.redisNodes;
    const use = async () => {
      await useUp(await connect());
      await redis?.kill();
      await rm(join(redis?.directory ?? '', 'appendonlydir'), { recursive: true });
      await redis?.start();
      await restarted();
      await useUp(await connect());
    };
    await clock.passing(use(), 1);
    expect(new Set(requests.map(({ token }) => token)).size).toBe(2);
    expect(requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(mostInAnHour(requests)).toBeLessThanOrEqual(LIMIT);
  });

  it('gets no more than its quota if what is known about its requests was lost, as the first answer has the count', async () => {
    const { clock, machines, requests, connect, restarted } = await start();
    const [redis] = machines.redisNodes;
    const use = async () => {
      const client = new Redis(redis?.url ?? '');
      onTestFinished(() => client.disconnect());
      const before = new Set(await client.keys('budget-mcp:2:store:*'));
      const host = await connect();
      for (let count = 0; count < LIMIT / 2; count += 1) await host.call('refresh_budget');
      const stores = (await client.keys('budget-mcp:2:store:*')).filter((key) => !before.has(key));
      const records = stores.filter((key) => key.endsWith(':records'));
      expect(records).toHaveLength(1);
      await client.unlink(records);
      for (const server of machines.servers) server.kill('SIGKILL');
      await restarted();
      await useUp(host);
    };
    await clock.passing(use(), 1);
    expect(requests.length).toBeGreaterThan(LIMIT - 10);
    expect(requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(mostInAnHour(requests)).toBeLessThanOrEqual(LIMIT);
  });
});
