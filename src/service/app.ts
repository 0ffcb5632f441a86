/**
 * The way of a request through the service, in the order in which it is read here: compression, the form of a response,
 * time limit, maintenance; under `/v1` preflight, the token, the limits of a budget and then the resources; beside it
 * OAuth and the pages for people. It knows the layers and the routes, and must not know on which port or for how long
 * the service runs.
 */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../platform/clock.ts';
import type { Access } from './access.ts';
import { authentication } from './authentication.ts';
import { errorHandler, errorResponse, ServiceError } from './errors.ts';
import { authorizeRoute } from './oauth/authorize-route.ts';
import { tokenRoute } from './oauth/token-route.ts';
import type { OAuth } from './oauth.ts';
import { developerSettings } from './pages/developer-settings.ts';
import { FrontDoor } from './pages/front-door.ts';
import type { RateLimit } from './rate-limit.ts';
import { accountRoutes } from './routes/accounts.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { categoryRoutes } from './routes/categories.ts';
import { monthRoutes } from './routes/months.ts';
import { payeeRoutes } from './routes/payees.ts';
import { scheduledTransactionRoutes } from './routes/scheduled-transactions.ts';
import { transactionWrites } from './routes/transaction-writes.ts';
import { transactionRoutes } from './routes/transactions.ts';
import { userRoutes } from './routes/user.ts';
import { timeLimit } from './time-limit.ts';
import { limits } from './writes/limits.ts';

export interface AppParts {
  clock: Clock;
  access: Access;
  oauth: OAuth;
  rateLimit: RateLimit;
  /** How many transactions a budget may grow to. */
  maxTransactions: number;
  isInMaintenance: () => boolean;
  /** Told of every error that is a bug of the service; the caller sees a 500 without its message. */
  reportError: (error: unknown) => void;
}

export function createApp(parts: AppParts): Hono {
  const { clock, access, oauth, rateLimit, maxTransactions, isInMaintenance, reportError } = parts;
  const app = new Hono();

  app.use(
    '/v1/*',
    cors({
      origin: '*',
      allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['Authorization', 'Content-Type'],
      exposeHeaders: ['X-Rate-Limit'],
    }),
  );
  app.use(compress({ encoding: 'gzip' }));
  app.use(jsonContentType);
  app.use(timeLimit(clock));
  app.use(maintenance(isInMaintenance));
  app.use('/v1/*', authentication(access, rateLimit, clock));
  app.use('/v1/*', limits(maxTransactions));

  app.route('/v1', userRoutes);
  app.route('/v1', budgetRoutes);
  app.route('/v1', accountRoutes);
  app.route('/v1', categoryRoutes);
  app.route('/v1', monthRoutes);
  app.route('/v1', payeeRoutes);
  app.route('/v1', transactionRoutes);
  app.route('/v1', transactionWrites);
  app.route('/v1', scheduledTransactionRoutes);

  const frontDoor = new FrontDoor({ access, clock });
  app.route('/', tokenRoute(oauth));
  app.route('/', authorizeRoute(oauth, frontDoor));
  app.route('/', developerSettings({ access, oauth, frontDoor }));

  app.notFound((c) => errorResponse(c, new ServiceError('not_found', 'Invalid URI')));
  app.onError(errorHandler(reportError));
  return app;
}

/** JSON names its character set (specification, Response wrapper). */
const jsonContentType = createMiddleware(async (c, next) => {
  await next();
  if (c.res.headers.get('Content-Type') === 'application/json') {
    c.header('Content-Type', 'application/json; charset=utf-8');
  }
});

/** 503 for everybody, before any token is looked at or counted (specification, Errors). */
const maintenance = (isInMaintenance: () => boolean) =>
  createMiddleware(async (_c, next) => {
    if (isInMaintenance()) throw new ServiceError('service_unavailable', 'The service is in maintenance.');
    await next();
  });
