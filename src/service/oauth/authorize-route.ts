/**
 * `/oauth/authorize`: the page on which a user allows or denies an application access (docs/interface.md,
 * Authorization request). An error without a safe redirect is shown as a page. Any other error is returned to the
 * application. The request is in the address of the page, and is parsed again when the form is sent.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { User } from '../access.ts';
import type { OAuth } from '../oauth.ts';
import { page, pageMiddleware } from '../pages/page.ts';
import type { Form, PageSignIn } from '../pages/page-sign-in.ts';
import {
  type AuthorizationRequest,
  parseAuthorizationRequest,
  parseRedirectTarget,
  type RedirectTarget,
  redirectUrl,
  UnredirectableRequest,
} from './authorization-request.ts';
import type { Consent } from './authorizations.ts';
import { consentPage, restrictedPage } from './consent-page.ts';
import { OAuthError } from './oauth-error.ts';

export function authorizeRoute(oauth: OAuth, signIn: PageSignIn): Hono {
  const route = new Hono();

  route.on(['GET', 'POST'], '/oauth/authorize', pageMiddleware, async (c) => {
    const target = parseRedirectTarget(c.req.queries(), oauth.applications);
    try {
      return await authorize(c, target, { oauth, signIn });
    } catch (error) {
      if (error instanceof OAuthError) return c.redirect(redirectUrl(target, error.parameters), 303);
      throw error;
    }
  });

  route.onError((error, c) => {
    if (!(error instanceof UnredirectableRequest)) throw error;
    return page(c, {
      title: 'This link cannot be used',
      status: 400,
      errorMessage: error.message,
      body: html`<p>Nothing was shared. Go back to the application and start again, or contact its developer.</p>`,
    });
  });

  return route;
}

async function authorize(
  c: Context,
  target: RedirectTarget,
  { oauth, signIn }: { oauth: OAuth; signIn: PageSignIn },
): Promise<Response> {
  const request = parseAuthorizationRequest(c.req.queries());
  const { application } = target;
  const pageRequest = await signIn.requireUser(c, `to go on to ${application.name}`);
  if (pageRequest instanceof Response) return pageRequest;

  const { user, form } = pageRequest;
  if (form?.['intent'] === 'deny') throw new OAuthError('access_denied', 'The user denied the request.');
  const consent: Consent = { application, user, ...(request.scope && { scope: request.scope }) };
  if (!oauth.authorizations.canGrant(consent)) return restrictedPage(c, target, pageRequest);

  const { accessTokenSeconds } = oauth.authorizations;
  if (form?.['intent'] !== 'allow') {
    return consentPage(c, { target, request, pageRequest, accessTokenSeconds });
  }
  const choice = application.selectsDefaultBudget ? defaultBudget(form, user) : {};
  if (!choice) {
    const errorMessage = 'Choose a default budget, or none.';
    return consentPage(c, { target, request, pageRequest, accessTokenSeconds, alarm: errorMessage });
  }
  return c.redirect(grantUrl(target, request, { ...consent, ...choice }, oauth), 303);
}

/** The budget that the user chose. Null if the user chose none, undefined if the choice is invalid. */
function defaultBudget(form: Form, user: User): { defaultBudgetId: string | null } | undefined {
  const choice = form['default_budget'];
  if (choice === 'none') return { defaultBudgetId: null };
  const ledger = user.ledgers.find(({ id }) => id === choice);
  return ledger && { defaultBudgetId: ledger.id };
}

function grantUrl(
  target: RedirectTarget,
  { responseType, codeChallenge }: AuthorizationRequest,
  consent: Consent,
  { codes, authorizations }: OAuth,
): string {
  if (responseType === 'code') {
    return redirectUrl(target, {
      code: codes.issue({ consent, redirectUri: target.redirectUri, codeChallenge }),
    });
  }
  const { expires_in, ...token } = authorizations.grantToken(consent);
  return redirectUrl(target, { ...token, expires_in: String(expires_in) });
}
