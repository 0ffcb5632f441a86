/**
 * `/settings/developer`: users create and revoke personal access tokens, revoke authorizations, and register OAuth
 * applications (docs/interface.md, Personal access tokens and OAuth applications). A token or client secret is shown
 * once, on the response that creates it.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Access } from '../access.ts';
import { registration } from '../oauth/applications.ts';
import type { OAuth } from '../oauth.ts';
import { type Outcome, settingsPage } from './developer-settings-page.ts';
import { pageMiddleware } from './page.ts';
import type { Form, PageRequest, PageSignIn } from './page-sign-in.ts';

interface Deps {
  access: Access;
  oauth: OAuth;
  signIn: PageSignIn;
}

const actions = z.discriminatedUnion('intent', [
  z.object({
    intent: z.literal('create-token'),
    label: z
      .string()
      .trim()
      .regex(/^\P{Cc}{1,60}$/u, 'Give the token a name of 1 to 60 characters.'),
    password: z.string(),
  }),
  z.object({ intent: z.literal('revoke-token'), id: z.string() }),
  z.object({ intent: z.literal('revoke-authorization'), id: z.string() }),
  z.object({
    intent: z.literal('create-application'),
    name: registration.shape.name,
    redirect_uris: z
      .string()
      .transform((lines) => lines.split(/\s+/).filter((line) => line !== ''))
      .pipe(registration.shape.redirectUris),
    default_budget: z.literal('on').optional(),
  }),
]);

export function developerSettings(deps: Deps): Hono {
  return new Hono().on(['GET', 'POST'], '/settings/developer', pageMiddleware, async (c: Context) => {
    const request = await deps.signIn.requireUser(c, 'to manage access to your budgets');
    if (request instanceof Response) return request;
    const outcome = request.form ? await runAction(request.form, request, deps) : {};
    return settingsPage(c, {
      request,
      outcome,
      tokens: deps.access.personalTokensOf(request.user),
      authorizations: deps.oauth.authorizations.of(request.user),
      applications: deps.oauth.applications.ownedBy(request.user),
    });
  });
}

/** Runs the action of a form. Only ids of the user's own tokens and authorizations are accepted. */
async function runAction(form: Form, request: PageRequest, deps: Deps): Promise<Outcome> {
  const { access, oauth, signIn } = deps;
  const { user } = request;
  const action = actions.safeParse(form);
  if (!action.success) return { errorMessage: action.error.issues.map(({ message }) => message).join(' ') };

  switch (action.data.intent) {
    case 'create-token': {
      const { label, password } = action.data;
      const errorMessage = await signIn.passwordError(request, password);
      if (errorMessage !== undefined) return { errorMessage };
      return { shownOnce: { 'Personal access token': access.issueToken(user, { label }) } };
    }
    case 'revoke-token': {
      const { id } = action.data;
      const token = access.personalTokensOf(user).find((own) => own.id === id);
      if (token) access.revoke(id);
      return { notice: 'The token is revoked. Whatever used it has no access any more.' };
    }
    case 'revoke-authorization': {
      const { id } = action.data;
      const authorization = oauth.authorizations.of(user).find((own) => own.id === id);
      if (authorization) oauth.authorizations.revoke(id);
      return { notice: 'The access is revoked. The application has to ask you again.' };
    }
    case 'create-application': {
      const { name, redirect_uris: redirectUris, default_budget } = action.data;
      const details = { name, redirectUris, selectsDefaultBudget: default_budget === 'on' };
      const { clientId, clientSecret } = oauth.applications.register(user, details);
      return { shownOnce: { 'Client id': clientId, 'Client secret': clientSecret } };
    }
  }
}
