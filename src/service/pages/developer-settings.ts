/**
 * `/settings/developer`: where a user makes and revokes personal access tokens, revokes what applications were
 * granted, and registers applications of their own (specification, Personal access tokens and OAuth applications).
 * A token or client secret is on the page that its making answers with, and never again.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Access } from '../access.ts';
import { registration } from '../oauth/applications.ts';
import type { OAuth } from '../oauth.ts';
import { type Outcome, settingsPage } from './developer-settings-page.ts';
import type { Form, FrontDoor, Visit } from './front-door.ts';
import { asPage } from './page.ts';

interface Parts {
  access: Access;
  oauth: OAuth;
  frontDoor: FrontDoor;
}

const orders = z.discriminatedUnion('intent', [
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

export function developerSettings(parts: Parts): Hono {
  return new Hono().on(['GET', 'POST'], '/settings/developer', asPage, async (c: Context) => {
    const visit = await parts.frontDoor.enter(c, 'to manage access to your budgets');
    if (visit instanceof Response) return visit;
    const outcome = visit.form ? await carryOut(visit.form, visit, parts) : {};
    return settingsPage(c, {
      visit,
      outcome,
      tokens: parts.access.personalTokensOf(visit.user),
      authorizations: parts.oauth.authorizations.of(visit.user),
      applications: parts.oauth.applications.ownedBy(visit.user),
    });
  });
}

/** Does what a form says. Ids are looked for among what is the user's own, so that nobody revokes for others. */
async function carryOut(form: Form, visit: Visit, parts: Parts): Promise<Outcome> {
  const { access, oauth, frontDoor } = parts;
  const { user } = visit;
  const order = orders.safeParse(form);
  if (!order.success) return { alarm: order.error.issues.map(({ message }) => message).join(' ') };

  switch (order.data.intent) {
    case 'create-token': {
      const { label, password } = order.data;
      const alarm = await frontDoor.refusal(visit, password);
      if (alarm !== undefined) return { alarm };
      return { shownOnce: { 'Personal access token': access.issueToken(user, { label }) } };
    }
    case 'revoke-token': {
      const { id } = order.data;
      const token = access.personalTokensOf(user).find((one) => one.id === id);
      if (token) access.revoke(id);
      return { notice: 'The token is revoked. Whatever used it has no access any more.' };
    }
    case 'revoke-authorization': {
      const { id } = order.data;
      const authorization = oauth.authorizations.of(user).find((one) => one.id === id);
      if (authorization) oauth.authorizations.revoke(id);
      return { notice: 'The access is revoked. The application has to ask you again.' };
    }
    case 'create-application': {
      const { name, redirect_uris: redirectUris, default_budget } = order.data;
      const details = { name, redirectUris, selectsDefaultBudget: default_budget === 'on' };
      const { clientId, clientSecret } = oauth.applications.register(user, details);
      return { shownOnce: { 'Client id': clientId, 'Client secret': clientSecret } };
    }
  }
}
