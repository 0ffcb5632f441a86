/**
 * The embedded budgeting service, a program of its own behind real HTTP, for trying things out and for tests: it holds
 * demo budgets and speaks version 1 of the interface, so that a client cannot tell it from the real service. It
 * listens on 127.0.0.1 only. It knows its ledgers, its users and its limits, and must not know anything of the rest of
 * the project but the clock: what the service promises is written here a second time on purpose, so that a mistake of
 * the client shows when the two talk.
 *
 * What comes back is the operator's desk: users, tokens, applications, subscriptions, maintenance.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Clock } from '../platform/clock.ts';
import { Access, type User } from './access.ts';
import { createApp } from './app.ts';
import { demoBudgets } from './demo-data.ts';
import { ServiceError, unexpectedError } from './errors.ts';
import type { Credentials } from './oauth/applications.ts';
import { OAuth } from './oauth.ts';
import { RateLimit } from './rate-limit.ts';
import { newSecret } from './secrets.ts';

const HOST = '127.0.0.1';

const demoApplication = {
  name: 'Budget MCP',
  redirectUris: ['http://127.0.0.1/callback'],
  selectsDefaultBudget: true,
};

export interface ServiceOptions {
  clock: Clock;
  /** 0, the default, takes any free port. */
  port?: number;
  /** The number that the demo budgets are generated from. */
  seed?: number;
  /** How many transactions the first demo budget holds, some 1,500 by default; below 200 only roughly. */
  transactions?: number;
  /** Requests per token in a rolling hour; 200 by default (specification, Limits). */
  rateLimit?: number;
  /** How many transactions a budget may grow to by writes; 1,000,000 by default. More are 403.4. */
  maxTransactions?: number;
  /** The demo user's personal access token; a random one by default. */
  accessToken?: string;
  /** How long an OAuth access token lives, from 1 up; 7200 by default (specification, OAuth applications). */
  accessTokenSeconds?: number;
  /** Told of every error that is a bug of the service; callers see a 500 without its message. */
  reportError?: (error: unknown) => void;
}

export interface Service {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT` */
  readonly appUrl: string;
  /** The owner of the demo budgets, */
  readonly user: User;
  /** and the personal access token that acts for them. */
  readonly accessToken: string;
  /** How they sign in on the service's pages. */
  readonly signIn: { readonly email: string; readonly password: string };
  /** The OAuth application that the demo user owns; it may redirect to `http://127.0.0.1/callback` on any port. */
  readonly client: Readonly<Credentials>;
  readonly oauth: OAuth;
  /** All users and their tokens. */
  readonly access: Access;
  /** While true, every request gets 503. */
  maintenance: boolean;
  /** Stops listening and ends all connections. Closing again does nothing. */
  close(): Promise<void>;
}

/** Starts the service with its demo budgets; resolves when it listens. Throws `EADDRINUSE` where the port is taken. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    clock,
    port = 0,
    seed,
    transactions,
    rateLimit = 200,
    maxTransactions = 1_000_000,
    accessToken,
    accessTokenSeconds = 7_200,
    reportError = () => {},
  } = options;
  const access = new Access(clock);
  const signIn = { email: 'demo@example.com', password: newSecret().slice(0, 12) };
  const user = access.addUser(demoBudgets({ now: clock.now(), seed, transactions }), signIn);
  const token = access.issueToken(user, { label: 'Demo' }, accessToken);

  const oauth = new OAuth({ access, clock, accessTokenSeconds });
  const { clientId, clientSecret } = oauth.applications.register(user, demoApplication);

  let maintenance = false;
  const app = createApp({
    clock,
    access,
    oauth,
    rateLimit: new RateLimit(rateLimit, clock),
    maxTransactions,
    isInMaintenance: () => maintenance,
    reportError,
  });
  const server = createServer(
    getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      errorHandler: (error) => answerOutsideApp(error, reportError),
    }),
  );
  const appUrl = `http://${HOST}:${await listen(server, port)}`;

  return {
    baseUrl: `${appUrl}/v1`,
    appUrl,
    user,
    accessToken: token,
    signIn,
    client: { clientId, clientSecret },
    oauth,
    access,
    get maintenance() {
      return maintenance;
    },
    set maintenance(on) {
      maintenance = on;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service listens on no port.');
  return address.port;
}

/** The answer where the app could give none: mostly to an address or Host header that is no URL. */
function answerOutsideApp(error: unknown, reportError: (error: unknown) => void): Response {
  const isMalformed = error instanceof RequestError;
  if (!isMalformed) reportError(error);
  const { body, status } = isMalformed
    ? new ServiceError('bad_request', 'The address of the request is malformed.')
    : unexpectedError();
  return Response.json(body, { status, headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}
