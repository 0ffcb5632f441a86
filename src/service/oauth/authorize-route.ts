/**
 * `/oauth/authorize`: the page on which a user lets an application in, or does not (specification, Authorization
 * request). An error that must not redirect is a page, any other an answer to the application; what the page asks for
 * stands in its address and is read anew when the form comes.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { User } from '../access.ts';
import type { OAuth } from '../oauth.ts';
import type { Form, FrontDoor } from '../pages/front-door.ts';
import { asPage, page } from '../pages/page.ts';
import {
  type AuthorizationRequest,
  answer,
  authorizationRequest,
  type ReturnAddress,
  returnAddress,
  UnsafeRequest,
} from './authorization-request.ts';
import type { Consent } from './authorizations.ts';
import { consentPage, restrictedPage } from './consent-page.ts';
import { OAuthError } from './oauth-error.ts';

export function authorizeRoute(oauth: OAuth, frontDoor: FrontDoor): Hono {
  const route = new Hono();

  route.on(['GET', 'POST'], '/oauth/authorize', asPage, async (c) => {
    const address = returnAddress(c.req.queries(), oauth.applications);
    try {
      return await authorize(c, address, { oauth, frontDoor });
    } catch (error) {
      if (error instanceof OAuthError) return c.redirect(answer(address, error.parameters), 303);
      throw error;
    }
  });

  route.onError((error, c) => {
    if (!(error instanceof UnsafeRequest)) throw error;
    return page(c, {
      title: 'This link cannot be used',
      status: 400,
      alarm: error.message,
      body: html`<p>Nothing was shared. Go back to the application and start again, or tell whoever makes it.</p>`,
    });
  });

  return route;
}

async function authorize(
  c: Context,
  address: ReturnAddress,
  { oauth, frontDoor }: { oauth: OAuth; frontDoor: FrontDoor },
): Promise<Response> {
  const request = authorizationRequest(c.req.queries());
  const { application } = address;
  const visit = await frontDoor.enter(c, `to go on to ${application.name}`);
  if (visit instanceof Response) return visit;

  const { user, form } = visit;
  if (form?.['intent'] === 'deny') throw new OAuthError('access_denied', 'The user denied the request.');
  const asked: Consent = { application, user, ...(request.scope && { scope: request.scope }) };
  if (!oauth.authorizations.isOpenTo(asked)) return restrictedPage(c, address, visit);

  const { accessTokenSeconds } = oauth.authorizations;
  if (form?.['intent'] !== 'allow') {
    return consentPage(c, { address, request, visit, accessTokenSeconds });
  }
  const choice = application.selectsDefaultBudget ? defaultBudget(form, user) : {};
  if (!choice) {
    const alarm = 'Choose a default budget, or none.';
    return consentPage(c, { address, request, visit, accessTokenSeconds, alarm });
  }
  return c.redirect(granted(address, request, { ...asked, ...choice }, oauth), 303);
}

/** What the user chose, which may be no budget; undefined when it is nothing that could be chosen. */
function defaultBudget(form: Form, user: User): { defaultBudgetId: string | null } | undefined {
  const choice = form['default_budget'];
  if (choice === 'none') return { defaultBudgetId: null };
  const ledger = user.ledgers.find(({ id }) => id === choice);
  return ledger && { defaultBudgetId: ledger.id };
}

function granted(
  address: ReturnAddress,
  { responseType, codeChallenge }: AuthorizationRequest,
  consent: Consent,
  { codes, authorizations }: OAuth,
): string {
  if (responseType === 'code') {
    return answer(address, {
      code: codes.issue({ consent, redirectUri: address.redirectUri, codeChallenge }),
    });
  }
  const { expires_in, ...token } = authorizations.grantToken(consent);
  return answer(address, { ...token, expires_in: String(expires_in) });
}
