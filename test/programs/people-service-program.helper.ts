/**
 * The budgeting service with many people, as a program of its own. Its argument is JSON, see `arguments`. It sends its
 * announcement to its parent, and what was requested as often as its parent asks for it.
 */
import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import type { Grant } from '../../src/service/access.ts';
import { startService } from '../../src/service/server.ts';

const argumentsSchema = z.object({
  /** The number of transactions of each person. */
  sizes: z.array(z.int()).nonempty(),
  redirectUris: z.array(z.string()),
  rateLimit: z.int(),
});

const HOUR_MS = 3_600_000;

const { sizes, redirectUris, rateLimit } = argumentsSchema.parse(JSON.parse(process.argv[2] ?? ''));
const [transactions, ...others] = sizes;
const { baseUrl, appUrl, access, client, people } = await startService({
  clock: systemClock,
  rateLimit,
  redirectUris,
  transactions,
  others: others.map((each) => ({ transactions: each })),
});

/** The requests of each token of an application: when they were answered, and how many with 429. */
const requests = new Map<Grant, { readonly times: number[]; refused: number }>();

const finished = z.object({
  request: z.instanceof(IncomingMessage),
  response: z.instanceof(ServerResponse),
});
subscribe('http.server.response.finish', (message) => {
  const { request, response } = finished.parse(message);
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const grant = token === undefined ? undefined : access.find(token)?.grant;
  // A token that does not expire belongs to the test.
  if (grant?.expiresAt === undefined) return;
  const of = requests.get(grant) ?? { times: [], refused: 0 };
  requests.set(grant, of);
  of.times.push(performance.now());
  if (response.statusCode === 429) of.refused += 1;
});

const mostInAnHour = (times: readonly number[]) =>
  Math.max(0, ...times.map((end, nth) => nth + 1 - times.findIndex((time) => time > end - HOUR_MS)));

process.on('message', () => {
  const tokens = [...requests].map(([{ user }, { times, refused }]) => ({
    person: people.findIndex((each) => each.user === user),
    requests: times.length,
    mostInAnHour: mostInAnHour(times),
    refused,
  }));
  process.send?.({ tokens });
});
process.on('disconnect', () => process.exit());

process.send?.({
  baseUrl,
  appUrl,
  client,
  people: people.map(({ user, signIn }) => ({
    ...signIn,
    userId: user.id,
    budgetId: user.ledgers[0]?.id ?? '',
    token: access.issueToken(user),
  })),
});
