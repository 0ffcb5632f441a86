/**
 * The page of a person: which clients may do what, what they have written, their settings, and the end of all of it. A person
 * signs in with the budgeting service, which only says who they are: its tokens are not kept.
 */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { confirmPolicies } from '../operations/consent.ts';
import { isTimeZone } from '../platform/calendar.ts';
import { accountPage, signInPage } from './account-page.ts';
import { refusedPersonPage } from './allowed-people.ts';
import type { Authorization } from './authorization.ts';
import { derivedKey, hashOf, isSame, keyedHash } from './derived-key.ts';
import { forget } from './forget.ts';
import { formLimit, formOf } from './form.ts';
import { errorPage, expired, failure, page } from './page.ts';
import type { People, PersonSettings } from './people.ts';
import { personIdOf } from './person-id.ts';
import { ACCOUNT_CALLBACK_PATH } from './redirect-paths.ts';
import type { Upstream } from './upstream.ts';

export interface AccountOptions {
  readonly issuer: string;
  readonly rootKey: Uint8Array;
  readonly authorization: Pick<Authorization, 'grants' | 'records' | 'isAllowed'>;
  readonly people: People;
  readonly upstream: Upstream;
  /** Called after the settings of a person have changed. */
  readonly onSettingsChanged: (personId: string) => Promise<void>;
  readonly onBug: (error: Error) => void;
}

const SECRET_BYTES = 32;
const SIGN_IN_MS = 10 * 60_000;
const SESSION_MS = 30 * 60_000;

const signInSchema = z.object({
  pending: z.object({ state: z.string(), redirectUri: z.string(), verifier: z.string() }),
});
const sessionSchema = z.object({ personId: z.string() });

/** An empty field leaves the choice to the server. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal('').transform(() => undefined), schema]).optional();

const settingsForm = z
  .object({
    time_zone: optional(z.string().trim().max(100).refine(isTimeZone)),
    budget: optional(z.string().trim().max(200)),
    confirm: optional(z.enum(confirmPolicies)),
  })
  .transform(
    ({ time_zone, budget, confirm }): PersonSettings => ({
      ...(time_zone !== undefined && { timeZone: time_zone }),
      ...(budget !== undefined && { budget }),
      ...(confirm !== undefined && { confirm }),
    }),
  );

interface Session {
  readonly secret: string;
  readonly personId: string;
}

export function accountRoutes(options: AccountOptions): Hono {
  const { issuer, rootKey, authorization, people, upstream, onSettingsChanged, onBug } = options;
  const { grants, records, isAllowed } = authorization;
  const csrfKey = derivedKey(rootKey, 'account form');
  const redirectUri = `${issuer}${ACCOUNT_CALLBACK_PATH}`;
  const isSecure = issuer.startsWith('https:');
  const prefix = isSecure ? '__Host-' : '';
  const sessionCookie = `${prefix}budget-mcp-account`;
  const signInCookie = (state: string) => `${prefix}budget-mcp-account-${hashOf(state).slice(0, 16)}`;

  const set = (c: Context, name: string, value: string, ageMs: number) =>
    setCookie(c, name, value, {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: isSecure,
      maxAge: ageMs / 1_000,
    });

  const sessionOf = async (c: Context): Promise<Session | undefined> => {
    const secret = getCookie(c, sessionCookie);
    if (secret === undefined) return undefined;
    const found = await records.find('AccountSession', secret);
    const { data } = sessionSchema.safeParse(found?.payload);
    return data && isAllowed(data.personId) ? { secret, ...data } : undefined;
  };

  /** The session and the form, if the form is from the page of this session. */
  const submitted = async (c: Context) => {
    const session = await sessionOf(c);
    const form = await formOf(c);
    const site = c.req.header('Sec-Fetch-Site');
    if (!session || typeof form['csrf'] !== 'string') return undefined;
    const isOwnForm = isSame(form['csrf'], keyedHash(csrfKey, session.secret));
    return isOwnForm && (site === undefined || site === 'same-origin') ? { session, form } : undefined;
  };

  const signOut = async (c: Context, { secret }: Session) => {
    await records.take('AccountSession', secret);
    deleteCookie(c, sessionCookie, { path: '/', secure: isSecure });
    return c.redirect('/account', 303);
  };

  const routes = new Hono();
  routes.use('/account/*', async (_, next) => records.inRequest(next));

  routes.get('/account', async (c) => {
    const session = await sessionOf(c);
    if (!session) return signInPage(c, upstream.appUrl);
    const { personId, secret } = session;
    const [clients, writes, settings] = await Promise.all([
      grants.ofPerson(personId),
      people.audit(personId),
      people.settings(personId),
    ]);
    return accountPage(c, { clients, writes, settings, csrfToken: keyedHash(csrfKey, secret) });
  });

  routes.post('/account/sign-in', async (c) => {
    const { url, pending } = await upstream.start(redirectUri, 'read-only');
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    await records.write('AccountSignIn', secret, { pending }, SIGN_IN_MS);
    set(c, signInCookie(pending.state), secret, SIGN_IN_MS);
    return c.redirect(url, 303);
  });

  routes.get(ACCOUNT_CALLBACK_PATH, async (c) => {
    const callback = new URL(c.req.url).searchParams;
    const cookie = signInCookie(callback.get('state') ?? '');
    const begun = getCookie(c, cookie);
    const { data } = signInSchema.safeParse(begun && (await records.take('AccountSignIn', begun)));
    if (!data) return expired(c);
    deleteCookie(c, cookie, { path: '/', secure: isSecure });
    try {
      const { userId } = await upstream.finish(data.pending, 'read-only', callback);
      const personId = personIdOf(rootKey, { baseUrl: upstream.baseUrl, userId });
      if (!isAllowed(personId)) return refusedPersonPage(c, { userId, appUrl: upstream.appUrl });
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      await records.write('AccountSession', secret, { personId }, SESSION_MS);
      set(c, sessionCookie, secret, SESSION_MS);
      return c.redirect('/account', 303);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      return page(c, { ...failure(error.explanation), status: 502 });
    }
  });

  routes.post('/account/revoke', formLimit, async (c) => {
    const request = await submitted(c);
    if (!request) return expired(c);
    const { session, form } = request;
    const own = (await grants.ofPerson(session.personId)).find(({ id }) => id === form['grant']);
    if (own) await grants.end(own.id);
    return c.redirect('/account', 303);
  });

  routes.post('/account/settings', formLimit, async (c) => {
    const request = await submitted(c);
    if (!request) return expired(c);
    const { success, data } = settingsForm.safeParse(request.form);
    if (!success) return page(c, { ...failure('The settings have a value that is not known.'), status: 400 });
    await people.changeSettings(request.session.personId, data);
    await onSettingsChanged(request.session.personId);
    return c.redirect('/account', 303);
  });

  routes.post('/account/sign-out-everywhere', formLimit, async (c) => {
    const request = await submitted(c);
    if (!request) return expired(c);
    await grants.endAllOf(request.session.personId);
    return signOut(c, request.session);
  });

  routes.post('/account/delete', formLimit, async (c) => {
    const request = await submitted(c);
    if (!request) return expired(c);
    await forget(request.session.personId, { grants, people });
    return signOut(c, request.session);
  });

  routes.post('/account/sign-out', formLimit, async (c) => {
    const request = await submitted(c);
    return request ? signOut(c, request.session) : expired(c);
  });

  routes.onError((error, c) => {
    onBug(error);
    return errorPage(c, error);
  });

  return routes;
}
