/** How a person signs in on the pages of a hosted server and of the budgeting service, and how a client gets its tokens. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Browser, type View } from '../hosting/browser.helper.ts';

export type Decision = 'allow' | 'allow-reading' | 'deny';

/** The sign-in of a person at the budgeting service, and the default budget to choose there. */
export interface ServiceSignIn {
  readonly email: string;
  readonly password: string;
  readonly budgetId: string;
}

const REDIRECT_URI = 'http://127.0.0.1/callback';

const registered = z.object({ client_id: z.string() });
const tokensSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  scope: z.string(),
});

export type Tokens = z.output<typeof tokensSchema>;

/** A browser with an address of its own, as if a proxy were in front of the server. */
export class DistantBrowser extends Browser {
  readonly headers: Readonly<Record<string, string>>;

  constructor(nth: number, origins: readonly string[]) {
    super(origins);
    this.headers = { 'x-forwarded-for': `203.0.${Math.floor(nth / 256)}.${nth % 256}` };
  }

  override request(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.headers)) headers.set(name, value);
    return super.request(url, { ...init, headers });
  }
}

interface SignInOptions {
  readonly browser: DistantBrowser;
  readonly decision: Decision;
  /** By default a new client is registered. */
  readonly clientId?: string;
  readonly clientName?: string;
  /** Whether the assistant may watch also while the person is away. */
  readonly away?: boolean;
}

/** Lets the person allow a client, on the real pages. Throws if the person does not. */
export async function signInOnPages(
  { issuer, resource }: { readonly issuer: string; readonly resource: string },
  signIn: ServiceSignIn,
  { browser, decision, clientName = 'Test host', clientId: known, away = false }: SignInOptions,
): Promise<{ readonly clientId: string; readonly tokens: Tokens }> {
  const clientId = known ?? (await register(issuer, clientName, browser.headers));
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', issuer);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'budget:read budget:write',
    resource,
    state: 'state-of-client',
  }).toString();
  const consent = await browser.open(url);
  const end = await signInAtService(
    await browser.submit(consent, { decision, ...(away && { away: 'on' }) }),
    browser,
    signIn,
  );
  const code = end.url.searchParams.get('code');
  if (end.status !== 0 || code === null) throw new Error(`${end.status} ${end.url.href} ${end.text}`);
  const tokens = await requestTokens(issuer, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
    client_id: clientId,
  });
  return { clientId, tokens };
}

/** Returns the id of a new client. Waits where too many have registered in the last minute. */
export async function register(
  issuer: string,
  clientName: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await fetch(`${issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ client_name: clientName, redirect_uris: [REDIRECT_URI] }),
  });
  if (response.status === 429) {
    await setTimeout(Number(response.headers.get('retry-after')) * 1_000);
    return register(issuer, clientName, headers);
  }
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return registered.parse(await response.json()).client_id;
}

export async function requestTokens(
  issuer: string,
  fields: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const body = new URLSearchParams(fields);
  const response = await fetch(`${issuer}/oauth/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return tokensSchema.parse(await response.json());
}

/** On the pages of the budgeting service. */
export async function signInAtService(
  first: View,
  browser: Browser,
  { email, password, budgetId }: ServiceSignIn,
): Promise<View> {
  let view = first;
  if (view.text.includes('name="password"'))
    view = await browser.submit(view, { intent: 'sign-in', email, password });
  if (view.text.includes('value="allow"'))
    view = await browser.submit(view, { intent: 'allow', default_budget: budgetId });
  return view;
}
