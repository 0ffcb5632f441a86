/**
 * The page of a person: which clients may do what, what they have written, their settings, and the end of all of it. A person
 * signs in with the budgeting service, which only says who they are: its tokens are not kept.
 */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { isSame } from '../auth/local-listener.ts';
import { pendingAuthorization } from '../auth/oauth.ts';
import { BudgetError } from '../base/errors.ts';
import {
  accountPage,
  deletionPage,
  isNotice,
  type Notice,
  signInPage,
  type TestNotice,
  type WatchView,
  watchesPage,
} from './account-page.ts';
import type { Authorization } from './authorization.ts';
import { derivedKey, hashOf, keyedHash, personIdOf } from './derived-key.ts';
import type { Grant } from './grants.ts';
import { errorPage, expired, formLimit, formOf, pageCookies, refusedPersonPage } from './page.ts';
import type { People } from './people.ts';
import { parseSettings, type SettingsChoices, type SettingsProblems } from './settings-form.ts';
import type { SignInOptions } from './sign-in.ts';
import { ACCOUNT_CALLBACK_PATH, budgetName } from './upstream.ts';
import type { WatchedGrants } from './watched-grants.ts';

export interface AccountOptions extends Pick<SignInOptions, 'issuer' | 'upstream' | 'onBug'> {
  readonly rootKey: Uint8Array;
  readonly authorization: Pick<Authorization, 'grants' | 'records' | 'isAllowed'>;
  readonly people: People;
  readonly defaults: SettingsChoices['defaults'];
  readonly titleOf: (tool: string) => string;
  readonly watches: {
    list(grant: Grant): Promise<readonly WatchView[]>;
    /** Sends a test message to each receiver of the grant. */
    test(grant: Grant): Promise<TestNotice>;
  };
  readonly watched: Pick<WatchedGrants, 'forbid' | 'countOf'>;
}

const SECRET_BYTES = 32;
const SIGN_IN_MS = 10 * 60_000;
const SESSION_MS = 30 * 60_000;
const NOTICE_MS = 60_000;
const SESSION_COOKIE = 'account';
const NOTICE_COOKIE = 'account-notice';

const signInSchema = z.object({ pending: pendingAuthorization });
const sessionSchema = z.object({
  personId: z.string(),
  /** At the budgeting service. */
  userId: z.string(),
  /** As they were at the sign-in. Missing if the service did not give the list. */
  budgets: z.array(budgetName).optional(),
});

const toAccount = (c: Context) => c.redirect('/account', 303);

/** Next to the explanation of an error. */
const backToAccount = html`<p><a href="/account">Go back to your account</a></p>`;

interface Session extends z.output<typeof sessionSchema> {
  readonly secret: string;
}

interface Submitted {
  readonly session: Session;
  readonly form: Readonly<Record<string, unknown>>;
}

