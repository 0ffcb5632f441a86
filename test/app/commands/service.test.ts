import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runService, type ServiceCommandOptions } from '../../../src/app/commands/service.ts';
import { unusedPort } from '../../local-server.helper.ts';

/** Runs the command until `use` has finished with its output. Returns the whole output. */
async function running(
  options: ServiceCommandOptions,
  use: (line: string) => Promise<void>,
): Promise<string> {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stop = new AbortController();
  const ended = runService({ transactions: 10, ...options }, { stdout, signal: stop.signal });
  const [line] = await Promise.race([once(stdout, 'data'), ended.then(() => [''])]);
  await use(String(line)).finally(() => stop.abort());
  await ended;
  return line + (stdout.read() ?? '');
}

const SignIn = z.object({ email: z.email(), password: z.string().min(1) });

const Announcement = z.strictObject({
  base_url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
  app_url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/),
  access_token: z.string().min(1),
  email: z.email(),
  password: z.string().min(1),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  people: z.array(SignIn).exactOptional(),
});

/** Signs in on the page, and returns the cookie of the session. */
async function signIn(page: string, { email, password }: z.output<typeof SignIn>): Promise<string> {
  const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const first = await fetch(page);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await first.text())?.[1] ?? '';
  const signedIn = await fetch(page, {
    method: 'POST',
    headers: { cookie: cookieOf(first) },
    body: new URLSearchParams({ csrf, intent: 'sign-in', email, password }),
    redirect: 'manual',
  });
  return cookieOf(signedIn);
}

const Budgets = z.object({
  data: z.object({ budgets: z.tuple([z.object({ id: z.string() })], z.unknown()) }),
});
const list = z.array(z.unknown());
const Export = z.object({
  data: z.object({ budget: z.object({ transactions: list, months: list, payees: list, categories: list }) }),
});

