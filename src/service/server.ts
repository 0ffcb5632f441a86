/**
 * The embedded budgeting service, for trials and tests: a separate server with demo budgets behind real HTTP. It
 * implements major version 1 of the interface, so that a client cannot distinguish it from the real service. It listens on
 * 127.0.0.1 only. It shares nothing with the rest of the project but the clock: the interface is implemented here a
 * second time on purpose, so that a mistake of the client shows in the tests.
 *
 * The returned `Service` gives the operator access to users, tokens, applications, subscriptions and maintenance.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Clock } from '../base/clock.ts';
import { Access, type User } from './access.ts';
import { createApp } from './app.ts';
import type { HouseholdSize } from './demo-data/household-size.ts';
import { demoBudgets } from './demo-data.ts';
import { ServiceError, unexpectedError } from './errors.ts';
import type { InterfaceVersion } from './interface-version.ts';
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

/** The size is that of the first demo budget; the number of transactions is approximate below 200. */
export interface ServiceOptions extends HouseholdSize {
  clock: Clock;
  /** The minor version of the interface; the newest by default. */
  version?: InterfaceVersion;
  /** 0, the default, chooses a free port. */
  port?: number;
  /** The seed of the demo budgets. */
  seed?: number;
  /** Whether the demo budgets have what years of use leave behind (docs/interface.md, Untidy budgets). */
  untidy?: boolean | undefined;
  /** Requests per token in a rolling hour; 200 by default (docs/interface.md, Limits). */
  rateLimit?: number;
  /** The largest number of transactions in a budget; 1,000,000 by default. More are refused with 403.4. */
  maxTransactions?: number;
  /** The demo user's personal access token; a random one by default. */
  accessToken?: string;
  /** The sizes of the households of further people. With further people, the application is not in Restricted Mode. */
  others?: readonly HouseholdSize[];
  /** More addresses that the application may redirect to. */
  redirectUris?: readonly string[];
  /** The lifetime of an OAuth access token, at least 1; 7200 by default (docs/interface.md, OAuth applications). */
  accessTokenSeconds?: number;
  /**
   * Called with every error that is a bug of the service. The caller gets a 500 without the message of the error.
   */
  reportError?: (error: unknown) => void;
}

/** A sign-in on the service's pages. */
export interface PageSignIn {
  readonly email: string;
  readonly password: string;
}

export interface Person {
  readonly user: User;
  readonly signIn: PageSignIn;
}

export interface Service {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT` */
  readonly appUrl: string;
  /** The owner of the demo budgets. */
  readonly user: User;
  /** The personal access token of `user`. */
  readonly accessToken: string;
  /** The sign-in of `user` on the service's pages. */
  readonly signIn: PageSignIn;
  /** All people: `user`, and then the further ones. */
  readonly people: readonly Person[];
  /** An OAuth application owned by `user`. It may redirect to `http://127.0.0.1/callback` on any port. */
  readonly client: Readonly<Credentials>;
  readonly oauth: OAuth;
  /** All users and their tokens. */
  readonly access: Access;
  /** While true, every request gets 503. */
  maintenance: boolean;
  /** Stops listening and closes all connections. A second call does nothing. */
  close(): Promise<void>;
}

/** Starts the service with its demo budgets. Resolves when it listens. Throws `EADDRINUSE` if the port is in use. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    clock,
    version,
    port = 0,
    seed,
    untidy,
    transactions,
    months,
    categories,
    payees,
    rateLimit = 200,
    maxTransactions = 1_000_000,
    accessToken,
    others = [],
    redirectUris = [],
    accessTokenSeconds = 7_200,
    reportError = () => {},
  } = options;
  const access = new Access(clock);
  const addPerson = (email: string, size: HouseholdSize, seedOfPerson = seed): Person => {
    const signIn = { email, password: newSecret().slice(0, 12) };
    return {
      user: access.addUser(demoBudgets({ now: clock.now(), seed: seedOfPerson, untidy, ...size }), signIn),
      signIn,
    };
  };
  const first = addPerson('demo@example.com', { transactions, months, categories, payees });
  const { user, signIn } = first;
  const people = [
    first,
    ...others.map((size, index) => addPerson(`demo${index + 2}@example.com`, size, (seed ?? 1) + index + 1)),
  ];
  const token = access.issueToken(user, { label: 'Demo' }, accessToken);

  const oauth = new OAuth({ access, clock, accessTokenSeconds });
  const { application, clientId, clientSecret } = oauth.applications.register(user, {
    ...demoApplication,
    redirectUris: [...demoApplication.redirectUris, ...redirectUris],
  });
  if (others.length > 0) application.restricted = false;

  let maintenance = false;
  const app = createApp({
    version,
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
      errorHandler: (error) => errorResponseOutsideApp(error, reportError),
    }),
  );
  const appUrl = `http://${HOST}:${await listen(server, port)}`;

  return {
    baseUrl: `${appUrl}/v1`,
    appUrl,
    user,
    accessToken: token,
    signIn,
    people,
    client: { clientId, clientSecret },
    oauth,
    access,
    get maintenance() {
      return maintenance;
    },
    set maintenance(value) {
      maintenance = value;
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

/**
 * The response to a request that never reaches the app, mostly because its address or Host header is no valid URL.
 */
function errorResponseOutsideApp(error: unknown, reportError: (error: unknown) => void): Response {
  const isMalformed = error instanceof RequestError;
  if (!isMalformed) reportError(error);
  const { body, status } = isMalformed
    ? new ServiceError('bad_request', 'The address of the request is malformed.')
    : unexpectedError();
  return Response.json(body, { status, headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}