export function accountRoutes(options: AccountOptions): Hono {
  const { issuer, rootKey, authorization, people, upstream, defaults, titleOf, onBug } = options;
  const { appUrl } = upstream;
  const { grants, records, isAllowed } = authorization;
  const csrfKey = derivedKey(rootKey, 'account form');
  const redirectUri = `${issuer}${ACCOUNT_CALLBACK_PATH}`;
  const cookies = pageCookies(issuer);
  const signInCookie = (state: string) => `account-${hashOf(state).slice(0, 16)}`;

  const sessionOf = async (c: Context): Promise<Session | undefined> => {
    const secret = cookies.get(c, SESSION_COOKIE);
    if (secret === undefined) return undefined;
    const found = await records.find('AccountSession', secret);
    const { data } = sessionSchema.safeParse(found?.payload);
    return data && isAllowed(data.personId) ? { secret, ...data } : undefined;
  };

  /** The session and the form, if the form is from the page of this session. */
  const submitted = async (c: Context): Promise<Submitted | undefined> => {
    const session = await sessionOf(c);
    const form = await formOf(c);
    const site = c.req.header('Sec-Fetch-Site');
    if (!session || typeof form['csrf'] !== 'string') return undefined;
    const isOwnForm = isSame(form['csrf'], csrfTokenOf(session));
    return isOwnForm && (site === undefined || site === 'same-origin') ? { session, form } : undefined;
  };

  /** A cookie brings the notice to the page, once. */
  const done = (c: Context, notice: Notice) => {
    cookies.set(c, NOTICE_COOKIE, notice, NOTICE_MS);
    return toAccount(c);
  };

  const noticeOf = (c: Context): Notice | undefined => {
    const name = cookies.get(c, NOTICE_COOKIE);
    if (name === undefined) return undefined;
    cookies.remove(c, NOTICE_COOKIE);
    return isNotice(name) ? name : undefined;
  };

  const signOut = async (c: Context, { secret }: Session, notice: Notice) => {
    await records.take('AccountSession', secret);
    cookies.remove(c, SESSION_COOKIE);
    return done(c, notice);
  };

  const csrfTokenOf = ({ secret }: Session) => keyedHash(csrfKey, secret);

  const show = async (c: Context, session: Session, problems: SettingsProblems = {}) => {
    const { personId, userId, budgets } = session;
    const [clients, writes, settings] = await Promise.all([
      grants.ofPerson(personId),
      people.audit(personId),
      people.settings(personId),
    ]);
    const own = { clients, writes, settings, userId, budgets, csrfToken: csrfTokenOf(session) };
    const watchCountOf = (grant: Grant) => options.watched.countOf(grant);
    return accountPage(c, { ...own, problems, notice: noticeOf(c), appUrl, defaults, titleOf, watchCountOf });
  };

  /** Undefined if the grant has ended meanwhile, or is not one of this person. */
  const ownGrant = async ({ personId }: Session, id: unknown): Promise<Grant | undefined> =>
    (await grants.ofPerson(personId)).find((each) => each.id === id);

  const routes = new Hono();
  routes.use('/account/*', async (_, next) => records.inRequest(next));

  routes.get('/account', async (c) => {
    const session = await sessionOf(c);
    return session ? show(c, session) : signInPage(c, { appUrl, notice: noticeOf(c) });
  });

  routes.post('/account/sign-in', async (c) => {
    const { url, pending } = await upstream.start(redirectUri, 'read-only');
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    await records.write('AccountSignIn', secret, { pending }, SIGN_IN_MS);
    cookies.set(c, signInCookie(pending.state), secret, SIGN_IN_MS);
    return c.redirect(url, 303);
  });

  routes.get(ACCOUNT_CALLBACK_PATH, async (c) => {
    const callback = new URL(c.req.url).searchParams;
    const cookie = signInCookie(callback.get('state') ?? '');
    const begun = cookies.get(c, cookie);
    const { data } = signInSchema.safeParse(begun && (await records.take('AccountSignIn', begun)));
    if (!data) return expired(c, backToAccount);
    cookies.remove(c, cookie);
    try {
      const { userId, signIn } = await upstream.finish(data.pending, 'read-only', callback);
      const personId = personIdOf(rootKey, { baseUrl: upstream.baseUrl, userId });
      if (!isAllowed(personId)) return refusedPersonPage(c, { userId, appUrl });
      const budgets = await upstream.budgets(signIn.accessToken);
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const session = { personId, userId, ...(budgets && { budgets }) };
      await records.write('AccountSession', secret, session, SESSION_MS);
      cookies.set(c, SESSION_COOKIE, secret, SESSION_MS);
      return toAccount(c);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      return signInPage(c, { appUrl, notice: undefined, problem: error.explanation });
    }
  });

  routes.get('/account/delete', async (c) => {
    const session = await sessionOf(c);
    return session ? deletionPage(c, { appUrl, csrfToken: csrfTokenOf(session) }) : toAccount(c);
  });

  // A page of its own, so that the page of all grants opens no store of any of them.
  routes.get('/account/watches', async (c) => {
    const session = await sessionOf(c);
    const grant = session && (await ownGrant(session, c.req.query('grant')));
    if (!grant) return toAccount(c);
    const watches = await options.watches.list(grant);
    return watchesPage(c, { grant, watches, csrfToken: csrfTokenOf(session) });
  });

  // The addresses of the forms, if a person opens them again.
  routes.get('/account/*', toAccount);

  const onForm = (name: string, answer: (c: Context, request: Submitted) => Promise<Response> | Response) =>
    routes.post(`/account/${name}`, formLimit, async (c) => {
      const request = await submitted(c);
      return request ? answer(c, request) : expired(c, backToAccount);
    });

  /** For a form about one grant of the person. */
  const onGrantForm = (name: string, work: (grant: Grant | undefined) => Promise<Notice>) =>
    onForm(name, async (c, { session, form }) => done(c, await work(await ownGrant(session, form['grant']))));

  onGrantForm('away-off', async (grant) => {
    if (grant) await options.watched.forbid(grant);
    return 'away-off';
  });

  onGrantForm('test', async (grant) => (grant ? options.watches.test(grant) : 'not-tested'));

  onGrantForm('revoke', async (grant) => {
    if (grant) await grants.end(grant.id);
    return 'ended';
  });

  onForm('settings', async (c, { session, form }) => {
    const { personId, budgets } = session;
    const parsed = parseSettings(form, { settings: await people.settings(personId), budgets });
    if ('problems' in parsed) return show(c, session, parsed.problems);
    await people.changeSettings(personId, parsed.settings);
    await grants.settingsChanged(personId);
    return done(c, 'saved');
  });

  onForm('sign-out-everywhere', async (c, { session }) => {
    await grants.endAllOf(session.personId);
    return signOut(c, session, 'ended-all');
  });

  onForm('delete', async (c, { session }) => {
    await people.forget(session.personId, grants);
    return signOut(c, session, 'deleted');
  });

  onForm('sign-out', (c, { session }) => signOut(c, session, 'signed-out'));

  routes.onError((error, c) => {
    onBug(error);
    return errorPage(c, error, backToAccount);
  });

  return routes;
}
