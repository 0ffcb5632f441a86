/**
 * The HTTP application: its middleware and routes, in the order in which a request passes them. All requests pass
 * compression, the response format, the time limit and the maintenance check. Requests under `/v1` then pass CORS
 * preflight, authentication, the limits of a budget, and the resources. The OAuth routes and the pages for users are
 * separate. Port and lifetime belong to `server`.
 */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../base/clock.ts';
import type { Access } from './access.ts';
import { authentication } from './authentication.ts';
import { errorHandler, errorResponse, invalidUri, ServiceError } from './errors.ts';
import { DEFAULT_INTERFACE_VERSION, type InterfaceVersion, interfaceVersion } from './interface-version.ts';
import { authorizeRoute } from './oauth/authorize-route.ts';
import { tokenRoute } from './oauth/token-route.ts';
import type { OAuth } from './oauth.ts';
import { developerSettings } from './pages/developer-settings.ts';
import { PageSignIn } from './pages/page-sign-in.ts';
import { budgetPath } from './plans.ts';
import type { RateLimit } from './rate-limit.ts';
import { accountRoutes } from './routes/accounts.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { categoryRoutes } from './routes/categories.ts';
import { categoryGroupRoutes } from './routes/category-groups.ts';
import { moneyMovementRoutes } from './routes/money-movements.ts';
import { monthRoutes } from './routes/months.ts';
import { payeeRoutes } from './routes/payees.ts';
import { scheduledTransactionRoutes } from './routes/scheduled-transactions.ts';
import { transactionWrites } from './routes/transaction-writes.ts';
import { transactionRoutes } from './routes/transactions.ts';
import { userRoutes } from './routes/user.ts';
import { timeLimit } from './time-limit.ts';
import { limits } from './writes/limits.ts';

export interface AppOptions {
  /** The minor version of the interface; the newest by default. */
  version?: InterfaceVersion | undefined;
  clock: Clock;
  access: Access;
  oauth: OAuth;
  rateLimit: RateLimit;
  /** The largest number of transactions in a budget. */
  maxTransactions: number;
  isInMaintenance: () => boolean;
  /**
   * Called with every error that is a bug of the service. The caller gets a 500 without the message of the error.
   */
  reportError: (error: unknown) => void;
}

export function createApp(options: AppOptions): Hono {
  const {
    version = DEFAULT_INTERFACE_VERSION,
    clock,
    access,
    oauth,
    rateLimit,
    maxTransactions,
    isInMaintenance,
    reportError,
  } = options;
  const app = version === '1.77' ? new Hono() : new Hono({ getPath: budgetPath });

  app.use(
    '/v1/*',
    cors({
      origin: '*',
      allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['Authorization', 'Content-Type'],
      exposeHeaders: ['X-Rate-Limit'],
    }),
  );
  app.use(dateOf(clock));
  app.use(compress({ encoding: 'gzip' }));
  app.use(jsonContentType);
  app.use(timeLimit(clock));
  app.use(maintenance(isInMaintenance));
  app.use('/v1/*', authentication(access, rateLimit, clock));
  app.use('/v1/*', limits(maxTransactions));
  app.use('/v1/*', interfaceVersion(version));

  app.route('/v1', userRoutes);
  app.route('/v1', budgetRoutes);
  app.route('/v1', accountRoutes);
  app.route('/v1', categoryRoutes);
  app.route('/v1', categoryGroupRoutes);
  app.route('/v1', moneyMovementRoutes);
  app.route('/v1', monthRoutes);
  app.route('/v1', payeeRoutes);
  app.route('/v1', transactionRoutes);
  app.route('/v1', transactionWrites);
  app.route('/v1', scheduledTransactionRoutes);

  const signIn = new PageSignIn({ access, clock });
  app.route('/', tokenRoute(oauth));
  app.route('/', authorizeRoute(oauth, signIn));
  app.route('/', developerSettings({ access, oauth, signIn }));

  app.notFound((c) => errorResponse(c, invalidUri()));
  app.onError(errorHandler(reportError));
  return app;
}

/** The `Date` of every response is that of the service's clock, which a test sets. */
const dateOf = (clock: Clock) =>
  createMiddleware(async (c, next) => {
    await next();
    c.header('Date', new Date(clock.now()).toUTCString());
  });

/** The content type of JSON responses includes the character set (docs/interface.md, Response wrapper). */
const jsonContentType = createMiddleware(async (c, next) => {
  await next();
  if (c.res.headers.get('Content-Type') === 'application/json') {
    c.header('Content-Type', 'application/json; charset=utf-8');
  }
});

/** Returns 503 to all requests, before the token is checked or counted (docs/interface.md, Errors). */
const maintenance = (isInMaintenance: () => boolean) =>
  createMiddleware(async (_c, next) => {
    if (isInMaintenance()) throw new ServiceError('service_unavailable', 'The service is in maintenance.');
    await next();
  });