describe('budget-mcp service', () => {
  test('budget-mcp service prints one line of JSON with everything that is needed to use the service', async () => {
    const printed = await running({}, async (line) => {
      const { base_url, app_url, access_token } = Announcement.parse(JSON.parse(line));
      expect(base_url).toBe(`${app_url}/v1`);
      const response = await fetch(`${base_url}/budgets?access_token=${access_token}`);
      expect(response.status).toBe(200);
    });
    expect(printed).toMatch(/^\{.*\}\n$/);
  });

  test('budget-mcp service prints how a person signs in, and for which application', async () => {
    await running({ accessTokenSeconds: 60 }, async (line) => {
      const { app_url, email, password, client_id, client_secret } = Announcement.parse(JSON.parse(line));
      const redirect_uri = 'http://127.0.0.1:4567/callback';
      const query = new URLSearchParams({ client_id, redirect_uri, response_type: 'token' });
      const page = `${app_url}/oauth/authorize?${query}`;
      const cookie = await signIn(page, { email, password });
      const consent = await fetch(page, { headers: { cookie } });
      expect(await consent.text()).toContain('after 1 minute.');

      const credentials = {
        client_id,
        client_secret,
        grant_type: 'authorization_code',
        code: 'none',
        redirect_uri,
      };
      const refused = await fetch(`${app_url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(credentials),
      });
      expect(await refused.json()).toMatchObject({ error: 'invalid_grant' });
    });
  });

  test('with several people, each of them can sign in to the application, which may redirect to the given address', async () => {
    const redirectUri = 'https://budget.example.com/callback';
    await running({ people: 3, redirectUri }, async (line) => {
      const { app_url, client_id, people = [] } = Announcement.parse(JSON.parse(line));
      expect(new Set(people.map(({ email }) => email)).size).toBe(3);
      const query = new URLSearchParams({ client_id, redirect_uri: redirectUri, response_type: 'code' });
      const page = `${app_url}/oauth/authorize?${query}`;
      for (const person of people) {
        const response = await fetch(page, { headers: { cookie: await signIn(page, person) } });
        expect(await response.text()).toContain('value="allow"');
      }
    });
  });

  test('budget-mcp service uses the port, token and rate limit from its options', async () => {
    const port = await unusedPort();
    await running({ port, token: 'mine', rateLimit: 7 }, async (line) => {
      expect(JSON.parse(line)).toMatchObject({
        base_url: `http://127.0.0.1:${port}/v1`,
        app_url: `http://127.0.0.1:${port}`,
        access_token: 'mine',
      });
      const response = await fetch(`http://127.0.0.1:${port}/v1/user?access_token=mine`);
      expect(response.headers.get('X-Rate-Limit')).toBe('1/7');
    });
  });

  test.each([
    [{}, 200],
    [{ interface: '1.86' }, 200],
    [{ interface: '1.85' }, 200],
    [{ interface: '1.77' }, 404],
  ])('budget-mcp service speaks the interface %j, where /plans answers %i', async (options, status) => {
    await running(options, async (line) => {
      const { base_url, access_token } = Announcement.parse(JSON.parse(line));
      expect((await fetch(`${base_url}/plans?access_token=${access_token}`)).status).toBe(status);
    });
  });

  test('budget-mcp service has the months, categories and payees from its options', async () => {
    await running({ transactions: 600, months: 6, categories: 40, payees: 150 }, async (line) => {
      const { base_url, access_token } = Announcement.parse(JSON.parse(line));
      const answer = await fetch(`${base_url}/budgets?access_token=${access_token}`);
      const { data } = Budgets.parse(await answer.json());
      const whole = await fetch(`${base_url}/budgets/${data.budgets[0].id}?access_token=${access_token}`);
      const { budget } = Export.parse(await whole.json()).data;
      expect(budget.transactions).toHaveLength(600);
      expect(budget.months).toHaveLength(7);
      expect(budget.payees).toHaveLength(150);
      // Two are internal, and each of three credit accounts has one.
      expect(budget.categories).toHaveLength(40 + 5);
    });
  });

  test('budget-mcp service ends when its signal is aborted, and the port is free again', async () => {
    const port = await unusedPort();
    await running({ port }, async () => {});
    await running({ port }, async () => {});
  });

  test('budget-mcp service ends at once if its signal was aborted before it listened', async () => {
    const stdout = new PassThrough();
    await runService({ transactions: 10 }, { stdout, signal: AbortSignal.abort() });
  });

  test('budget-mcp service reports a port in use, and prints nothing', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = portOf(taken.address());
    const stdout = new PassThrough();
    const run = runService({ port, transactions: 10 }, { stdout, signal: new AbortController().signal });
    await expect(run).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: `Port ${port} is already in use on 127.0.0.1.`,
    });
    expect(stdout.read()).toBeNull();
    taken.close();
  });

  test.each<[ServiceCommandOptions, string]>([
    [{ port: 65_536 }, '--port must be a whole number, from 0 to 65535.'],
    [{ port: Number.NaN }, '--port must be a whole number, from 0 to 65535.'],
    [{ transactions: -1 }, '--transactions must be a whole number, 0 or more.'],
    [{ months: 0, transactions: 200 }, '--months must be a whole number, from 1 to 600.'],
    [{ categories: 30 }, '--categories must be a whole number, from 31 to 3000.'],
    [{ payees: 99 }, '--payees must be a whole number, from 100 to 100000.'],
    [
      { transactions: 8_469, months: 120 },
      '--transactions must be 8470 or more with --months 120, because so many months have about as many.',
    ],
    [{ rateLimit: 0 }, '--rate-limit must be a whole number, 1 or more.'],
    [{ rateLimit: 1.5 }, '--rate-limit must be a whole number, 1 or more.'],
    [{ accessTokenSeconds: 0 }, '--access-token-seconds must be a whole number, 1 or more.'],
    [{ token: 'two words' }, '--token must be letters, digits and -._~+/, with = only at its end.'],
    [{ interface: '1.78' }, '--interface must be one of 1.77, 1.85, 1.86.'],
  ])('budget-mcp service refuses %j', async (options, message) => {
    const stdout = new PassThrough();
    const run = runService({ transactions: 10, ...options }, { stdout, signal: AbortSignal.abort() });
    await expect(run).rejects.toMatchObject({ code: 'invalid_configuration', message });
    expect(stdout.read()).toBeNull();
  });
});

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
