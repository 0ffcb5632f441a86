/** The budgeting service with many people in a process of its own, which counts what is requested with each token. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const person = z.object({
  email: z.string(),
  password: z.string(),
  userId: z.string(),
  budgetId: z.string(),
  /** A personal token, for the test. Its requests are not counted. */
  token: z.string(),
});

const announcement = z.object({
  baseUrl: z.string(),
  appUrl: z.string(),
  client: z.object({ clientId: z.string(), clientSecret: z.string() }),
  people: z.array(person),
});

const counts = z.object({
  tokens: z.array(z.object({ person: z.int(), requests: z.int(), mostInAnHour: z.int(), refused: z.int() })),
});

export type ServicePerson = z.output<typeof person>;
/** What was requested with one token of an application. */
export type TokenRequests = z.output<typeof counts>['tokens'][number];

export interface PeopleServiceOptions {
  /** The number of transactions of each person. */
  readonly sizes: readonly number[];
  readonly redirectUris: readonly string[];
  /** Requests of one token in an hour. */
  readonly rateLimit?: number;
}

const MEMORY_MB = 12_000;
const data = z.object({ data: z.unknown() });

export type PeopleService = Awaited<ReturnType<typeof startPeopleService>>;

export async function startPeopleService({ rateLimit = 200, ...options }: PeopleServiceOptions) {
  const script = fileURLToPath(new URL('people-service-program.helper.ts', import.meta.url));
  const child = fork(script, [JSON.stringify({ ...options, rateLimit })], {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${MEMORY_MB}`],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const ended = once(child, 'exit');
  const failed = ended.then(() => {
    throw new Error('The budgeting service has ended.');
  });
  failed.catch(() => {});
  const next = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  const { people, ...addresses } = announcement.parse(await next());
  return {
    ...addresses,
    people,
    pid: child.pid ?? 0,
    /** For each token that an application has used. */
    async requests(): Promise<TokenRequests[]> {
      const counted = next();
      child.send('count');
      return counts.parse(await counted).tokens;
    },
    /** The data for a person, by a path such as `/budgets`, without the tested servers. */
    async get({ token }: ServicePerson, path: string): Promise<unknown> {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${addresses.baseUrl}${path}`, { headers });
      return data.parse(await response.json()).data;
    },
    /** Writes for a person without the tested servers. Returns the data of the answer. */
    async post({ token }: ServicePerson, path: string, body: object): Promise<unknown> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      return data.parse(await (await fetch(`${addresses.baseUrl}${path}`, sent)).json()).data;
    },
    async close(): Promise<void> {
      child.disconnect();
      await ended;
    },
  };
}
