/** A client of the authorization server without a library, so that a test can send anything. */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Browser } from './browser.helper.ts';
import {
  type Decisions,
  decide,
  type HostingOptions,
  type Reachable,
  startHosting,
} from './hosting.helper.ts';

const tokensSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number(),
  scope: z.string(),
});

export type Tokens = z.output<typeof tokensSchema>;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const REDIRECT_URI = 'http://127.0.0.1/callback';

export class OAuthClient {
  readonly hosting: Reachable;
  readonly id: string;
  readonly redirectUri: string;
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(hosting: Reachable, id: string, redirectUri = REDIRECT_URI) {
    this.hosting = hosting;
    this.id = id;
    this.redirectUri = redirectUri;
  }

  static async register(hosting: Reachable, metadata: object = {}): Promise<OAuthClient> {
    const { status, body } = await register(hosting, metadata);
    if (status !== 201) throw new Error(JSON.stringify(body));
    const { client_id: id, redirect_uris: uris } = z
      .object({ client_id: z.string(), redirect_uris: z.array(z.string()) })
      .parse(body);
    return new OAuthClient(hosting, id, uris[0]);
  }

  /** The address of an authorization request. Parameters that are undefined are left out. */
  url(parameters: Readonly<Record<string, string | undefined>> = {}): URL {
    const url = new URL('/oauth/authorize', this.hosting.issuer);
    const all = {
      client_id: this.id,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'budget:read budget:write',
      resource: this.hosting.resource,
      state: 'state-of-client',
      ...parameters,
    };
    for (const [name, value] of Object.entries(all))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** The parameters that the client gets back. */
  async authorize(
    parameters: Readonly<Record<string, string | undefined>> = {},
    decisions: Decisions = {},
    browser?: Browser,
  ): Promise<URLSearchParams> {
    const view = await decide(this.hosting, this.url(parameters), decisions, browser);
    if (view.status !== 0) throw new Error(`${view.status} ${view.url.href} ${view.text}`);
    return view.url.searchParams;
  }

  /** The parameters of the link on the page that refuses a request. Nothing is sent to the client itself. */
  async refusal(parameters: Readonly<Record<string, string | undefined>>): Promise<URLSearchParams> {
    const browser = this.hosting.browser();
    const { status, headers, text } = await browser.open(this.url(parameters));
    const isSafe = headers.get('content-security-policy')?.startsWith("default-src 'none'; style-src");
    const link = /<a href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    if (status !== 400 || !isSafe || !link.startsWith(this.redirectUri))
      throw new Error(`${status} ${browser.visited.join(' ')} ${text}`);
    return new URL(link).searchParams;
  }

  async code(
    parameters: Readonly<Record<string, string | undefined>> = {},
    decisions: Decisions = {},
  ): Promise<string> {
    const answer = await this.authorize(parameters, decisions);
    return answer.get('code') ?? `no code: ${answer}`;
  }

  /** Authorizes and exchanges the code. */
  async tokens(
    parameters: Readonly<Record<string, string | undefined>> = {},
    decisions: Decisions = {},
  ): Promise<Tokens> {
    return tokensOf(await this.exchange(await this.code(parameters, decisions)));
  }

  exchange(code: string, fields: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      resource: this.hosting.resource,
      ...fields,
    });
  }

  refresh(refreshToken: string, fields: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields });
  }

  revoke(token: string): Promise<Answer> {
    return this.post('/oauth/revoke', { token });
  }

  async post(path: string, fields: Readonly<Record<string, string | undefined>>): Promise<Answer> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries({ client_id: this.id, ...fields }))
      if (value !== undefined) body.set(name, value);
    const response = await fetch(new URL(path, this.hosting.url), { method: 'POST', body });
    return answerOf(response);
  }
}

export async function startWithClient(options?: HostingOptions, metadata?: object) {
  const hosting = await startHosting(options);
  return { hosting, client: await OAuthClient.register(hosting, metadata) };
}

/** An answer with this error. */
export const refusal = (error: string, status = 400): Answer => ({
  status,
  body: expect.objectContaining({ error }),
});

export async function register(hosting: Reachable, metadata: object): Promise<Answer> {
  const response = await fetch(new URL('/oauth/register', hosting.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [REDIRECT_URI], ...metadata }),
  });
  return answerOf(response);
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

export function tokensOf({ status, body }: Answer): Tokens {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return tokensSchema.parse(body);
}
